#include "proxy/session/backend_login.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

constexpr const char* kNonce = "nonceofeighteenbytes1234";
constexpr const char* kStartup =
    "Startup(user=query_role database=demo client_encoding=UTF8 standard_conforming_strings=on "
    "backslash_quote=safe_encoding array_nulls=on transform_null_equals=off default_transaction_read_only=on "
    "row_security=on client_min_messages=notice jit=off pgveil.notices=on search_path=public, pg_temp "
    "pgveil.search_path=public)";
constexpr const char* kFailed = "E(FATAL 08006 cannot log in to the database server)";

Script connected(const std::string& password) {
  SessionConfig config = Script::default_config();
  config.backend.password = password;
  Script script(config);
  std::string startup;
  wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
  script.client(startup, {.to_client = "R(0)", .commands = "ConnectBackend"});
  script.event([] { return BackendConnected{}; }, {.to_backend = kStartup});
  return script;
}

std::string mechanisms(std::vector<std::string> names) {
  return frames(wire::AuthenticationSasl{{std::move(names)}});
}

// The server's two messages to a client with this password, when the server knows `stored`.
struct ServerSide {
  std::string challenge;
  std::string verdict;
};

ServerSide server_side(const std::string& password) {
  ScramServer server(make_verifier(password, "salt of query_role", 4096), "servernonce123456789abcd", false);
  ScramClient client(password, kNonce);
  const auto challenge = server.on_client_first(client.client_first());
  const auto verdict = server.on_client_final(*client.on_server_first(*challenge));
  return {frames(wire::AuthenticationSaslContinue{{*challenge}}),
          frames(wire::AuthenticationSaslFinal{{*verdict}})};
}

}  // namespace

TEST_CASE("the proxy logs in with SCRAM and checks that the server knows it") {
  const ServerSide server = server_side("backend secret");
  connected("backend secret")
      .backend(mechanisms({"SCRAM-SHA-256"}), {.to_backend = "p"})
      .backend(server.challenge, {.to_backend = "p"})
      .backend(server.verdict + frames(wire::AuthenticationOk{}) + ready('I'),
               {.to_client = "K(1 2) Z(I)", .commands = "LoginDone"})
      .check();
}

