// What a session holds back, and for how long.
#include <doctest/doctest.h>

#include "common/assert.hpp"
#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

SessionConfig small_config() {
  SessionConfig config = Script::default_config();
  config.limits.held_bytes = 1000;
  config.limits.client_message_bytes = 200'000;
  return config;
}

struct LoggedIn {
  explicit LoggedIn(SessionConfig config = Script::default_config()) : session(std::move(config), gate) {
    std::string startup;
    wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
    static_cast<void>(session.step(ClientBytes{startup}));
    static_cast<void>(session.step(BackendConnected{}));
    const std::string welcome = frames(wire::AuthenticationOk{}) + ready('I');
    static_cast<void>(session.step(BackendBytes{welcome}));
  }
  FakeGate gate;
  Session session;
};

}  // namespace

TEST_CASE("messages held back have a limit") {
  Script::logged_in(small_config())
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .client(query(std::string(994, 'x')), {})
      .client("Q", {.to_client = "E(FATAL 54000 too many messages sent ahead of their answers)",
                    .to_backend = "X",
                    .commands = "ForwardCancel(41 42) CloseBackend CloseClient"})
      .check();
}

TEST_CASE("a client's bytes are wanted until too many of them wait") {
  LoggedIn client;
  CHECK(client.session.wants_client_bytes());
  const std::string first = query("SELECT 1");
  static_cast<void>(client.session.step(ClientBytes{first}));
  CHECK(client.session.wants_client_bytes());
  const std::string next = query("SELECT '" + std::string(70'000, 'x') + "'");
  static_cast<void>(client.session.step(ClientBytes{next}));
  CHECK_FALSE(client.session.wants_client_bytes());
  const std::string done = complete("SELECT 1") + ready('I');
  CHECK(client.session.step(BackendBytes{done}).to_backend.size() > 70'000);
  CHECK(client.session.wants_client_bytes());
}

TEST_CASE("a message of the server above its limit ends the session") {
  SessionConfig config = Script::default_config();
  config.limits.backend_message_bytes = 20;
  Script::logged_in(config)
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .backend(std::string("D\0\0\0\x19", 5),
               {.to_client = "E(FATAL 08P01 the database server broke the protocol)",
                .to_backend = "X",
                .commands = "ForwardCancel(41 42) CloseBackend CloseClient"})
      .check();
}

TEST_CASE("answers to commands that were not given are bugs of the driver, and close the session") {
  for (const Event& event :
       {Event(BackendConnected{}), Event(BackendFailed{"x"}), Event(ConsoleAnswered{console::Table{}})}) {
    LoggedIn client;
    CHECK_THROWS_AS(static_cast<void>(client.session.step(event)), Bug);
    CHECK(client.session.is_closed());
    const std::string more = query("SELECT 1");
    const Actions after = client.session.step(ClientBytes{more});
    CHECK(after.to_client.empty());
    CHECK(after.to_backend.empty());
    CHECK(after.commands.empty());
  }
  FakeGate gate;
  Session fresh(Script::default_config(), gate);
  CHECK_THROWS_AS(static_cast<void>(fresh.step(BackendBytes{"Z"})), Bug);
}
