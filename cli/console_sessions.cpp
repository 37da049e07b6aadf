// The console's commands about sessions and the process, PgBouncer's for the most part.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "cli/config_options.hpp"
#include "cli/console_commands.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "proxy/admin/format_sessions.hpp"

namespace pgveil::cli {
namespace {

using admin::Answer;
using admin::SessionInfo;
using admin::SessionState;
using admin::Table;

template <class Command>
Table empty_table(const Command& command) {
  return {admin::columns_of(command), {}, "SHOW", {}};
}

std::uint64_t count_if(const std::vector<SessionInfo>& sessions, auto is_counted) {
  return static_cast<std::uint64_t>(std::ranges::count_if(sessions, is_counted));
}

// Of this process; 0 where /proc is not there.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Those of the users file, and who may use the console.
std::set<std::string> known_users(const Present& now) {
  std::set<std::string> users;
  for (const auto& [name, verifier] : now.users) users.insert(name);
  users.insert(now.config.admin.admin_users.begin(), now.config.admin.admin_users.end());
  users.insert(now.config.admin.stats_users.begin(), now.config.admin.stats_users.end());
  return users;
}

}  // namespace

std::vector<SessionInfo> Commands::sessions() const {
  const net::Server* server = server_;
  return server != nullptr ? server->sessions() : std::vector<SessionInfo>();
}

Answer Commands::answer(const admin::ShowClients&, const std::string&) {
  return admin::clients_table(sessions());
}

Answer Commands::answer(const admin::ShowServers&, const std::string&) {
  return admin::servers_table(sessions(), world_.present()->config.backend.query_role.user);
}

Answer Commands::answer(const admin::ShowPools&, const std::string&) {
  return admin::pools_table(sessions());
}

Answer Commands::answer(const admin::ShowStats&, const std::string&) {
  const net::Server* server = server_;
  return admin::stats_table(server != nullptr ? server->statistics().traffic()
                                              : std::vector<admin::DatabaseTraffic>());
}

Answer Commands::answer(const admin::ShowStatsTotals&, const std::string&) {
  const net::Server* server = server_;
  return admin::stats_totals_table(server != nullptr ? server->statistics().traffic()
                                                     : std::vector<admin::DatabaseTraffic>());
}

Answer Commands::answer(const admin::ShowDatabases& command, const std::string&) {
  const auto now = world_.present();
  const auto& backend = now->config.backend;
  const auto live = sessions();
  Table table = empty_table(command);
  for (const auto& name : backend.databases) {
    const auto connections =
        count_if(live, [&](const SessionInfo& it) { return it.has_backend && it.database == name; });
    const auto view = now->databases.find(name);
    const bool is_open = view != now->databases.end() && view->second.snapshot != nullptr;
    table.rows.push_back({name, backend.host, std::to_string(backend.port), name, backend.query_role.user,
                          std::to_string(now->config.limits.max_clients), "0", "0", "session",
                          std::to_string(now->config.limits.max_clients), std::to_string(connections), "0",
                          is_open ? "0" : "1"});
  }
  const std::string console(session::kConsoleDatabase);
  table.rows.push_back({console, std::nullopt, std::to_string(now->config.listen.port), console, std::nullopt,
                        std::to_string(now->config.limits.max_clients), "0", "0", "session",
                        std::to_string(now->config.limits.max_clients), "0", "0", "0"});
  return table;
}

Answer Commands::answer(const admin::ShowUsers& command, const std::string&) {
  Table table = empty_table(command);
  for (const auto& name : known_users(*world_.present())) table.rows.push_back({name, "session"});
  return table;
}

Answer Commands::answer(const admin::ShowConfig& command, const std::string&) {
  const auto now = world_.present();
  Table table = empty_table(command);
  for (const auto& option : config_options()) {
    const std::string key = full_name(option);
    const auto written = now->config.written.find(key);
    const bool has_default = option.otherwise != kRequired && option.otherwise != "none";
    const auto otherwise = has_default ? std::optional(std::string(option.otherwise)) : std::nullopt;
    table.rows.push_back({key,
                          written != now->config.written.end() ? std::optional(written->second) : otherwise,
                          otherwise, is_reloadable(option) ? "yes" : "no"});
  }
  return table;
}

Answer Commands::answer(const admin::ShowLists& command, const std::string&) {
  const auto now = world_.present();
  const auto live = sessions();
  std::set<std::pair<std::string, std::string>> pools;
  for (const auto& it : live) {
    if (it.state != SessionState::login) pools.emplace(it.database, it.role);
  }
  const auto logging_in = count_if(live, [](const auto& it) { return it.state == SessionState::login; });
  const auto servers = count_if(live, [](const auto& it) { return it.has_backend; });
  const std::size_t limit = now->config.limits.max_clients;
  Table table = empty_table(command);
  const auto add = [&](std::string_view list, std::uint64_t items) {
    table.rows.push_back({std::string(list), std::to_string(items)});
  };
  add("databases", now->config.backend.databases.size() + 1);
  add("users", known_users(*now).size());
  add("pools", pools.size());
  add("free_clients", limit - std::min<std::size_t>(limit, live.size()));
  add("used_clients", live.size() - logging_in);
  add("login_clients", logging_in);
  add("free_servers", limit - std::min<std::size_t>(limit, servers));
  add("used_servers", servers);
  return table;
}

Answer Commands::answer(const admin::ShowMem& command, const std::string&) {
  const auto live = sessions();
  std::uint64_t pending = 0;
  for (const auto& it : live) pending += it.pending_bytes;
  Table table = empty_table(command);
  const auto add = [&](std::string_view name, std::uint64_t used, std::uint64_t bytes) {
    table.rows.push_back(
        {std::string(name), std::nullopt, std::to_string(used), std::nullopt, std::to_string(bytes)});
  };
  add("write_queues", live.size(), pending);
  add("verdict_cache", world_.cache().entry_count(), world_.cache().size_bytes());
  add("process", 1, resident_bytes());
  return table;
}

Answer Commands::answer(const admin::KillClient& command, const std::string& role) {
  net::Server* server = server_;
  if (server == nullptr || !server->kill(command.id)) {
    return Error{ErrorKind::unknown_object, std::string(sqlstate::kInvalidParameterValue),
                 fmt::format("there is no client {}", command.id), "SHOW CLIENTS has their ids"};
  }
  log::info("console", fmt::format("KILL_CLIENT {} by {}", command.id, role));
  return Table{{}, {}, "KILL_CLIENT", {}};
}

// The thread that started the server waits for signals: it ends things.
Answer Commands::answer(const admin::Shutdown& command, const std::string& role) {
  log::info("console", "SHUTDOWN by " + role);
  ending_ = command.ending;
  is_shutdown_asked_ = true;
  ::kill(::getpid(), SIGUSR1);
  return Table{{}, {}, "SHUTDOWN", {}};
}

}  // namespace pgveil::cli
