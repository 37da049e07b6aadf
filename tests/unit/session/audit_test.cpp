// What a session puts on record, and that it ends when nothing can be.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/unit/session/fake_gate.hpp"
#include "tests/unit/session/frames.hpp"
#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

std::string text_of(const AuditedText& text) {
  return text ? " " + *text : "";
}

struct Words {
  std::string operator()(const AuditedLogin& login) const {
    constexpr const char* kMethods[] = {"login trust ", "login scram ", "login cert ", "login vouched "};
    return kMethods[static_cast<int>(login.method)] + (login.is_bypass ? std::string("bypass ") : "") +
           (login.sqlstate.empty() ? "in" : login.sqlstate);
  }
  std::string operator()(const AuditedLogout&) const { return "logout"; }
  std::string operator()(const AuditedStatement& statement) const {
    constexpr const char* kVerdicts[] = {"open", "masked", "exempt", "bypass", "refused", "error"};
    std::string out = kVerdicts[static_cast<int>(statement.verdict)];
    if (!statement.sqlstate.empty()) out += " " + statement.sqlstate;
    if (!statement.reason.empty()) out += " (" + statement.reason + ")";
    for (const auto& version : statement.versions)
      out += fmt::format(" {}:{}", version.policy, version.number);
    return out + text_of(statement.text);
  }
  std::string operator()(const AuditedAnswer& answer) const {
    return fmt::format("answer {}{}", answer.rows, answer.sqlstate.empty() ? "" : " " + answer.sqlstate);
  }
  std::string operator()(const AuditedCommand& command) const { return "command" + text_of(command.text); }
  std::string operator()(const AuditedCommandEnd& end) const {
    return "end " + (end.sqlstate.empty() ? "done" : end.sqlstate);
  }
};

// An audited session, and its events as "request what" since it was last asked.
class Audited {
 public:
  explicit Audited(SessionConfig config = Script::default_config())
      : session_(with_audit(std::move(config)), gate) {}

  void log_in() {
    say(startup("ann", "demo"));
    step(BackendConnected{});
    answer(frames(wire::AuthenticationOk{}, wire::BackendKeyData{.pid = 41, .secret = secret(42)}) +
           ready('I'));
    CHECK(events() == "0 login trust in");
  }
  static std::string startup(const std::string& user, const std::string& database) {
    std::string bytes;
    wire::encode(wire::StartupMessage{.parameters = {{"user", user}, {"database", database}}}, bytes);
    return bytes;
  }

  Actions say(const std::string& bytes) { return step(ClientBytes{bytes}); }
  Actions answer(const std::string& bytes) { return step(BackendBytes{bytes}); }
  Actions step(const Event& event) {
    Actions actions = session_.step(event);
    for (const AuditEvent& happened : actions.audit) {
      CHECK((happened.role == "ann" || happened.role == "stranger"));
      events_ += fmt::format("{}{} {}", events_.empty() ? "" : "; ", happened.request,
                             std::visit(Words(), happened.thing));
    }
    return actions;
  }
  std::string events() { return std::exchange(events_, {}); }
  [[nodiscard]] bool is_closed() const { return session_.is_closed(); }

  FakeGate gate;

 private:
  static SessionConfig with_audit(SessionConfig config) {
    config.is_audited = true;
    return config;
  }
  Session session_;
  std::string events_;
};

const std::string kParsed = frames(wire::ParseComplete{});
const std::string kBound = frames(wire::BindComplete{});

}  // namespace

TEST_CASE("a query is on record before it is sent, and how it ended") {
  Audited audited;
  audited.log_in();
  const Actions sent = audited.say(query("SELECT people"));
  CHECK(sent.audit.size() == 1);
  CHECK_FALSE(sent.to_backend.empty());
  CHECK(audited.events() == "1 masked p:1 s[SELECT people]");
  audited.answer(row_description("a") + row("x") + complete("SELECT 12"));
  CHECK(audited.events().empty());
  audited.answer(ready('I'));
  CHECK(audited.events() == "1 answer 12");
  audited.say(query("SELECT 1;SELECT 2"));
  audited.answer(row_description("a") + row("x") + complete("SELECT 1") + row_description("a") +
                 server_error("22012", "division by zero") + ready('I'));
  CHECK(audited.events() == "2 open s[SELECT 1;SELECT 2]; 2 answer 1 22012");
  audited.say(frames(wire::Terminate{}));
  CHECK(audited.events() == "0 logout");
}

TEST_CASE("what is refused is on record, with its reason and the text of what was not let through") {
  Audited audited;
  audited.log_in();
  audited.say(query("refuse x"));
  CHECK(audited.events() == "1 refused 42501 (clause) r[refuse x]");
  audited.say(query("syntax x"));
  CHECK(audited.events() == "2 error 42601 r[syntax x]");
  audited.say(parse("", "refuse y") + bind_message("", "") + execute("") + sync_message());
  CHECK(audited.events() == "3 refused 42501 (clause) r[refuse y]");
  audited.say(frames(wire::FunctionCall{}));
  CHECK(audited.events() == "6 refused 42501");
  audited.say(bind_message("", "gone") + sync_message());
  CHECK(audited.events().empty());  // a name that only the server can know
}

