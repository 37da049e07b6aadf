// pgveil serve: the daemon.
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>

#include "cli/audit/log.hpp"
#include "cli/console/commands.hpp"
#include "cli/console/metrics.hpp"
#include "cli/policies/versions.hpp"
#include "cli/subcommands.hpp"
#include "cli/watch.hpp"
#include "cli/web/api.hpp"
#include "cli/world.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "proxy/net/http_server.hpp"
#include "proxy/net/random.hpp"
#include "proxy/net/server.hpp"
#include "proxy/net/web.hpp"
#include "rewriter/pipeline.hpp"

namespace pgveil::cli {
namespace {

const int kWaitForClients = SIGRTMIN;

sigset_t waited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, kWaitForClients})
    sigaddset(&signals, signal);
  return signals;
}

void say_where_versions_are(const World& world) {
  const auto now = world.present();  // kept: a range-for would not keep what a temporary points to
  for (const auto& [database, view] : now->databases) {
    if (view.version_guard == rewriter::VersionGuard::present) continue;
    log::warning("database " + database, std::string(kVersionsInFiles));
  }
}

bool fits(const PoolRule& rule, const std::string& role, const std::string& database) {
  return (rule.database.empty() || rule.database == database) && (rule.role.empty() || rule.role == role);
}

net::PoolSettings pool_settings(const PoolConfig& pool, const std::string& role,
                                const std::string& database) {
  using std::chrono::milliseconds;
  net::PoolSettings settings{pool.mode,
                             pool.size,
                             pool.reserve_size,
                             milliseconds(pool.reserve_after_ms),
                             milliseconds(pool.wait_timeout_ms),
                             milliseconds(pool.server_lifetime_ms),
                             milliseconds(pool.server_idle_timeout_ms)};
  const auto rule =
      std::ranges::find_if(pool.rules, [&](const auto& it) { return fits(it, role, database); });
  if (rule == pool.rules.end()) return settings;
  settings.mode = rule->mode.value_or(settings.mode);
  settings.size = rule->size.value_or(settings.size);
  settings.reserve_size = rule->reserve_size.value_or(settings.reserve_size);
  return settings;
}

// Where everybody is let in nobody may come from elsewhere.
Result<net::InheritedSockets> inherited_sockets(const Config& config) {
  auto taken = net::take_inherited_sockets();
  if (!taken || !taken->tcp || config.auth.method != session::ClientAuthentication::trust ||
      is_loopback_address(taken->tcp_address))
    return taken;
  return Error{ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
               fmt::format("auth.method trust on a socket that was handed over, of {}", taken->tcp_address),
               "let the socket listen on 127.0.0.1, or use scram-sha-256"};
}

net::ServerConfig server_config(const Config& config, const World& world, net::AuditSink* audit) {
  net::ServerConfig server;
  server.audit = audit;
  server.tls = [&world] { return world.present()->tls; };
  server.listen_host = config.listen.host;
  server.listen_port = config.listen.port;
  server.socket_dir = config.listen.socket_dir;
  server.socket_mode = config.listen.socket_mode;
  server.threads = config.listen.threads;
  server.backend = {config.backend.host, config.backend.port};
  server.max_clients = config.limits.max_clients;
  server.max_role_clients = config.limits.max_role_clients;
  server.pools = [pool = config.pool](const std::string& role, const std::string& database) {
    return pool_settings(pool, role, database);
  };
  server.client_idle_timeout = std::chrono::milliseconds(config.limits.client_idle_timeout_ms);
  server.idle_in_transaction_timeout =
      std::chrono::milliseconds(config.limits.idle_in_transaction_timeout_ms);
  server.query_timeout = std::chrono::milliseconds(config.limits.query_timeout_ms);
  server.login_timeout = std::chrono::milliseconds(config.limits.login_timeout_ms);
  server.connect_timeout = std::chrono::milliseconds(config.backend.connect_timeout_ms);
  server.session.authentication = config.auth.method;
  server.session.backend = {config.backend.query_role.user, config.backend.query_role.password};
  server.session.mock_secret = net::random_nonce();
  server.session.limits.client_message_bytes = config.limits.client_message_bytes;
  server.session.limits.statements = config.limits.session_statements;
  server.session.limits.prepared_statements = config.pool.prepared_statements;
  return server;
}

void say_ready(const World& world, const std::string& host, std::uint16_t port) {
  const auto now = world.present();
  std::size_t ready = 0;
  for (const auto& spec : now->specs) {
    const auto state = state_of(*now, spec);
    if (state.version) {
      ++ready;
    } else {
      log::warning("policy " + spec->name, "closed: " + state.closed_because);
    }
  }
  log::info("serve",
            fmt::format("listening on {}:{}, policies ready {} of {}", host, port, ready, now->specs.size()));
}

// Who is masked and who is exempt, and how the server is reached, may be others now: no connection is lent on.
void reload(World& world, net::Server& server) {
  for (const auto& step : world.reload()) {
    if (!step.is_ok) log::error("reload", fmt::format("{}: {}", step.item, step.message));
  }
  server.pools().reconnect("");
  log::info("reload", "done");
}

// How to end: as the console's SHUTDOWN, which sends SIGUSR1, or by a signal of the operator's.
struct End {
  admin::Ending ending = admin::Ending::at_once;
  std::optional<std::chrono::milliseconds> limit = std::nullopt;  // nothing: none
};

