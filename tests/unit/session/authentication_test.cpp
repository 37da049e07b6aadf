#include "proxy/session/authentication.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/render.hpp"
#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

constexpr const char* kServerNonce = "nonceofeighteenbytes1234";
constexpr const char* kClientNonce = "clientnonce123456789abcd";

SessionConfig scram_config() {
  SessionConfig config = Script::default_config();
  config.authentication = ClientAuthentication::scram_sha_256;
  return config;
}

std::string startup_of(std::string_view role) {
  std::string bytes;
  wire::encode(wire::StartupMessage{.parameters = {{"user", std::string(role)}, {"database", "demo"}}},
               bytes);
  return bytes;
}

std::string initial(std::string_view mechanism, const wire::Value& response) {
  return frames(wire::SaslInitialResponse{.mechanism = std::string(mechanism), .response = response});
}

// What a client with this password sends second, and whether the server would believe it: both sides are
// played with the same nonces as in the session.
std::string proof(std::string_view role, std::string_view password) {
  const bool is_known = role == "ann";
  ScramServer server(is_known ? make_verifier("secret", "salt of ann", 4096) : mock_verifier(role, "mock"),
                     kServerNonce, !is_known);
  ScramClient client(std::string(password), kClientNonce);
  const auto first = server.on_client_first(client.client_first());
  REQUIRE(first.has_value());
  const auto last = client.on_server_first(*first);
  REQUIRE(last.has_value());
  return frames(wire::SaslResponse{{*last}});
}

std::string first_message() {
  return initial("SCRAM-SHA-256", ScramClient("", kClientNonce).client_first());
}

}  // namespace

TEST_CASE("the right password lets a client in") {
  Script(scram_config())
      .client(startup_of("ann"), {.to_client = "R(10)"})
      .client(first_message(), {.to_client = "R(11)"})
      .client(proof("ann", "secret"), {.to_client = "R(12) R(0)", .commands = "ConnectBackend"})
      .check();
}

TEST_CASE("a wrong password and a missing role look alike") {
  for (const std::string role : {"ann", "nobody"}) {
    CAPTURE(role);
    Script(scram_config())
        .client(startup_of(role), {.to_client = "R(10)"})
        .client(first_message(), {.to_client = "R(11)"})
        .client(proof(role, "guess"),
                {.to_client = "E(FATAL 28P01 password authentication failed for user \"" + role + "\")",
                 .commands = "CloseClient"})
        .check();
  }
}

