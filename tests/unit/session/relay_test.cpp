// Bypass roles: what is passed on, who gets there and who does not, and what is on record.
#include "proxy/session/relay.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/fake_gate.hpp"
#include "tests/unit/session/frames.hpp"
#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

constexpr const char* kNonce = "nonceofeighteenbytes1234";

std::string startup(std::vector<std::pair<std::string, std::string>> more = {}) {
  wire::StartupMessage message{.parameters = {{"user", "ann"}, {"database", "demo"}}};
  message.parameters.insert(message.parameters.end(), more.begin(), more.end());
  std::string bytes;
  wire::encode(message, bytes);
  return bytes;
}

struct Relayed {
  explicit Relayed(bool is_bypass = true) : session(config(), gate) {
    gate.is_ann_bypass = is_bypass;
    static const ScramVerifier verifier = make_verifier("secret", "salt of ann", 4096);
    gate.ann_verifier = verifier;
  }
  static SessionConfig config() {
    SessionConfig config = Script::default_config();
    config.authentication = ClientAuthentication::scram_sha_256;
    config.is_audited = true;
    return config;
  }

  Actions say(const std::string& bytes) { return session.step(ClientBytes{bytes}); }
  Actions answer(const std::string& bytes) { return session.step(BackendBytes{bytes}); }

  // The client's side of SCRAM; the actions of its last step.
  Actions log_in(const std::string& password = "secret",
                 std::vector<std::pair<std::string, std::string>> more = {}) {
    REQUIRE_FALSE(say(startup(std::move(more))).to_client.empty());
    ScramClient scram(password, "abc", {ScramBinding::Kind::unsupported, {}});
    const Actions challenge = say(
        frames(wire::SaslInitialResponse{.mechanism = "SCRAM-SHA-256", .response = scram.client_first()}));
    const std::string text = challenge.to_client.substr(9);  // behind R, length and code
    auto proof = scram.on_server_first(text);
    REQUIRE(proof.has_value());
    return say(frames(wire::SaslResponse{.response = {*proof}}));
  }
  // Up to the relay.
  void enter(std::vector<std::pair<std::string, std::string>> more = {}) {
    const Actions in = log_in("secret", std::move(more));
    REQUIRE(std::holds_alternative<ConnectBackend>(in.commands.back()));
    startup_sent = session.step(BackendConnected{}).to_backend;
    const Actions ready_now =
        answer(frames(wire::AuthenticationOk{}) + parameter("client_encoding", "UTF8") +
               parameter("standard_conforming_strings", "on") +
               frames(wire::BackendKeyData{.pid = 41, .secret = secret(42)}) + ready('I'));
    REQUIRE_FALSE(ready_now.to_client.empty());
  }

  FakeGate gate;
  Session session;
  std::string startup_sent;
};

std::string text_of(const AuditEvent& event) {
  const auto* statement = std::get_if<AuditedStatement>(&event.thing);
  if (statement == nullptr) return "";
  CHECK(statement->verdict == AuditVerdict::bypass);
  return statement->text ? *statement->text : "none";
}

}  // namespace

TEST_CASE("a bypass role's own backend role logs in with what the client asked for, and nothing pinned") {
  Relayed relayed;
  relayed.enter({{"options", "-c geqo=off -c session_replication_role=replica"}, {"DateStyle", "German"}});
  const auto has = [&](std::string_view text) {
    return relayed.startup_sent.find(text) != std::string::npos;
  };
  CHECK(has(std::string("user\0raw\0", 9)));
  CHECK(has("session_replication_role=replica"));
  CHECK(has("German"));
  CHECK_FALSE(has("query_role"));
  CHECK_FALSE(has("jit"));
  CHECK_FALSE(has("pgveil"));
}

TEST_CASE("whatever comes is passed on as it is, both ways") {
  Relayed relayed;
  relayed.enter();
  for (const std::string& bytes :
       {query("DROP TABLE people"),
        parse("s", "refuse x") + bind_message("p", "s") + execute("p") + sync_message(),
        frames(wire::CopyData{}) + frames(wire::CopyDone{}), frames(wire::FunctionCall{}), flush_message()}) {
    CHECK(relayed.say(bytes).to_backend == bytes);
  }
  for (const std::string& bytes :
       {server_error("23505", "duplicate key: Smith"), server_notice("Smith"), parameter("TimeZone", "UTC"),
        row_description("a") + row("Smith") + complete("SELECT 1"), frames(wire::NotificationResponse{}),
        frames(wire::CopyInResponse{}), ready('T')}) {
    CHECK(relayed.answer(bytes).to_client == bytes);
  }
  CHECK_FALSE(relayed.session.is_closed());
}

