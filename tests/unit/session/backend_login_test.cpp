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
    config.backend.requires_channel_binding = row.is_required;
    Session session(config, gate);
    std::string startup;
    wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
    static_cast<void>(session.step(ClientBytes{startup}));
    static_cast<void>(session.step(BackendConnected{true, row.end_point}));
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
  config.backend.requires_channel_binding = true;
  std::string startup;
  wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
  Script(config)
      .client(startup, {.to_client = "R(0)", .commands = "ConnectBackend"})
      .event(
          [] {
            return BackendConnected{true, "hash"};
          },
          {.to_backend = kStartup})
      .backend(frames(wire::AuthenticationOk{}),
               {.to_client = kFailed, .commands = "CloseBackend CloseClient"})
      .check();
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
