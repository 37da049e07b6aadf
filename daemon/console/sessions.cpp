// The console's commands about sessions and the process, most of them PgBouncer's.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "common/log.hpp"
#include "common/sha256.hpp"
#include "common/sqlstate.hpp"
#include "console/format_sessions.hpp"
#include "daemon/console/commands.hpp"
#include "proxy/net/random.hpp"
#include "proxy/session/scram.hpp"
#include "settings/options.hpp"

namespace pgveil::app {
namespace {

using console::Answer;
using console::SessionInfo;
using console::SessionState;
using console::Table;

template <class Command>
Table empty_table(const Command& command) {
  return {console::columns_of(command), {}, "SHOW", {}};
}

std::uint64_t count_if(const std::vector<SessionInfo>& sessions, auto is_counted) {
  return static_cast<std::uint64_t>(std::ranges::count_if(sessions, is_counted));
}

// The memory of this process; 0 if there is no /proc.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The roles of the users file, and those that may use the console.
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

std::vector<console::PoolInfo> Commands::pools() const {
  const net::Server* server = server_;
  return server != nullptr ? server->pools().pools() : std::vector<console::PoolInfo>();
}

Result<net::Pools*> Commands::pools_of(const std::string& database) const {
  net::Server* server = server_;
  const auto now = serving_.present();
  const auto& known = now->config.backend.databases;
  if (server != nullptr && (database.empty() || std::ranges::find(known, database) != known.end()))
    return &server->pools();
  return Error{ErrorKind::unknown_object, std::string(sqlstate::kInvalidCatalogName),
               fmt::format("there is no database \"{}\"", database), "SHOW DATABASES lists them"};
}

Answer Commands::answer(const console::Pause& command, const std::string& role) {
  const auto pools = pools_of(command.database);
  if (!pools) return pools.error();
  if (is_pausing_.exchange(true)) {
    return Error{ErrorKind::usage, std::string(sqlstate::kObjectNotInPrerequisiteState),
                 "another PAUSE is waiting", "RESUME ends it"};
  }
  log::info("console", fmt::format("PAUSE {} by {}", command.database, role));
  (*pools)->pause(command.database);
  const bool is_done = (*pools)->wait_for_pause(command.database);
  is_pausing_ = false;
  if (is_done) return Table{{}, {}, "PAUSE", {}};
  return Error{ErrorKind::usage, std::string(sqlstate::kObjectNotInPrerequisiteState),
               "RESUME came before all connections were free", ""};
}

Answer Commands::answer(const console::Resume& command, const std::string& role) {
  const auto pools = pools_of(command.database);
  if (!pools) return pools.error();
  log::info("console", fmt::format("RESUME {} by {}", command.database, role));
  if ((*pools)->resume(command.database)) return Table{{}, {}, "RESUME", {}};
  return Error{ErrorKind::usage, std::string(sqlstate::kObjectNotInPrerequisiteState), "it is not paused",
               "SHOW DATABASES tells"};
}

Answer Commands::answer(const console::Reconnect& command, const std::string& role) {
  const auto pools = pools_of(command.database);
  if (!pools) return pools.error();
  log::info("console", fmt::format("RECONNECT {} by {}", command.database, role));
  (*pools)->reconnect(command.database);
  return Table{{}, {}, "RECONNECT", {}};
}

Answer Commands::answer(const console::ShowClients&, const std::string&) {
  return console::clients_table(sessions());
}

Answer Commands::answer(const console::ShowServers&, const std::string&) {
  const net::Server* server = server_;
  return console::servers_table(
      sessions(), server != nullptr ? server->pools().idle_servers() : std::vector<console::IdleServer>(),
      serving_.present()->config.backend.query_role.user);
}

Answer Commands::answer(const console::ShowPools&, const std::string&) {
  const net::Server* server = server_;
  return console::pools_table(sessions(), pools(), [server](const auto& role, const auto& database) {
    return server != nullptr ? server->pools().mode_of(role, database) : std::string();
  });
}

Answer Commands::answer(const console::ShowStats&, const std::string&) {
  const net::Server* server = server_;
  return console::stats_table(server != nullptr ? server->statistics().traffic()
                                                : std::vector<console::DatabaseTraffic>());
}

Answer Commands::answer(const console::ShowStatsTotals&, const std::string&) {
  const net::Server* server = server_;
  return console::stats_totals_table(server != nullptr ? server->statistics().traffic()
                                                       : std::vector<console::DatabaseTraffic>());
}

Answer Commands::answer(const console::ShowDatabases& command, const std::string&) {
  const auto now = serving_.present();
  const auto& backend = now->config.backend;
  const net::Server* server = server_;
  const auto live = pools();
  const std::string clients = std::to_string(now->config.limits.max_clients);
  const std::string host = backend.hosts.empty() ? backend.host : text_of(places_of(backend));
  Table table = empty_table(command);
  for (const auto& name : backend.databases) {
    std::uint64_t connections = 0;
    for (const auto& pool : live) connections += pool.database == name ? pool.open : 0;
    const bool is_open = !serving_.why_unusable(name).has_value();
    const bool is_paused = server != nullptr && server->pools().is_paused(name);
    const auto pool = server != nullptr ? server->pools().settings({"", name, ""}) : net::PoolSettings{};
    const bool is_pooled = pool.mode != session::PoolMode::none;
    table.rows.push_back({name, host, std::to_string(backend.port), name, backend.query_role.user,
                          is_pooled ? std::to_string(pool.size) : clients, "0",
                          is_pooled ? std::to_string(pool.reserve_size) : "0",
                          server != nullptr ? server->pools().mode_of("", name) : "none", clients,
                          std::to_string(connections), is_paused ? "1" : "0", is_open ? "0" : "1"});
  }
  const std::string console(session::kConsoleDatabase);
  table.rows.push_back({console, std::nullopt, std::to_string(now->config.listen.port), console, std::nullopt,
                        clients, "0", "0", "none", clients, "0", "0", "0"});
  return table;
}

Answer Commands::answer(const console::ShowUsers& command, const std::string&) {
  const net::Server* server = server_;
  Table table = empty_table(command);
  for (const auto& name : known_users(*serving_.present()))
    table.rows.push_back({name, server != nullptr ? server->pools().mode_of(name, "") : "none"});
  return table;
}

Answer Commands::answer(const console::ShowConfig& command, const std::string&) {
  const auto now = serving_.present();
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

Answer Commands::answer(const console::ShowLists& command, const std::string&) {
  const auto now = serving_.present();
  const auto live = sessions();
  std::set<std::pair<std::string, std::string>> pools;
  for (const auto& it : live) {
    if (it.state != SessionState::login) pools.emplace(it.database, it.role);
  }
  const auto logging_in = count_if(live, [](const auto& it) { return it.state == SessionState::login; });
  const auto servers = count_if(live, [](const auto& it) { return it.server != nullptr; });
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

Answer Commands::answer(const console::ShowMem& command, const std::string&) {
  const auto live = sessions();
  std::uint64_t pending = 0;
  for (const auto& it : live) pending += it.pending_bytes;
  Table table = empty_table(command);
  const auto add = [&](std::string_view name, std::uint64_t used, std::uint64_t bytes) {
    table.rows.push_back(
        {std::string(name), std::nullopt, std::to_string(used), std::nullopt, std::to_string(bytes)});
  };
  add("write_queues", live.size(), pending);
  add("verdict_cache", serving_.cache().entry_count(), serving_.cache().size_bytes());
  add("process", 1, resident_bytes());
  return table;
}

Answer Commands::answer(const console::KillClient& command, const std::string& role) {
  net::Server* server = server_;
  if (server == nullptr || !server->kill(command.id)) {
    return Error{ErrorKind::unknown_object, std::string(sqlstate::kInvalidParameterValue),
                 fmt::format("there is no client {}", command.id), "SHOW CLIENTS lists the ids"};
  }
  log::info("console", fmt::format("KILL_CLIENT {} by {}", command.id, role));
  return Table{{}, {}, "KILL_CLIENT", {}};
}

// The thread that started the server waits for signals and ends it.
Answer Commands::answer(const console::Shutdown& command, const std::string& role) {
  log::info("console", "SHUTDOWN by " + role);
  ending_ = command.ending;
  is_shutdown_asked_ = true;
  ::kill(::getpid(), SIGUSR1);
  return Table{{}, {}, "SHUTDOWN", {}};
}

// The role has just proved who it is to the console, so the link is for this role and no other.
Answer Commands::answer(const console::SignInLink& command, const std::string& role) {
  const auto now = serving_.present();
  const auto verifier = now->users.find(role);
  if (verifier == now->users.end()) {
    return Error{ErrorKind::authentication, std::string(sqlstate::kInsufficientPrivilege),
                 "this role has no account for the page", "pgveil user add makes one in auth.users_file"};
  }
  const auto link = sign_in_links_.make(role, session::to_string(verifier->second),
                                        hex_of(net::random_bytes(SignInLinks::kTokenBytes)),
                                        std::chrono::steady_clock::now());
  if (!link) return link.error();
  log::info("console", "SIGN IN LINK by " + role);
  return Table{console::columns_of(command),
               {{*link, fmt::format("{} minutes", SignInLinks::kLife.count())}},
               "SIGN IN LINK",
               {}};
}

}  // namespace pgveil::app