TEST_CASE("the cancel key is ours, and cancels only what runs") {
  Relayed relayed;
  relayed.enter();
  CHECK(relayed.session.step(CancelRequested{}).commands.empty());
  relayed.say(query("SELECT 1"));
  const Actions cancel = relayed.session.step(CancelRequested{});
  REQUIRE(cancel.commands.size() == 1);
  CHECK(std::get<ForwardCancel>(cancel.commands.front()).pid == 41);
  relayed.answer(complete("SELECT 1") + ready('I'));
  CHECK(relayed.session.step(CancelRequested{}).commands.empty());
}

TEST_CASE("every statement of a bypass role is on record, and what it said in between is not") {
  Relayed relayed;
  relayed.enter();
  const Actions asked = relayed.say(query("SELECT 1") + parse("s", "SELECT 2") + bind_message("", "s") +
                                    execute("") + sync_message() + frames(wire::FunctionCall{}));
  std::vector<std::string> texts;
  for (const AuditEvent& event : asked.audit) texts.push_back(text_of(event));
  CHECK(texts == std::vector<std::string>{"s[SELECT 1]", "s[SELECT 2]", "s[SELECT 2]", "none"});
  const Actions answered = relayed.answer(complete("SELECT 3") + ready('I'));
  REQUIRE(answered.audit.size() == 1);
  CHECK(std::get<AuditedAnswer>(answered.audit.front().thing).rows == 3);
  CHECK(relayed.say(frames(wire::CopyData{})).audit.empty());
}

TEST_CASE("text that can't be cut into words here as there is not kept") {
  for (const auto& setting :
       {parameter("client_encoding", "SJIS"), parameter("standard_conforming_strings", "off")}) {
    Relayed relayed;
    relayed.enter();
    relayed.answer(setting);
    CHECK(text_of(relayed.say(query("SELECT 1")).audit.at(0)) == "none");
  }
}

TEST_CASE("what the server said last is the last that the client hears") {
  Relayed relayed;
  relayed.enter();
  const std::string last = server_error("FATAL", "57P01", "terminating connection");
  CHECK(relayed.answer(last).to_client == last);
  CHECK(relayed.session.step(BackendClosed{}).to_client.empty());
  CHECK(relayed.session.is_closed());
}

TEST_CASE("only who proved to be a bypass role is passed on") {
  SUBCASE("not with a wrong password") {
    Relayed relayed;
    const Actions end = relayed.log_in("wrong");
    CHECK(end.to_client.find("28P01") != std::string::npos);
    CHECK(relayed.session.is_closed());
  }
  SUBCASE("not another role") {
    Relayed relayed(false);
    relayed.log_in();
    CHECK(relayed.session.step(BackendConnected{}).to_backend.find("query_role") != std::string::npos);
  }
  SUBCASE("not without a password") {
    FakeGate gate;
    gate.is_ann_bypass = true;
    Session session(Script::default_config(), gate);
    const Actions end = session.step(ClientBytes{startup()});
    CHECK(end.to_client.find("a bypass role needs a password") != std::string::npos);
    CHECK(session.is_closed());
  }
}

TEST_CASE("what only a bypass role may ask for at the start is refused to others when they have logged in") {
  Relayed relayed(false);
  const Actions end = relayed.log_in("secret", {{"session_authorization", "postgres"}});
  CHECK(end.to_client.find("42501") != std::string::npos);
  CHECK(relayed.session.is_closed());
}

TEST_CASE("replication is not open to a bypass role either") {
  Relayed relayed;
  CHECK(relayed.say(startup({{"replication", "database"}})).to_client.find("replication is not open") !=
        std::string::npos);
  CHECK(relayed.session.is_closed());
}

TEST_CASE("who may not come from there is told before anything is asked") {
  FakeGate gate;
  SessionConfig config = Relayed::config();
  config.client_address = "192.0.2.66";
  Session session(config, gate);
  const Actions end = session.step(ClientBytes{startup()});
  CHECK(end.to_client.find("not from there") != std::string::npos);
  REQUIRE_FALSE(end.audit.empty());
  CHECK(std::get<AuditedLogin>(end.audit.front().thing).sqlstate == "28000");
  CHECK(session.is_closed());
}