TEST_CASE("a client that leaves the exchange is out") {
  struct Row {
    const char* name;
    std::string bytes;
    std::string error;
  };
  const Row rows[] = {
      {"another mechanism", initial("PLAIN", "x"),
       "client selected an invalid SASL authentication mechanism"},
      {"with channel binding", initial("SCRAM-SHA-256-PLUS", "p=tls-unique,,n=,r=x"),
       "client selected an invalid SASL authentication mechanism"},
      {"no first message", initial("SCRAM-SHA-256", std::nullopt),
       "client selected an invalid SASL authentication mechanism"},
      {"a password", frames(wire::PasswordMessage{"secret"}), "malformed message"},
      {"a query", query("SELECT 1"), "a message came out of turn"},
      {"a message above the limit", std::string("p\0\1\0\4", 5), "message is too long"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Script(scram_config())
        .client(startup_of("ann"), {.to_client = "R(10)"})
        .client(row.bytes, {.to_client = "E(FATAL 08P01 " + row.error + ")", .commands = "CloseClient"})
        .check();
  }
}

// PgBouncer before 1.25.2 read such lengths past the end of the packet (CVE-2026-6664).
TEST_CASE("a first message whose lengths do not fit ends the session, and nothing of it is taken") {
  const auto raw = [](std::string_view length, std::string_view rest) {
    std::string body = "SCRAM-SHA-256" + std::string(1, '\0');
    body.append(length).append(rest);
    std::string frame = "p";
    for (int shift = 24; shift >= 0; shift -= 8)
      frame.push_back(static_cast<char>((body.size() + 4) >> shift & 0xff));
    return frame + body;
  };
  using namespace std::string_view_literals;
  const std::string_view lengths[] = {"\x7f\xff\xff\xff"sv,
                                      "\xff\xff\xff\xff"sv,
                                      "\xff\xff\xff\xfe"sv,
                                      "\x80\0\0\0"sv,
                                      "\0\0\0\x40"sv,
                                      "\0\0\0\1"sv,
                                      "\0\0\0\0"sv,
                                      "\0\0"sv,
                                      ""sv};
  for (const std::string_view length : lengths) {
    CAPTURE(length.size());
    FakeGate gate;
    Session session(scram_config(), gate);
    const std::string startup = startup_of("ann");
    static_cast<void>(session.step(ClientBytes{startup}));
    const std::string first = raw(length, length.size() < 4 ? "" : "n,,n=,r=abc");
    const Actions actions = session.step(ClientBytes{first});
    CHECK(session.is_closed());
    CHECK(actions.to_client.find("08P01") != std::string::npos);
    CHECK(actions.to_backend.empty());
  }
}

TEST_CASE("a nonce of a client may be as long as a message of its login, and no longer") {
  for (const auto& [nonce_bytes, is_taken] : {std::pair{std::size_t{60'000}, true}, {66'000, false}}) {
    FakeGate gate;
    gate.ann_verifier = make_verifier("secret", "salt of ann", 4096);
    Session session(scram_config(), gate);
    const std::string startup = startup_of("ann");
    static_cast<void>(session.step(ClientBytes{startup}));
    const std::string message = initial("SCRAM-SHA-256", "n,,n=,r=" + std::string(nonce_bytes, 'x'));
    const Actions actions = session.step(ClientBytes{message});
    CHECK(session.is_closed() != is_taken);
    CHECK((actions.to_client.size() > nonce_bytes) == is_taken);
  }
}

TEST_CASE("where the access file asks for a certificate, it has to name the role") {
  struct Row {
    LoginDemand demand;
    std::optional<std::string> shown;
    std::string answer, commands;
  };
  const std::string in = "R(0)", asked = "R(10)";
  const std::string none = "E(FATAL 28000 this login needs a certificate / connect with sslcert and sslkey)";
  const std::string wrong =
      "E(FATAL 28000 certificate authentication failed for user \"ann\" / the certificate's common name has "
      "to "
      "be the role's name)";
  const std::string closed = "CloseClient";
  using enum LoginDemand;
  for (const Row& row :
       {Row{certificate, "ann", in, "ConnectBackend"}, Row{certificate, "Ann", wrong, closed},
        Row{certificate, "", wrong, closed}, Row{certificate, std::nullopt, none, closed},
        Row{certificate, std::string("ann\0eve", 7), wrong, closed},
        Row{password_and_certificate, "ann", asked, ""}, Row{password_and_certificate, "eve", wrong, closed},
        Row{password_and_certificate, std::nullopt, none, closed},
        Row{password_and_any_certificate, "eve", asked, ""}, Row{password_and_any_certificate, "", asked, ""},
        Row{password_and_any_certificate, std::nullopt, none, closed},
        Row{password, std::nullopt, asked, ""}}) {
    CAPTURE(row.answer);
    SessionConfig config = scram_config();
    config.encryption = ClientEncryption::offered;
    FakeGate gate;
    gate.demand = row.demand;
    std::string request;
    wire::encode(wire::SslRequest{}, request);
    Session session(config, gate);
    static_cast<void>(session.step(ClientBytes{request}));
    static_cast<void>(session.step(ClientSecured{"hash", row.shown}));
    const Actions actions = session.step(ClientBytes{startup_of("ann")});
    CHECK(render_to_client(actions.to_client) == row.answer);
    CHECK(render(actions.commands) == row.commands);
  }
}

TEST_CASE("over TLS channel binding is offered, and what it says is checked") {
  SessionConfig config = scram_config();
  config.encryption = ClientEncryption::offered;
  std::string request;
  wire::encode(wire::SslRequest{}, request);
  const auto offered = [&](std::string end_point, const std::string& mechanisms) {
    Script script(config);
    script.client(request, {.to_client = "S", .commands = "SecureClient"});
    script.event([end_point] { return ClientSecured{end_point}; }, {});
    script.client(startup_of("ann"), {.to_client = mechanisms});
    return script;
  };
  ScramClient client("secret", kClientNonce, {ScramBinding::Kind::bound, "hash"});
  ScramServer server(make_verifier("secret", "salt of ann", 4096), kServerNonce, false, "hash",
                     ScramMechanism::plus);
  const std::string first = client.client_first();
  const auto challenge = server.on_client_first(first);
  REQUIRE(challenge.has_value());
  const std::string last = frames(wire::SaslResponse{{*client.on_server_first(*challenge)}});

  offered("hash", "R(10)")
      .client(initial("SCRAM-SHA-256-PLUS", first), {.to_client = "R(11)"})
      .client(last, {.to_client = "R(12) R(0)", .commands = "ConnectBackend"})
      .check();
  offered("other", "R(10)")
      .client(initial("SCRAM-SHA-256-PLUS", first), {.to_client = "R(11)"})
      .client(last, {.to_client = "E(FATAL 28000 SCRAM channel binding check failed / the client saw another "
                                  "certificate than ours)",
                     .commands = "CloseClient"})
      .check();
  offered("", "R(10)")
      .client(initial("SCRAM-SHA-256-PLUS", first),
              {.to_client = "E(FATAL 08P01 client selected an invalid SASL authentication mechanism)",
               .commands = "CloseClient"})
      .check();
}

TEST_CASE("nothing but the proof is heard after the challenge") {
  Script(scram_config())
      .client(startup_of("ann"), {.to_client = "R(10)"})
      .client(first_message(), {.to_client = "R(11)"})
      .client(query("SELECT 1"),
              {.to_client = "E(FATAL 08P01 a message came out of turn)", .commands = "CloseClient"})
      .check();
}

TEST_CASE("with auth_query the answer waits for what the look-up found") {
  const auto ask = [](FakeGate& gate) { gate.must_ask = true; };
  const auto found = [](LookUp look_up) {
    return [look_up = std::move(look_up)]() -> Event { return AccountLookedUp{look_up}; };
  };
  const auto begun = [&](const std::string& role, LookUp look_up) {
    Script script(scram_config());
    script.world(ask)
        .client(startup_of(role), {.to_client = "R(10)"})
        .client(first_message(), {.commands = "LookUpAccount(" + role + ")"})
        .event(found(std::move(look_up)), {.to_client = "R(11)"});
    return script;
  };
  const ScramVerifier verifier = make_verifier("secret", "salt of ann", 4096);
  const auto out = [](const std::string& text) {
    return Expected{.to_client = "E(FATAL " + text + ")", .commands = "CloseClient"};
  };
  begun("ann", {Account{verifier, "analyst", true}, false})
      .client(proof("ann", "secret"), {.to_client = "R(12) R(0)", .commands = "ConnectBackend"})
      .check();
  begun("ann", {Account{verifier, "analyst", true}, false})
      .client(proof("ann", "guess"), out("28P01 password authentication failed for user \"ann\""))
      .check();
  begun("nobody", {})
      .client(proof("nobody", "guess"), out("28P01 password authentication failed for user \"nobody\""))
      .check();
  const std::string later =
      "57P03 this login can't be checked now / try again later; the operator's log says why";
  begun("nobody", {std::nullopt, true}).client(proof("nobody", "guess"), out(later)).check();
  begun("ann", {Account{verifier, "ann", false}, true}).client(proof("ann", "guess"), out(later)).check();
  begun("ann", {Account{verifier, "ann", false}, true})
      .client(proof("ann", "secret"), {.to_client = "R(12) R(0)", .commands = "ConnectBackend"})
      .check();
}

TEST_CASE("while the look-up is under way the client is not heard, and may go") {
  const auto ask = [](FakeGate& gate) { gate.must_ask = true; };
  Script script(scram_config());
  script.world(ask)
      .client(startup_of("ann"), {.to_client = "R(10)"})
      .client(first_message(), {.commands = "LookUpAccount(ann)"})
      .client(query("SELECT 1"), {})
      .event([]() -> Event { return AccountLookedUp{}; },
             {.to_client = "R(11) E(FATAL 08P01 a message came out of turn)", .commands = "CloseClient"})
      .check();
  Script gone(scram_config());
  gone.world(ask)
      .client(startup_of("ann"), {.to_client = "R(10)"})
      .client(first_message(), {.commands = "LookUpAccount(ann)"})
      .event([]() -> Event { return LoginTimedOut{}; },
             {.to_client = "E(FATAL 57014 login took too long)", .commands = "CloseClient"})
      .event([]() -> Event { return AccountLookedUp{}; }, {})
      .check();
}

TEST_CASE("a role that was looked up is passed on to nobody") {
  FakeGate gate;
  gate.must_ask = true;
  gate.is_ann_bypass = true;
  SessionConfig config = scram_config();
  config.is_audited = true;
  Session session(std::move(config), gate);
  static_cast<void>(session.step(ClientBytes{startup_of("ann")}));
  static_cast<void>(session.step(ClientBytes{first_message()}));
  const Account account{make_verifier("secret", "salt of ann", 4096), "analyst", true};
  static_cast<void>(session.step(AccountLookedUp{{account, false}}));
  const Actions in = session.step(ClientBytes{proof("ann", "secret")});
  REQUIRE(in.audit.size() == 1);
  const auto& login = std::get<AuditedLogin>(in.audit[0].thing);
  CHECK(in.audit[0].role == "ann");
  CHECK_FALSE(login.is_bypass);
  CHECK(login.is_looked_up);
  CHECK(login.reads_as == "analyst");
}
