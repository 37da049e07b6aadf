// How often a session asks its gate. What is served can change between two questions, so a statement that
// asked twice could be judged under one state and let through under another.
#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

// A session of ann that is logged in, and the gate that it asks.
class AskingClient {
 public:
  AskingClient() : session_(Script::default_config(), gate_) {
    std::string startup;
    wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
    static_cast<void>(session_.step(ClientBytes{startup}));
    static_cast<void>(session_.step(BackendConnected{}));
    from_backend(frames(wire::AuthenticationOk{}) + ready('I'));
    gate_.questions = gate_.judgements = 0;
  }
  // How many questions these bytes of the client make the session ask.
  int asks(const std::string& bytes) {
    const int before = gate_.questions;
    sent_ = session_.step(ClientBytes{bytes}).to_backend;
    return gate_.questions - before;
  }
  void from_backend(const std::string& bytes) { static_cast<void>(session_.step(BackendBytes{bytes})); }
  void publish() { ++gate_.generation; }
  [[nodiscard]] int judgements() const { return gate_.judgements; }
  [[nodiscard]] bool is_sent() const { return !sent_.empty(); }

 private:
  FakeGate gate_;
  Session session_;
  std::string sent_;
};

}  // namespace

TEST_CASE("a simple query asks once, whether it has one statement or three") {
  AskingClient client;
  CHECK(client.asks(query("SELECT people")) == 1);
  CHECK(client.is_sent());
  client.from_backend(complete("SELECT 1") + ready('I'));
  CHECK(client.asks(query("SELECT people;SELECT x;SELECT people")) == 1);
  CHECK(client.is_sent());
}

TEST_CASE("a refused query asks once") {
  AskingClient client;
  CHECK(client.asks(query("refuse it")) == 1);
}

TEST_CASE(
    "a prepared statement is judged when it is made, and while nothing changes no use judges it again") {
  AskingClient client;
  CHECK(client.asks(parse("a", "SELECT people")) == 1);
  CHECK(client.judgements() == 1);
  static_cast<void>(client.asks(bind_message("", "a") + bind_message("p", "a") + execute("p")));
  CHECK(client.judgements() == 1);
  client.publish();
  static_cast<void>(client.asks(bind_message("q", "a")));
  CHECK(client.judgements() == 2);
}
