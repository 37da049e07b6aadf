// pgveil serve: the daemon.
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "cli/console_commands.hpp"
#include "cli/subcommands.hpp"
#include "cli/versions.hpp"
#include "cli/watch.hpp"
#include "cli/world.hpp"
#include "common/log.hpp"
#include "proxy/net/random.hpp"
#include "proxy/net/server.hpp"

namespace pgveil::cli {
namespace {

sigset_t waited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

void say_where_versions_are(const World& world) {
  const auto now = world.present();  // kept: a range-for would not keep what a temporary points to
  for (const auto& [database, view] : now->databases) {
    if (view.version_guard == rewriter::VersionGuard::present) continue;
    log::warning("database " + database, std::string(kVersionsInFiles));
  }
}

net::ServerConfig server_config(const Config& config, const World& world) {
  net::ServerConfig server;
  server.tls = [&world] { return world.present()->tls; };
  server.listen_host = config.listen.host;
  server.listen_port = config.listen.port;
  server.threads = config.listen.threads;
  server.backend = {config.backend.host, config.backend.port};
  server.max_clients = config.limits.max_clients;
  server.login_timeout = std::chrono::milliseconds(config.limits.login_timeout_ms);
  server.connect_timeout = std::chrono::milliseconds(config.backend.connect_timeout_ms);
  server.session.authentication = config.auth.method;
  server.session.backend = {config.backend.query_role.user, config.backend.query_role.password};
  server.session.mock_secret = net::random_nonce();
  server.session.limits.client_message_bytes = config.limits.client_message_bytes;
  server.session.limits.statements = config.limits.session_statements;
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

void reload(World& world) {
  for (const auto& step : world.reload()) {
    if (!step.is_ok) log::error("reload", fmt::format("{}: {}", step.item, step.message));
  }
  log::info("reload", "done");
}

void wait_for_the_end(World& world, const sigset_t& signals) {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal != SIGHUP) return;
    reload(world);
  }
}

Result<void> serve(const std::string& path) {
  const sigset_t signals = waited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  auto config = read_config(path);
  if (!config) return config.error();
  log::configure(config->log);
  auto world = World::open(*config);
  if (!world) return world.error();
  Commands commands(**world);
  auto server = net::Server::start(server_config(*config, **world), **world, commands);
  if (!server) return server.error();
  say_where_versions_are(**world);
  say_ready(**world, config->listen.host, (*server)->port());
  {
    const Watch watch(**world);
    wait_for_the_end(**world, signals);
    log::info("serve", fmt::format("stopping, {} clients", (*server)->client_count()));
    config->interrupt->end_all();  // builds and drift checks; clients' queries are the server's to drain
    (*server)->stop(std::chrono::milliseconds(config->limits.drain_timeout_ms));
  }
  log::info("serve", "stopped");
  return {};
}

}  // namespace

int run_serve(const std::string& config) {
  const auto served = serve(config);
  return served ? kSuccess : report(served.error());
}

}  // namespace pgveil::cli