TEST_CASE("each Execute is a statement, with the text that its Parse had") {
  Audited audited;
  audited.log_in();
  audited.say(parse("s", "SELECT people") + sync_message());
  audited.answer(kParsed + ready('I'));
  CHECK(audited.events().empty());
  for (int i = 0; i < 2; ++i) {
    audited.say(bind_message("", "s") + execute("") + sync_message());
    CHECK(audited.events() == fmt::format("{} masked p:1 s[SELECT people]", 3 + 2 * i));
    audited.answer(kBound + row("x") + complete("SELECT 1") + ready('I'));
    CHECK(audited.events() == fmt::format("{} answer 1", 3 + 2 * i));
  }
  SUBCASE("what a batch never came to is told so") {
    audited.say(bind_message("", "s") + execute("") + bind_message("", "s") + execute("") + sync_message());
    CHECK(audited.events() == "7 masked p:1 s[SELECT people]; 9 masked p:1 s[SELECT people]");
    audited.answer(kBound + server_error("22012", "division by zero") + ready('I'));
    CHECK(audited.events() == "7 answer 0 22012; 9 answer 0 22012");
  }
  SUBCASE("and what came too late") {
    audited.gate.refuses_people = true;
    ++audited.gate.generation;
    audited.say(bind_message("", "s") + execute("") + sync_message());
    CHECK(audited.events() == "6 refused 42501");
  }
}

TEST_CASE("an EXECUTE that is refused by now is on record with the reason") {
  Audited audited;
  audited.log_in();
  audited.say(query("PREPARE a AS people"));
  audited.answer(complete("PREPARE") + ready('I'));
  static_cast<void>(audited.events());
  audited.gate.refuses_people = true;
  ++audited.gate.generation;
  audited.say(query("EXECUTE a"));
  CHECK(audited.events() == "2 refused 42501 (clause) r[EXECUTE a]");
}

TEST_CASE("EXECUTE and FETCH are on record with what their names read") {
  Audited audited;
  audited.log_in();
  audited.say(query("PREPARE q people"));
  audited.answer(complete("PREPARE") + ready('I'));
  CHECK(audited.events() == "1 masked p:1 s[PREPARE q people]; 1 answer 0");
  audited.say(query("EXECUTE q"));
  CHECK(audited.events() == "2 masked p:1 s[EXECUTE q]");
}

TEST_CASE("logins are on record, those that fail too, and logouts of those who were in") {
  {
    Audited audited;
    audited.say(Audited::startup("stranger", "demo"));
    CHECK(audited.events() == "0 login trust 42501");
    CHECK(audited.is_closed());
  }
  SessionConfig scram = Script::default_config();
  scram.authentication = ClientAuthentication::scram_sha_256;
  Audited audited(scram);
  audited.say(Audited::startup("ann", "demo"));
  const std::string first = "n,,n=,r=abc";
  audited.say(frames(wire::SaslInitialResponse{.mechanism = "SCRAM-SHA-256", .response = first}));
  audited.say(frames(wire::SaslResponse{
      .response = {"c=biws,r=abcnonceofeighteenbytes1234,p=" + std::string(43, 'A') + "="}}));
  CHECK(audited.events() == "0 login scram 28P01");
  CHECK(audited.is_closed());
}

TEST_CASE("a vouched role is let in without a password, and is never more than masked") {
  SessionConfig vouched = Script::default_config();
  vouched.authentication = ClientAuthentication::vouched;
  Audited audited(vouched);
  audited.gate.is_ann_bypass = true;
  audited.say(Audited::startup("ann", "demo"));
  CHECK(audited.events() == "0 login vouched in");
}

TEST_CASE("commands of the console are on record, what drivers send on connect is not") {
  Audited audited;
  audited.say(Audited::startup("ann", "pgveil"));
  CHECK(audited.events() == "0 login trust in");
  const Actions asked = audited.say(query("SHOW VERSION"));
  CHECK(asked.audit.size() == 1);
  CHECK(audited.events() == "1 command c[SHOW VERSION]");
  audited.step(
      ConsoleAnswered{Error{.kind = ErrorKind::policy, .sqlstate = "42501", .public_message = "no"}});
  CHECK(audited.events() == "1 end 42501");
  audited.say(query("SET a = 1"));
  audited.step(ConsoleAnswered{console::Table{.columns = {}, .rows = {}, .tag = "SET", .notices = {}}});
  CHECK(audited.events().empty());
}

TEST_CASE("what can't be put on record ends the session") {
  Audited audited;
  audited.log_in();
  audited.say(query("SELECT 1"));
  const Actions end = audited.step(AuditFailed{});
  CHECK(end.to_client.find("58030") != std::string::npos);
  CHECK(audited.is_closed());
  CHECK(audited.step(AuditFailed{}).to_client.empty());
}

TEST_CASE("without an audit log no session makes events") {
  FakeGate gate;
  Session session(Script::default_config(), gate);
  CHECK(session.step(ClientBytes{Audited::startup("ann", "pgveil")}).audit.empty());
  CHECK(session.step(ClientBytes{query("SHOW VERSION")}).audit.empty());
}
