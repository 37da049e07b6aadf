// pgveil serve: the daemon.
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "cli/service_manager.hpp"
#include "cli/verbs.hpp"
#include "common/log.hpp"
#include "daemon/audit/log.hpp"
#include "daemon/console/commands.hpp"
#include "daemon/console/metrics.hpp"
#include "daemon/policies/versions.hpp"
#include "daemon/state/serving_state.hpp"
#include "daemon/state/watch.hpp"
#include "proxy/net/random.hpp"
#include "proxy/net/server.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "web/api/api.hpp"
#include "web/api/assets.hpp"
#include "web/api/page_place.hpp"
#include "web/http/http_server.hpp"
#include "web/http/monitoring.hpp"

namespace pgveil::app {
namespace {

const int kWaitForClients = SIGRTMIN;

sigset_t waited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, kWaitForClients})
    sigaddset(&signals, signal);
  return signals;
}

void say_where_versions_are(const ServingState& serving) {
  const auto now = serving.present();  // kept: a range-for does not keep what a temporary points to
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

net::ServerConfig server_config(const Config& config, const ServingState& serving, net::AuditSink* audit) {
  net::ServerConfig server;
  server.audit = audit;
  server.tls = [&serving] { return serving.present()->tls; };
  server.listen_host = config.listen.host;
  server.listen_port = config.listen.port;
  server.socket_dir = config.listen.socket_dir;
  server.socket_mode = config.listen.socket_mode;
  server.threads = config.listen.threads;
  server.backends = places_of(config.backend);
  server.wanted = config.backend.wanted;
  server.query_password = config.backend.query_role.command;
  // If everybody is let in, clients must not come from other machines.
  server.is_loopback_only = config.auth.method == session::ClientAuthentication::trust;
  server.clients = {config.limits.max_clients, config.limits.admin_clients, config.limits.max_role_clients,
                    config.limits.login_clients};
  server.is_admin = [&serving](const std::string& role) {
    return standing_of(serving.present()->config, role) == console::Standing::admin;
  };
  server.pools = [pool = config.pool](const std::string& role, const std::string& database) {
    return pool_settings(pool, role, database);
  };
  server.client_idle_timeout = std::chrono::milliseconds(config.limits.client_idle_timeout_ms);
  server.idle_in_transaction_timeout =
      std::chrono::milliseconds(config.limits.idle_in_transaction_timeout_ms);
  server.query_timeout = std::chrono::milliseconds(config.limits.query_timeout_ms);
  server.slow_query = std::chrono::milliseconds(config.metrics.slow_query_ms);
  server.login_timeout = std::chrono::milliseconds(config.limits.login_timeout_ms);
  server.connect_timeout = std::chrono::milliseconds(config.backend.connect_timeout_ms);
  server.session.authentication = config.auth.method;
  server.session.backend.user = config.backend.query_role.user;
  server.session.backend.password = config.backend.query_role.password;
  server.session.backend.newest_minor = config.backend.newest_minor;
  server.session.mock_secret = net::random_nonce();
  server.session.limits.client_message_bytes = config.limits.client_message_bytes;
  server.session.limits.statements = config.limits.session_statements;
  server.session.limits.statement_bytes = config.limits.session_statement_bytes;
  server.session.limits.prepared_statements = config.pool.prepared_statements;
  server.session.limits.kept_plan_bytes = config.pool.kept_plan_bytes;
  return server;
}

// The soft limit that shells set is below what the defaults may need: one descriptor per client, one per
// connection to PostgreSQL, and one per client that is logging in.
void raise_descriptor_limit(const LimitsConfig& limits) {
  constexpr std::size_t kOthers = 128 + net::kMostPutOut;  // files, timers, the page
  const rlim_t needed = 2 * (limits.max_clients + limits.admin_clients) + limits.login_clients + kOthers;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  if (files.rlim_cur < needed) {
    files.rlim_cur = std::min(needed, files.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &files) != 0) return;
  }
  if (files.rlim_cur >= needed) return;
  log::warning("serve",
               fmt::format("{} open files are allowed, and limits.max_clients and login_clients may need {}: "
                           "raise the limit (LimitNOFILE, ulimit -n), or lower these",
                           files.rlim_cur, needed));
}