TEST_CASE("over TLS the login is bound to the server's certificate where it can be") {
  struct Row {
    const char* name;
    std::string end_point;
    bool is_required;
    std::vector<std::string> offered;
    std::string mechanism;  // empty: no login
    std::string flag;
  };
  const std::string plus = "SCRAM-SHA-256-PLUS";
  const std::string plain = "SCRAM-SHA-256";
  const Row rows[] = {
      {"both can", "hash", false, {plus, plain}, plus, "p=tls-server-end-point,,"},
      {"both can, in another order", "hash", true, {plain, plus}, plus, "p=tls-server-end-point,,"},
      {"only PLUS", "hash", false, {plus}, plus, "p=tls-server-end-point,,"},
      {"the server can't", "hash", false, {plain}, plain, "y,,"},
      {"the server can't, and has to", "hash", true, {plain}, "", ""},
      {"the certificate has no end point", "", false, {plus, plain}, plain, "n,,"},
      {"the certificate has no end point, and has to", "", true, {plus, plain}, "", ""},
      {"the certificate has no end point, only PLUS", "", false, {plus}, "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    FakeGate gate;
    SessionConfig config = Script::default_config();
    config.backend.password = "x";
    Session session(config, gate);
    std::string startup;
    wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
    static_cast<void>(session.step(ClientBytes{startup}));
    static_cast<void>(session.step(BackendConnected{
        .is_secured = true, .end_point = row.end_point, .requires_channel_binding = row.is_required}));
    const std::string offer = mechanisms(row.offered);
    const Actions actions = session.step(BackendBytes{offer});
    CHECK(session.is_closed() == row.mechanism.empty());
    if (row.mechanism.empty()) continue;
    const std::string chosen = row.mechanism + std::string(1, '\0');
    CHECK(actions.to_backend.find(chosen) == 5);
    CHECK(actions.to_backend.find(row.flag + "n=,r=") != std::string::npos);
  }
}

TEST_CASE("where channel binding is required, no server lets us in without a password") {
  SessionConfig config = Script::default_config();
  config.backend.password = "x";
  std::string startup;
  wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
  Script(config)
      .client(startup, {.to_client = "R(0)", .commands = "ConnectBackend"})
      .event(
          [] {
            return BackendConnected{
                .is_secured = true, .end_point = "hash", .requires_channel_binding = true};
          },
          {.to_backend = kStartup})
      .backend(frames(wire::AuthenticationOk{}),
               {.to_client = kFailed, .commands = "CloseBackend CloseClient"})
      .check();
}

// A client whose server is reached by the given connection.
struct Dialled {
  Dialled(const BackendConnected& connection, SessionConfig config) : session(std::move(config), gate) {
    std::string startup;
    wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
    static_cast<void>(session.step(ClientBytes{startup}));
    static_cast<void>(session.step(connection));
  }
  Actions say(const std::string& bytes) { return session.step(BackendBytes{bytes}); }

  FakeGate gate;
  Session session;
};

const ConnectBackend* asked_again(const Actions& actions) {
  for (const auto& command : actions.commands) {
    if (const auto* connect = std::get_if<ConnectBackend>(&command)) return connect;
  }
  return nullptr;
}

TEST_CASE("a token is sent as it is only over TLS to a server whose certificate was checked") {
  struct Row {
    const char* name;
    bool is_secured, may_send, is_token, needs_binding, is_sent;
  };
  const Row rows[] = {{"a token", true, true, true, false, true},
                      {"no TLS", false, true, true, false, false},
                      {"a certificate that was not checked", true, false, true, false, false},
                      {"a password", true, true, false, false, false},
                      {"channel binding", true, true, true, true, false}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    SessionConfig config = Script::default_config();
    config.backend.password = row.is_token ? "" : "pass";
    Dialled made({.is_secured = row.is_secured,
                  .password = row.is_token ? std::optional<std::string>("token") : std::nullopt,
                  .requires_channel_binding = row.needs_binding,
                  .may_send_token = row.may_send},
                 config);
    const Actions actions = made.say(frames(wire::AuthenticationCleartextPassword{}));
    CHECK(made.session.is_closed() != row.is_sent);
    CHECK((actions.to_backend == frames(wire::PasswordMessage{.password = "token"})) == row.is_sent);
    if (!row.is_sent) continue;
    static_cast<void>(made.say(frames(wire::AuthenticationOk{}) + ready('I')));
    CHECK(made.session.facts().activity == Activity::idle);
  }
}

TEST_CASE("a token that the server does not accept is fetched again once") {
  SessionConfig config = Script::default_config();
  Dialled made({.attempt = 1, .is_last = false, .password = "old"}, config);
  const std::string refusal = frames(wire::ErrorResponse{
      .diagnostics = {.fields = {{'S', "FATAL"}, {'C', "28P01"}, {'M', "secret words"}}}});
  const Actions first = made.say(refusal);
  const auto* again = asked_again(first);
  REQUIRE(again != nullptr);
  CHECK(again->refused_password == "old");
  CHECK(again->attempt == 1);
  CHECK(again->must_be_new);
  static_cast<void>(made.session.step(BackendConnected{.attempt = 1, .password = "new"}));
  const Actions second = made.say(refusal);
  CHECK(asked_again(second) == nullptr);
  CHECK(made.session.is_closed());
  CHECK(second.to_client.find("secret words") == std::string::npos);
}

TEST_CASE("a password is not sent again") {
  SessionConfig config = Script::default_config();
  config.backend.password = "pass";
  Dialled made({}, config);
  const Actions actions = made.say(
      frames(wire::ErrorResponse{.diagnostics = {.fields = {{'S', "FATAL"}, {'C', "28P01"}, {'M', "no"}}}}));
  CHECK(asked_again(actions) == nullptr);
  CHECK(made.session.is_closed());
}

TEST_CASE("another server is tried if this one is of another kind, or starts up") {
  const std::string in = frames(wire::AuthenticationOk{});
  const std::string standby = in + parameter("in_hot_standby", "on") + ready('I');
  const std::string primary = in + parameter("in_hot_standby", "off") + ready('I');
  const std::string starting = frames(
      wire::ErrorResponse{.diagnostics = {.fields = {{'S', "FATAL"}, {'C', "57P03"}, {'M', "starting"}}}});
  struct Row {
    const char* name;
    std::optional<ServerKind> wanted;
    std::string says;
    bool fits;
  };
  const Row rows[] = {{"any, a standby", std::nullopt, standby, true},
                      {"any, a primary", std::nullopt, primary, true},
                      {"a primary", ServerKind::primary, primary, true},
                      {"a standby for a primary", ServerKind::primary, standby, false},
                      {"a standby", ServerKind::standby, standby, true},
                      {"a primary for a standby", ServerKind::standby, primary, false},
                      {"one that starts up", std::nullopt, starting, false}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    for (const bool is_last : {false, true}) {
      CAPTURE(is_last);
      Dialled made({.attempt = 2, .is_last = is_last, .kind = row.wanted}, Script::default_config());
      const Actions actions = made.say(row.says);
      const auto* again = asked_again(actions);
      CHECK((again != nullptr) == (!row.fits && !is_last));
      CHECK(made.session.is_closed() == (!row.fits && is_last));
      if (again != nullptr) CHECK(again->attempt == 3);
      if (row.fits) CHECK(made.session.facts().activity == Activity::idle);
    }
  }
}

TEST_CASE("a server that asks for anything else, or lies, is not logged in to") {
  const ServerSide server = server_side("backend secret");
  struct Row {
    const char* name;
    std::string password;
    std::string bytes;
  };
  const Row rows[] = {
      {"cleartext", "x", frames(wire::AuthenticationCleartextPassword{})},
      {"md5", "x", frames(wire::AuthenticationMd5Password{})},
      {"GSS", "x", frames(wire::AuthenticationGss{})},
      {"SSPI", "x", frames(wire::AuthenticationSspi{})},
      {"SCRAM without a password of ours", "", mechanisms({"SCRAM-SHA-256"})},
      {"only channel binding", "x", mechanisms({"SCRAM-SHA-256-PLUS"})},
      {"channel binding without TLS", "x", mechanisms({"SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"})},
      {"a challenge before SASL", "x", server.challenge},
      {"a verdict before SASL", "x", server.verdict},
      {"a message before it let us in", "", parameter("TimeZone", "UTC")},
      {"ready before it let us in", "", ready('I')},
      {"a row", "", row("Smith")},
      {"a malformed message", "", std::string("R\0\0\0\5x", 6)},
      {"in a transaction from the start", "", frames(wire::AuthenticationOk{}) + ready('T')},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    connected(row.password)
        .backend(row.bytes, {.to_client = kFailed, .commands = "CloseBackend CloseClient"})
        .check();
  }
}

TEST_CASE("the server is asked for protocol 3.2 unless less is configured, and may answer with 3.0") {
  const auto lower = [](std::uint32_t newest, std::vector<std::string> options = {}) {
    return frames(wire::NegotiateProtocolVersion{.newest = newest, .unknown_options = {std::move(options)}});
  };
  const auto key = [](std::size_t bytes) {
    return frames(wire::BackendKeyData{.pid = 41, .secret = {std::string(bytes, 's')}});
  };
  const std::string in = frames(wire::AuthenticationOk{});
  struct Row {
    const char* name;
    std::uint16_t newest_minor;
    std::string bytes;
    bool is_let_in;
  };
  const Row rows[] = {
      {"3.2", 2, in + key(32) + ready('I'), true},
      {"3.2 with the longest key", 2, in + key(256) + ready('I'), true},
      {"3.2 with a short key", 2, in + key(4) + ready('I'), true},
      {"3.2 without a key", 2, in + ready('I'), true},
      {"3.2 with no secret in its key", 2, in + std::string("K\0\0\0\x08\0\0\0\x29", 9), false},
      {"3.2 with a key that is too long", 2,
       in + std::string("K\0\0\1\x09\0\0\0\x29", 9) + std::string(257, 's'), false},
      {"down to 3.0", 2, lower(0x30000) + in + key(4) + ready('I'), true},
      {"down to 3.0 with a long key", 2, lower(0x30000) + in + key(32), false},
      {"down to 3.0 twice", 2, lower(0x30000) + lower(0x30000), false},
      {"down to 3.1, which there is not", 2, lower(0x30001), false},
      {"what was asked for", 2, lower(0x30002), false},
      {"something newer", 2, lower(0x30003), false},
      {"another major version", 2, lower(0x20000), false},
      {"an option that was not asked for", 2, lower(0x30000, {"_pq_.x"}), false},
      {"after it let us in", 2, in + lower(0x30000), false},
      {"after it asked for SCRAM", 2, mechanisms({"SCRAM-SHA-256"}) + lower(0x30000), false},
      {"configured 3.0", 0, in + key(4) + ready('I'), true},
      {"configured 3.0, down to it", 0, lower(0x30000), false},
      {"configured 3.0, a long key", 0, in + key(32), false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    FakeGate gate;
    SessionConfig config = Script::default_config();
    config.backend.password = "x";
    config.backend.newest_minor = row.newest_minor;
    Session session(config, gate);
    std::string startup;
    wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
    static_cast<void>(session.step(ClientBytes{startup}));
    const std::string sent = session.step(BackendConnected{}).to_backend;
    const auto packet = wire::decode_startup(std::string_view(sent).substr(4));
    REQUIRE(packet.has_value());
    CHECK(std::get<wire::StartupMessage>(*packet).major == 3);
    CHECK(std::get<wire::StartupMessage>(*packet).minor == row.newest_minor);
    static_cast<void>(session.step(BackendBytes{row.bytes}));
    CHECK(session.is_closed() != row.is_let_in);
  }
}

TEST_CASE("a refusal of our version is logged with what to do") {
  const auto is_told = [](const char* sqlstate, std::uint16_t newest_minor, bool comes_first) {
    FakeGate gate;
    SessionConfig config = Script::default_config();
    config.backend.password = "x";
    config.backend.newest_minor = newest_minor;
    Session session(config, gate);
    std::string startup;
    wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
    static_cast<void>(session.step(ClientBytes{startup}));
    static_cast<void>(session.step(BackendConnected{}));
    const std::string bytes = (comes_first ? "" : frames(wire::AuthenticationOk{})) +
                              server_error("FATAL", sqlstate, "unsupported frontend protocol 3.2");
    bool found = false;
    for (const Command& command : session.step(BackendBytes{bytes}).commands) {
      const auto* line = std::get_if<LogLine>(&command);
      found = found || (line != nullptr && line->text.find("max_protocol_version") != std::string::npos);
    }
    return found;
  };
  CHECK(is_told("0A000", 2, true));
  CHECK(is_told("08P01", 2, true));
  CHECK_FALSE(is_told("28000", 2, true));
  CHECK_FALSE(is_told("0A000", 0, true));
  CHECK_FALSE(is_told("0A000", 2, false));
}

// PgBouncer before 1.25.2 copied a server's nonce of any length to its stack.
TEST_CASE("a server that we have not logged in at can't make us hold or copy much") {
  const auto challenge = [](std::size_t nonce_bytes) {
    return frames(wire::AuthenticationSaslContinue{
        {"r=" + std::string(kNonce) + std::string(nonce_bytes, 'x') + ",s=c2FsdHNhbHQ=,i=4096"}});
  };
  connected("x")
      .backend(mechanisms({"SCRAM-SHA-256"}), {.to_backend = "p"})
      .backend(challenge(10'000), {.to_backend = "p"})
      .set_up_ends()
      .not_in_pieces()
      .check();
  connected("x")
      .backend(mechanisms({"SCRAM-SHA-256"}), {.to_backend = "p"})
      .backend(challenge(70'000), {.to_client = "E(FATAL 08P01 the database server broke the protocol)",
                                   .commands = "CloseBackend CloseClient"})
      .set_up_ends()
      .not_in_pieces()
      .check();
  // Once we are in, messages may be long.
  Script::logged_in()
      .backend(parameter("application_name", std::string(70'000, 'x')),
               {.to_client = "S(application_name=" + std::string(70'000, 'x') + ")",
                .commands = "NoteName(" + std::string(70'000, 'x') + ")"})
      .set_up_ends()
      .not_in_pieces()
      .check();
}

// PgBouncer before 1.25.2 crashed on it (CVE-2026-6666).
TEST_CASE("an error without an SQLSTATE, or without anything, is one of ours") {
  for (const auto& fields : {wire::Diagnostics{}, wire::Diagnostics{{{'M', "no state"}}},
                             wire::Diagnostics{{{'S', "FATAL"}, {'M', "no state"}}},
                             wire::Diagnostics{{{'C', ""}}}, wire::Diagnostics{{{'C', "bad"}}}}) {
    connected("")
        .backend(frames(wire::ErrorResponse{fields}),
                 {.to_client = kFailed, .commands = "CloseBackend CloseClient"})
        .check();
    const bool is_fatal = fields.find('S') != nullptr;
    Script script = Script::logged_in();
    script.client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"});
    if (is_fatal) {
      script.backend(frames(wire::ErrorResponse{fields}),
                     {.to_client = "E(FATAL XX000 the database server ended the connection)",
                      .to_backend = "X",
                      .commands = "CloseBackend CloseClient"});
    } else {
      const std::string* message = fields.find('M');
      script.backend(frames(wire::ErrorResponse{fields}) + ready('I'),
                     {.to_client = "E(ERROR XX000 " + (message != nullptr ? *message : "") + ") Z(I)"});
    }
    script.check();
  }
}

TEST_CASE("a server that breaks off SCRAM and lets us in is not believed") {
  connected("backend secret")
      .backend(mechanisms({"SCRAM-SHA-256"}), {.to_backend = "p"})
      .backend(frames(wire::AuthenticationOk{}),
               {.to_client = kFailed, .commands = "CloseBackend CloseClient"})
      .check();
}

TEST_CASE("a server that does not know our verifier is not believed") {
  connected("backend secret")
      .backend(mechanisms({"SCRAM-SHA-256"}), {.to_backend = "p"})
      .backend(server_side("backend secret").challenge, {.to_backend = "p"})
      .backend(frames(wire::AuthenticationSaslFinal{{"v=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}),
               {.to_client = kFailed, .commands = "CloseBackend CloseClient"})
      .check();
}

TEST_CASE("the server's own words about our login stay here") {
  struct Row {
    const char* sqlstate;
    const char* told;
  };
  const Row rows[] = {{"28P01", "E(FATAL 08006 cannot log in to the database server)"},
                      {"28000", "E(FATAL 08006 cannot log in to the database server)"},
                      {"42501", "E(FATAL 08006 cannot log in to the database server)"},
                      {"3D000", "E(FATAL 3D000 the database does not exist on the database server)"},
                      {"53300", "E(FATAL 53300 the database server has too many connections)"},
                      {"57P03", "E(FATAL 57P03 the database server is not accepting connections now)"}};
  for (const Row& row : rows) {
    CAPTURE(row.sqlstate);
    connected("")
        .backend(server_error("FATAL", row.sqlstate, "no entry for host 10.0.0.1, user query_role"),
                 {.to_client = row.told, .commands = "CloseBackend CloseClient"})
        .check();
  }
}

TEST_CASE("a server that does not keep a pinned setting is left") {
  for (const auto& status :
       {parameter("client_encoding", "GBK"), parameter("standard_conforming_strings", "off")}) {
    connected("")
        .backend(frames(wire::AuthenticationOk{}) + status,
                 {.to_client = "E(FATAL 08P01 the database server changed a pinned setting)",
                  .commands = "CloseBackend CloseClient"})
        .check();
  }
  Script::logged_in()
      .backend(parameter("TimeZone", "UTC"), {.to_client = "S(TimeZone=UTC)"})
      .backend(parameter("standard_conforming_strings", "off"),
               {.to_client = "E(FATAL 08P01 the database server changed a pinned setting)",
                .to_backend = "X",
                .commands = "CloseBackend CloseClient"})
      .check();
}

TEST_CASE(
    "a server of another major than the one whose catalog was read is left, and the catalog is read again") {
  struct Row {
    const char* version;
    int known;
    bool is_let_in;
  };
  const Row rows[] = {{"15.18 (Debian 15.18-0+deb12u1)", 15, true},
                      {"18.4", 15, false},
                      {"15.18", 18, false},
                      {"19devel", 18, false},
                      {"nonsense", 18, false},
                      {"18beta1", 18, true},
                      {"18.4", 0, true}};  // nothing was read yet, so nothing is answered
  for (const Row& row : rows) {
    CAPTURE(row.version);
    CAPTURE(row.known);
    const std::string login = frames(wire::AuthenticationOk{}) + parameter("server_version", row.version);
    Script script = connected("");
    script.world([&](FakeGate& gate) { gate.server_major = row.known; });
    if (row.is_let_in) {
      script.backend(login, {.to_client = "S(server_version=" + std::string(row.version) + ")"}).check();
    } else {
      script
          .backend(login,
                   {.to_client = "E(FATAL 57P03 the database server was switched to another major version of "
                                 "PostgreSQL, and its catalog is not read yet: connect again in a moment; if "
                                 "that fails, pgveil's log says why)",
                    .commands = "CloseBackend CloseClient"})
          .world([](FakeGate& gate) { CHECK(gate.stale_notes == 1); })
          .check();
    }
  }
}