End wait_for_the_end(World& world, net::Server& server, const Commands& commands, const sigset_t& signals) {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal == kWaitForClients) return {admin::Ending::when_clients_go};
    switch (signal) {
      case SIGHUP: reload(world, server); continue;
      case SIGTERM:
        return {admin::Ending::at_rest,
                std::chrono::milliseconds(world.present()->config.limits.drain_timeout_ms)};
      case SIGINT: return {admin::Ending::at_rest};
      case SIGUSR1:
        if (const auto asked = commands.asked_ending()) return {*asked};
        log::info("serve", "SIGUSR1: PAUSE");
        server.pools().pause("");
        continue;
      case SIGUSR2:
        log::info("serve", "SIGUSR2: RESUME");
        static_cast<void>(server.pools().resume(""));
        continue;
      default: return {};  // SIGQUIT
    }
  }
}

// Until all clients have gone, or a second signal to end, or SHUTDOWN without waiting.
void wait_for_clients(const net::Server& server, const Commands& commands, const sigset_t& signals) {
  const timespec moment{0, 100'000'000};
  while (server.client_count() > 0) {
    const int signal = sigtimedwait(&signals, nullptr, &moment);
    const bool waits_on = signal <= 0 || signal == SIGHUP || signal == SIGUSR2 ||
                          (signal == SIGUSR1 && commands.asked_ending() != admin::Ending::at_once);
    if (!waits_on) return;
  }
}

void end(net::Server& server, const End& how, const Commands& commands, const sigset_t& signals,
         db::Interrupt& interrupt) {
  log::info("serve", fmt::format("stopping, {} clients", server.client_count()));
  if (how.ending != admin::Ending::at_once && !how.limit) {
    server.stop_listening();
    if (how.ending == admin::Ending::at_rest) server.end_sessions_at_rest();
    wait_for_clients(server, commands, signals);
  }
  interrupt.end_all();  // builds, drift checks and the watch, which clients need until now
  server.stop(how.limit.value_or(std::chrono::milliseconds(0)));
}

Result<std::unique_ptr<net::Web>> start_web(const MetricsConfig& metrics, const World& world,
                                            const net::Server& server) {
  if (!metrics.port) return std::unique_ptr<net::Web>();
  auto web = net::Web::start(metrics.host, *metrics.port,
                             {[&world, &server] { return metrics_text(world, server); },
                              [&world, &server] { return why_not_ready(world, server); }});
  if (web) log::info("metrics", fmt::format("http://{}:{}/metrics", metrics.host, (*web)->port()));
  return web;
}

// Null: there is no page.
Result<std::unique_ptr<Desk>> open_desk(const Config& config, Commands& commands) {
  if (!config.page.port) return std::unique_ptr<Desk>();
  auto folder = ProcessFolder::make(config.state_dir + "/.page");
  if (!folder) return folder.error();
  std::optional<ProcessFolder> spark_folder;
  if (config.page.spark && !config.page.spark->folder.empty()) {
    auto shared = ProcessFolder::make(config.page.spark->folder);
    if (!shared) return shared.error();
    spark_folder.emplace(std::move(*shared));
  }
  return std::make_unique<Desk>(std::move(*folder), std::move(spark_folder), commands.jobs());
}

// EXPLAIN parses SQL on the page's threads.
Result<std::unique_ptr<net::HttpServer>> start_page(const PageConfig& page, const World& world, WebApi& api) {
  if (!page.port) return std::unique_ptr<net::HttpServer>();
  net::HttpConfig config{page.host, *page.port};
  const bool has_tls = !page.tls.certificate.empty();
  if (has_tls) config.tls = [&world] { return world.present()->page_tls; };
  config.thread_stack_bytes = rewriter::kParserStackBytes;
  auto server =
      net::HttpServer::start(config, [&api](const net::HttpRequest& request) { return api.answer(request); });
  if (server) {
    const bool is_v6 = page.host.find(':') != std::string::npos;
    log::info("page", fmt::format("{}://{}:{}/", has_tls ? "https" : "http",
                                  is_v6 ? "[" + page.host + "]" : page.host, (*server)->port()));
  }
  return server;
}

void note_process(AuditLog* audit, const ProcessEvent& event) {
  if (audit != nullptr) audit->note(event);
}

Result<void> serve(const std::string& path) {
  const sigset_t signals = waited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  auto config = read_config(path);
  if (!config) return config.error();
  log::configure(config->log);
  const auto audit = AuditLog::open(config->audit);
  if (!audit) return audit.error();
  auto world = World::open(*config);
  if (!world) return world.error();
  (*world)->attach_audit(audit->get());
  note_process(audit->get(), {"start", {{"pgveil", PGVEIL_VERSION}}});
  Commands commands(**world);
  auto inherited = inherited_sockets(*config);
  if (!inherited) return inherited.error();
  net::ServerConfig listener = server_config(*config, **world, audit->get());
  listener.inherited = std::move(*inherited);
  const bool is_handed_over = listener.inherited.has_any();
  auto server = net::Server::start(std::move(listener), **world, commands);
  if (!server) return server.error();
  commands.attach(**server);
  const auto web = start_web(config->metrics, **world, **server);
  if (!web) return web.error();
  const auto desk = open_desk(*config, commands);
  if (!desk) return desk.error();
  WebApi api(**world, commands, **server, audit->get(), desk->get());
  const auto page = start_page(config->page, **world, api);
  if (!page) return page.error();
  say_where_versions_are(**world);
  say_ready(**world, is_handed_over ? "a socket that was handed over" : config->listen.host,
            (*server)->port());
  {
    const Watch watch(**world);
    const End how = wait_for_the_end(**world, **server, commands, signals);
    end(**server, how, commands, signals, *config->interrupt);
  }
  note_process(audit->get(), {"stop", {}});
  log::flush_suppressed();
  log::info("serve", "stopped");
  return {};
}

}  // namespace

int run_serve(const std::string& config) {
  const auto served = serve(config);
  return served ? kSuccess : report(served.error());
}

}  // namespace pgveil::cli
