// Random conversations with a server that keeps PostgreSQL's rules: whatever order names are made, run and
// dropped in, by SQL or by message, in pipelines, in transactions, with errors in between, a client never
// sees what only protected statements say, nothing runs under an earlier version, no plan stays on the server
// beyond the limit, and the session neither hangs nor ends.
#include <doctest/doctest.h>

#include "tests/unit/session/model_server.hpp"
#include "tests/unit/session/render.hpp"
#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

constexpr const char* kTexts[] = {
    "SELECT 1",
    "SELECT people",
    "SELECT people",
    "SELECT people LONG",
    "SELECT people LONG",
    "PREPARE a AS people",
    "PREPARE a AS x",
    "PREPARE b AS people",
    "PREPARE b AS x",
    "EXECUTE a",
    "EXECUTE b",
    "DEALLOCATE a",
    "DEALLOCATE b",
    "DEALLOCATE ALL",
    "DECLARE a HOLD people",
    "DECLARE b HOLD x",
    "DECLARE a people",
    "DECLARE b x",
    "FETCH a",
    "FETCH b",
    "CLOSE a",
    "CLOSE ALL",
    "BEGIN",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "DISCARD ALL",
    "refuse",
    "syntax",
    "",
};

class Talk {
 public:
  explicit Talk(unsigned seed) : random_(seed), session_(config(), gate_), server_(gate_, random_) {
    std::string startup;
    wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
    static_cast<void>(session_.step(ClientBytes{startup}));
    static_cast<void>(session_.step(BackendConnected{}));
    const std::string welcome = frames(wire::AuthenticationOk{}) + ready('I');
    static_cast<void>(session_.step(BackendBytes{welcome}));
  }

  void random_step() {
    const auto kind = random_() % 20;
    if (kind == 0) {
      ++gate_.version;
      ++gate_.generation;
    } else if (kind < 12 && !from_server_.empty()) {
      deliver(1 + random_() % from_server_.size());
    } else {
      const std::string bytes = message();
      take(session_.step(ClientBytes{bytes}));
    }
  }

  // Ends whatever is open; true when the client has got its ReadyForQuery and the session is there.
  [[nodiscard]] bool settles() {
    const std::string bytes = sync_message() + query("ROLLBACK");
    take(session_.step(ClientBytes{bytes}));
    while (!from_server_.empty()) deliver(from_server_.size());
    return !session_.is_closed() && seen_.ends_with(ready('I'));
  }

  [[nodiscard]] const std::string& seen() const { return seen_; }
  [[nodiscard]] const ModelServer& server() const { return server_; }

 private:
  // There is room for one plan, so that each takes the place of another.
  static SessionConfig config() {
    SessionConfig config = Script::default_config();
    config.limits.prepared_statements = 1;
    return config;
  }

  std::string name() {
    constexpr const char* kNames[] = {"", "a", "b"};
    return kNames[random_() % 3];
  }
  std::string text() { return kTexts[random_() % std::size(kTexts)]; }

  std::string message() {
    switch (random_() % 13) {
      case 0:
      case 1: return query(text());
      case 2: return query(text() + ";" + text() + ";" + text());
      case 3:
      case 4: return parse(name(), text());
      case 5: return bind_message(name(), name());
      case 6: return describe_portal(name()) + execute(name());
      case 7: return execute(name());
      case 8: return random_() % 2 == 0 ? describe_statement(name()) : describe_portal(name());
      case 9: return random_() % 2 == 0 ? close_statement(name()) : flush_message();
      case 10: {
        const std::string statement = name();
        return parse(statement, text()) + bind_message("", statement) + describe_portal("") + execute("");
      }
      case 11: {  // the second Parse of a text keeps its plan, which takes the place of the other one
        const std::string one = parse("", "SELECT people LONG");
        const std::string other = parse("", "SELECT LONG");
        return one + one + other + other;
      }
      default: return sync_message();
    }
  }

  void take(const Actions& actions) {
    seen_ += actions.to_client;
    from_server_ += server_.receive(actions.to_backend);
  }
  void deliver(std::size_t size) {
    const std::string bytes = from_server_.substr(0, size);
    from_server_.erase(0, size);
    take(session_.step(BackendBytes{bytes}));
  }

  std::mt19937 random_;
  FakeGate gate_;
  Session session_;
  ModelServer server_;
  std::string from_server_;
  std::string seen_;
};

}  // namespace

TEST_CASE("no order of names and errors makes a protected statement pass for an open one") {
  std::size_t protected_runs = 0;
  std::size_t stale_plans = 0;
  for (unsigned seed = 0; seed < 8000; ++seed) {
    CAPTURE(seed);
    Talk conversation(seed);
    for (int i = 0; i < 60; ++i) conversation.random_step();
    const bool has_settled = conversation.settles();
    const std::string seen = render_to_client(conversation.seen());
    CAPTURE(seen);
    REQUIRE(has_settled);
    REQUIRE(seen.find(ModelServer::kSecretMessage) == std::string::npos);
    REQUIRE(seen.find(std::string(ModelServer::kSecretColumn) + ":7") == std::string::npos);
    REQUIRE_FALSE(conversation.server().has_run_a_stale_version());
    REQUIRE(conversation.server().own_statements() <= 1);
    protected_runs += conversation.server().protected_runs();
    stale_plans += conversation.server().stale_plans();
  }
  CHECK(stale_plans > 100);
  CHECK(protected_runs > 1000);  // the property is about something
}
