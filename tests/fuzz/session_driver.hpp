#pragma once
// Drives a session for the fuzz target: gives it only the events that a driver could give now, and aborts
// when it sends the server anything it may not.
#include <cstdlib>
#include <optional>
#include <string>

#include "proxy/session/session.hpp"
#include "tests/unit/session/backend_audit.hpp"
#include "tests/unit/session/fake_gate.hpp"

namespace pgveil::fuzz {

class SessionDriver {
 public:
  SessionDriver() : session_(config(), gate_), audit_(gate_.made) {}

  void step(const session::Event& event) {
    const session::Actions actions = session_.step(event);
    if (!audit_.accepts(actions.to_backend)) std::abort();
    for (const session::Command& command : actions.commands) {
      if (std::holds_alternative<session::ConnectBackend>(command)) backend_ = Backend::connecting;
      if (std::holds_alternative<session::CloseBackend>(command)) backend_ = Backend::none;
      if (const auto* run = std::get_if<session::RunConsole>(&command)) asked_ = run->request.text;
    }
  }

  void connected() {
    if (backend_ != Backend::connecting) return;
    backend_ = Backend::open;
    step(session::BackendConnected{});
  }
  void not_connected() {
    if (backend_ != Backend::connecting) return;
    backend_ = Backend::none;
    step(session::BackendFailed{"refused"});
  }
  void from_backend(std::string_view bytes) {
    if (backend_ == Backend::open) step(session::BackendBytes{bytes});
  }
  void backend_leaves() {
    if (backend_ != Backend::open) return;
    backend_ = Backend::none;
    step(session::BackendClosed{});
  }
  void policy_changes() {
    ++gate_.version;
    ++gate_.generation;
    step(session::ServingLooked{true});  // means something only to who waits for it
  }
  void console_answers() {
    if (!asked_) return;
    const auto command = console::parse_command(*asked_);
    if (!command) std::abort();  // the session asked for what does not parse
    asked_.reset();
    console::Table table{
        .columns = console::columns_of(*command), .rows = {}, .tag = "OK", .notices = {"note"}};
    table.rows.assign(2, std::vector<std::optional<std::string>>(table.columns.size(), "x"));
    step(session::ConsoleAnswered{std::move(table)});
  }
  [[nodiscard]] bool is_closed() const { return session_.is_closed(); }

 private:
  enum class Backend { none, connecting, open };

  static session::SessionConfig config() {
    session::SessionConfig config;
    config.authentication = session::ClientAuthentication::trust;
    config.backend.user = "query_role";
    config.limits.client_message_bytes = 10'000;
    config.limits.held_bytes = 10'000;
    config.limits.statements = 4;
    config.make_secret = [](std::size_t bytes) { return std::string(bytes, 's'); };
    config.make_nonce = [] { return std::string("nonceofeighteenbytes1234"); };
    return config;
  }

  session::testing::FakeGate gate_;
  session::Session session_;
  session::testing::BackendAudit audit_;
  Backend backend_ = Backend::none;
  std::optional<std::string> asked_;
};

}  // namespace pgveil::fuzz
