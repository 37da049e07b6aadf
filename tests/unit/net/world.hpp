#pragma once
// A server under test with a gate and a console that the test scripts.
#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "common/assert.hpp"
#include "proxy/net/server.hpp"
#include "unit/net/peer.hpp"

namespace pgveil::net_test {

// Lets everybody in, and every statement through as it is. "bug" meets a bug.
class OpenGate : public session::Gate {
 public:
  session::Judgement judge(std::string_view sql, const rewriter::Client&, std::string_view) override {
    PGVEIL_ASSERT(sql != "bug");
    rewriter::Statement statement;
    statement.sql = sql;
    return {std::make_shared<const rewriter::Verdict>(rewriter::Rewritten{{statement}, {}, 1}), {1, true}};
  }
  bool is_current(std::span<const rewriter::VersionId>, std::string_view) const override { return true; }
  session::Serving serving(std::string_view) const override { return {1, true}; }
  void note_stale_versions(std::string_view) override {}
  session::AuditedText audited_text(std::string_view text, TextOf) const override {
    return std::make_shared<const std::string>(text);
  }
  std::optional<session::LookUp> account(std::string_view, std::string_view) const override {
    return account_of;
  }
  session::LookUp look_up(std::string_view role) override { return look_up_script(role); }
  Result<session::LoginDemand> may_log_in(std::string_view, std::string_view,
                                          const session::ClientOrigin&) const override {
    return session::LoginDemand::password;
  }
  std::optional<session::Credentials> bypass_login(const session::Identity&) const override {
    return std::nullopt;
  }
  Result<void> may_connect(const session::Identity&, std::string_view) const override { return {}; }
  std::uint64_t access_generation() const override { return reloads.load(); }
  Result<void> may_stay(const session::Admitted&) const override {
    if (!is_put_out) return {};
    return Error{.kind = ErrorKind::authentication, .sqlstate = "28000", .public_message = "not any more"};
  }
  rewriter::SchemaNames schemas(std::string_view) const override { return {"public"}; }

  std::atomic<std::uint64_t> reloads{0};
  std::atomic<bool> is_put_out{false};  // nobody may stay

  std::optional<session::LookUp> account_of = session::LookUp{};  // nobody's; nullopt: look_up is asked
  std::function<session::LookUp(std::string_view)> look_up_script = [](std::string_view) -> session::LookUp {
    throw std::runtime_error("no script");
  };
};

class ScriptedConsole : public console::Console {
 public:
  console::Answer run(const console::Request& request) override { return script(request); }
  std::function<console::Answer(const console::Request&)> script =
      [](const console::Request&) -> console::Answer { throw std::runtime_error("no script"); };
};

inline net::ServerConfig config_for(std::uint16_t backend_port) {
  net::ServerConfig config;
  config.listen_port = 0;
  config.backends = {{"127.0.0.1", backend_port}};
  config.session.authentication = session::ClientAuthentication::trust;
  config.session.backend = {"query_role", ""};
  config.session.mock_secret = "secret";
  config.close_timeout = std::chrono::milliseconds(1'000);
  return config;
}

// A server, and what it needs to outlive it.
class World {
 public:
  explicit World(net::ServerConfig config) {
    auto started = net::Server::start(std::move(config), gate, console);
    if (started.has_error()) throw std::runtime_error(one_line(started.error()));
    server = std::move(*started);
  }
  [[nodiscard]] std::uint16_t port() const { return server->port(); }

  // Until all sessions have ended; throws when they do not.
  void wait_until_idle() const {
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    while (server->client_count() > 0) {
      if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error("a session did not end");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  OpenGate gate;
  ScriptedConsole console;
  std::unique_ptr<net::Server> server;
};

}  // namespace pgveil::net_test