void say_ready(const ServingState& serving, const std::string& host, std::uint16_t port) {
  const auto now = serving.present();
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

// Which roles are masked or exempt, and how the server is reached, may have changed, so no existing
// connection is lent again.
void reload(ServingState& serving, net::Server& server) {
  const auto steps = serving.reload();
  for (const auto& step : steps) {
    if (step.outcome != LoadStep::Outcome::ok)
      log::error("reload", fmt::format("{}: {}", step.item, step.message));
  }
  if (!is_applied(steps)) return log::error("reload", "failed, and nothing was changed");
  server.pools().reconnect("");
  log::info("reload", "done");
}

// On a thread of its own, because a server that hangs holds up a reload, and the signal that ends pgveil must
// be heard nevertheless.
class Reloads {
 public:
  Reloads(ServingState& serving, net::Server& server)
      : thread_([this, &serving, &server](const std::stop_token& stop) { run(serving, server, stop); }) {}

  // Several that are asked for while one runs are one.
  void ask() {
    {
      const std::lock_guard lock(mutex_);
      is_asked_ = true;
    }
    wake_.notify_one();
  }

 private:
  void run(ServingState& serving, net::Server& server, const std::stop_token& stop) {
    while (true) {
      {
        std::unique_lock lock(mutex_);
        if (!wake_.wait(lock, stop, [this] { return is_asked_; })) return;
        is_asked_ = false;
      }
      reload(serving, server);
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool is_asked_ = false;
  std::jthread thread_;  // the last member, because it uses the others
};

// How to end: from the console's SHUTDOWN, which sends SIGUSR1, or from a signal of the operator's.
struct End {
  console::Ending ending = console::Ending::at_once;
  std::optional<std::chrono::milliseconds> limit = std::nullopt;  // nullopt: no limit
};

End wait_for_the_end(ServingState& serving, net::Server& server, Reloads& reloads, const Commands& commands,
                     const sigset_t& signals) {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal == kWaitForClients) return {console::Ending::when_clients_go};
    switch (signal) {
      case SIGHUP: reloads.ask(); continue;
      case SIGTERM:
        return {console::Ending::at_rest,
                std::chrono::milliseconds(serving.present()->config.limits.drain_timeout_ms)};
      case SIGINT: return {console::Ending::at_rest};
      case SIGUSR1:
        if (const auto asked = commands.asked_ending()) return {*asked};
        server.pools().pause("");
        log::info("serve", "SIGUSR1: PAUSE");
        continue;
      case SIGUSR2:
        static_cast<void>(server.pools().resume(""));
        log::info("serve", "SIGUSR2: RESUME");
        continue;
      default: return {};  // SIGQUIT
    }
  }
}

// Waits until all clients have gone, a second signal asks to end, or a SHUTDOWN asks not to wait. That may be
// days, so rights that are taken away in the meantime must count here, too.
void wait_for_clients(net::Server& server, Reloads& reloads, const Commands& commands,
                      const sigset_t& signals) {
  const timespec moment{0, 100'000'000};
  while (server.client_count() > 0) {
    const int signal = sigtimedwait(&signals, nullptr, &moment);
    if (signal == SIGHUP) reloads.ask();
    if (signal == SIGUSR2) static_cast<void>(server.pools().resume(""));
    const bool waits_on = signal <= 0 || signal == SIGHUP || signal == SIGUSR2 ||
                          (signal == SIGUSR1 && commands.asked_ending() != console::Ending::at_once);
    if (!waits_on) return;
  }
}

void end(net::Server& server, const End& how, Reloads& reloads, const Commands& commands,
         const sigset_t& signals, db::Interrupt& interrupt) {
  log::info("serve", fmt::format("stopping, {} clients", server.client_count()));
  if (how.ending != console::Ending::at_once && !how.limit) {
    server.stop_listening();
    if (how.ending == console::Ending::at_rest) server.end_sessions_at_rest();
    wait_for_clients(server, reloads, commands, signals);
  }
  interrupt.end_all();  // ends builds, drift checks and the watch, which clients needed until now
  server.stop(how.limit.value_or(std::chrono::milliseconds(0)));
}

Result<std::unique_ptr<net::HttpServer>> start_monitoring(const MetricsConfig& metrics,
                                                          const ServingState& serving,
                                                          const net::Server& server, bool waits_for_port) {
  if (!metrics.port) return std::unique_ptr<net::HttpServer>();
  net::HttpConfig config{.section = "metrics", .host = metrics.host, .port = *metrics.port, .threads = 1};
  config.waits_for_port = waits_for_port;
  auto pages = net::HttpServer::start(
      config, net::monitoring_handler({[&serving, &server] { return metrics_text(serving, server); },
                                       [&serving, &server] { return why_not_ready(serving, server); }},
                                      metrics.names));
  if (pages) log::info("metrics", fmt::format("http://{}:{}/metrics", metrics.host, (*pages)->port()));
  return pages;
}

// Null: the page is not configured.
Result<std::unique_ptr<PageJobs>> open_page_jobs(const Config& config, Commands& commands) {
  if (!config.page.port) return std::unique_ptr<PageJobs>();
  auto folder = ProcessFolder::make(config.state_dir + "/.page");
  if (!folder) return folder.error();
  return std::make_unique<PageJobs>(std::move(*folder), commands.jobs());
}

// A build without the page has no address to open, and no links that lead to it.
void say_where_the_page_is(const PageConfig& page, std::uint16_t port, SignInLinks& links) {
  const auto place = page_place(page, port, web_assets().empty() ? Build::without_page : Build::with_page);
  if (place.address.empty()) {
    log::warning("page", place.log_line);
    return;
  }
  links.open(place.address);
  log::info("page", place.log_line);
}

// The page's threads need a deep stack, because EXPLAIN parses SQL on them.
Result<std::unique_ptr<net::HttpServer>> start_page(const PageConfig& page, const ServingState& serving,
                                                    WebApi& api, SignInLinks& links, bool waits_for_port) {
  if (!page.port) return std::unique_ptr<net::HttpServer>();
  net::HttpConfig config{.section = "admin.http", .host = page.host, .port = *page.port};
  if (!page.tls.certificate.empty()) config.tls = [&serving] { return serving.present()->page_tls; };
  config.waits_for_port = waits_for_port;
  config.thread_stack_bytes = rewriter::kParserStackBytes;
  auto server =
      net::HttpServer::start(config, [&api](const net::HttpRequest& request) { return api.answer(request); });
  if (server) say_where_the_page_is(page, (*server)->port(), links);
  return server;
}

void note_process(AuditLog* audit, const ProcessEvent& event) {
  if (audit != nullptr) audit->note(event);
}

Result<void> serve(const std::string& path) {
  const sigset_t signals = waited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow becomes an error of the write
  auto config = read_config(path);
  if (!config) return config.error();
  log::configure(config->log);
  raise_descriptor_limit(config->limits);
  const auto audit = AuditLog::open(config->audit);
  if (!audit) return audit.error();
  auto serving = ServingState::open(*config, audit->get());
  if (!serving) return serving.error();
  note_process(audit->get(), {"start", {{"pgveil", PGVEIL_VERSION}}});
  Commands commands(**serving);
  auto inherited = net::take_inherited_sockets();
  if (!inherited) return inherited.error();
  net::ServerConfig listener = server_config(*config, **serving, audit->get());
  listener.inherited = std::move(*inherited);
  const bool is_handed_over = listener.inherited.has_any();
  auto server = net::Server::start(std::move(listener), **serving, commands);
  if (!server) return server.error();
  commands.attach(**server);
  auto monitoring = start_monitoring(config->metrics, **serving, **server, is_handed_over);
  if (!monitoring) return monitoring.error();
  const auto page_jobs = open_page_jobs(*config, commands);
  if (!page_jobs) return page_jobs.error();
  WebApi api(**serving, commands, **server, audit->get(), commands.sign_in_links(), page_jobs->get());
  auto page = start_page(config->page, **serving, api, commands.sign_in_links(), is_handed_over);
  if (!page) return page.error();
  say_where_versions_are(**serving);
  say_ready(**serving, is_handed_over ? "a socket that was handed over" : config->listen.host,
            (*server)->port());
  tell_service_manager("READY=1\nSTATUS=serving");
  {
    const Watch watch(**serving);
    Reloads reloads(**serving, **server);
    const End how = wait_for_the_end(**serving, **server, reloads, commands, signals);
    if (how.ending == console::Ending::when_clients_go) {
      tell_service_manager("STATUS=waiting until the clients have disconnected");
      (*server)->stop_listening();
      // The process that takes over waits for these ports.
      if (is_handed_over) {
        commands.sign_in_links().close();
        page->reset();
        monitoring->reset();
      }
    }
    end(**server, how, reloads, commands, signals, *config->interrupt);
  }
  note_process(audit->get(), {"stop", {}});
  log::flush_suppressed();
  log::info("serve", "stopped");
  return {};
}

int run_serve(const std::string& config) {
  const auto served = serve(config);
  return served ? kSuccess : report(served.error());
}

}  // namespace

Verb add_serve(CLI::App& parent, std::string& config) {
  const auto* verb =
      add_configured(parent, "serve", "run the proxy until SIGTERM; SIGHUP reads the configuration again",
                     "  pgveil serve -c config/pgveil.yaml", config);
  return {verb, [&config] { return run_serve(config); }};
}

}  // namespace pgveil::app
