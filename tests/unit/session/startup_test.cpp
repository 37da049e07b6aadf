#include "proxy/session/startup.hpp"

#include <doctest/doctest.h>

#include "common/assert.hpp"

#include "tests/unit/session/render.hpp"
#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

template <class Packet>
std::string packet(const Packet& content) {
  std::string bytes;
  wire::encode(content, bytes);
  return bytes;
}

std::string startup(std::vector<std::pair<std::string, std::string>> parameters, std::uint16_t minor = 0) {
  return packet(wire::StartupMessage{.major = 3, .minor = minor, .parameters = std::move(parameters)});
}

}  // namespace

TEST_CASE("a login goes through to the server as query_role, with the pinned settings") {
  Script script;
  script.client(startup({{"user", "ann"}, {"database", "demo"}}),
                {.to_client = "R(0)", .commands = "ConnectBackend"});
  script.event([] { return BackendConnected{}; },
               {.to_backend = "Startup(user=query_role database=demo client_encoding=UTF8 "
                              "standard_conforming_strings=on backslash_quote=safe_encoding array_nulls=on "
                              "transform_null_equals=off default_transaction_read_only=on row_security=on "
                              "client_min_messages=notice jit=off pgveil.notices=on search_path=public, "
                              "pg_temp pgveil.search_path=public)"});
  script.backend(frames(wire::AuthenticationOk{}), {});
  script.backend(parameter("TimeZone", "UTC") + parameter("session_authorization", "query_role") +
                     parameter("is_superuser", "on") + server_notice("hello"),
                 {.to_client = "S(TimeZone=UTC) S(session_authorization=ann) S(is_superuser=off)"});
  script.backend(frames(wire::BackendKeyData{.pid = 41, .secret = secret(42)}), {});
  script.backend(ready('I'), {.to_client = "K(1 2) Z(I)", .commands = "LoginDone"});
  script.client(frames(wire::Terminate{}), {.to_backend = "X", .commands = "CloseBackend CloseClient"});
  script.check();
}

TEST_CASE("both kinds of encryption are declined, once each, and the login goes on") {
  Script()
      .client(packet(wire::SslRequest{}), {.to_client = "N"})
      .client(packet(wire::GssEncRequest{}), {.to_client = "N"})
      .client(startup({{"user", "ann"}}), {.to_client = "R(0)", .commands = "ConnectBackend"})
      .check();
  for (const std::string& request : {packet(wire::SslRequest{}), packet(wire::GssEncRequest{})}) {
    Script()
        .client(request, {.to_client = "N"})
        .client(request,
                {.to_client = "E(FATAL 08P01 encryption was asked for twice)", .commands = "CloseClient"})
        .check();
  }
}

namespace {
SessionConfig with(ClientEncryption encryption) {
  SessionConfig config = Script::default_config();
  config.encryption = encryption;
  return config;
}
Event secured() {
  return ClientSecured{"hash"};
}
}  // namespace

TEST_CASE("TLS begins before the start-up packet, and once") {
  for (const auto encryption : {ClientEncryption::offered, ClientEncryption::required}) {
    Script(with(encryption))
        .client(packet(wire::SslRequest{}), {.to_client = "S", .commands = "SecureClient"})
        .event(secured, {})
        .client(startup({{"user", "ann"}}), {.to_client = "R(0)", .commands = "ConnectBackend"})
        .check();
    for (const std::string& request : {packet(wire::SslRequest{}), packet(wire::GssEncRequest{})}) {
      Script(with(encryption))
          .client(packet(wire::SslRequest{}), {.to_client = "S", .commands = "SecureClient"})
          .event(secured, {})
          .client(request,
                  {.to_client = "E(FATAL 08P01 encryption was asked for twice)", .commands = "CloseClient"})
          .check();
    }
    Script(with(encryption))
        .client(packet(wire::GssEncRequest{}), {.to_client = "N"})
        .client(packet(wire::SslRequest{}), {.to_client = "S", .commands = "SecureClient"})
        .event([] { return LoginTimedOut{}; }, {.commands = "CloseClient"})
        .check();
  }
}

TEST_CASE("where TLS is required, only a cancel request is heard without it") {
  const char* refused =
      "E(FATAL 28000 connections without TLS are not accepted here / connect with sslmode=require, or better "
      "verify-full)";
  Script(with(ClientEncryption::required))
      .client(startup({{"user", "ann"}}), {.to_client = refused, .commands = "CloseClient"})
      .check();
  Script(with(ClientEncryption::required))
      .client(packet(wire::GssEncRequest{}), {.to_client = "N"})
      .client(startup({{"user", "ann"}}), {.to_client = refused, .commands = "CloseClient"})
      .check();
  Script(with(ClientEncryption::required))
      .client(packet(wire::CancelRequest{.pid = 7, .secret = secret(8)}),
              {.commands = "CancelOther(7 8) CloseClient"})
      .check();
  Script(with(ClientEncryption::offered))
      .client(startup({{"user", "ann"}}), {.to_client = "R(0)", .commands = "ConnectBackend"})
      .check();
}

TEST_CASE("bytes behind a request for TLS are not heard, nor any before the handshake is done") {
  Script(with(ClientEncryption::offered))
      .client(packet(wire::SslRequest{}) + startup({{"user", "ann"}}),
              {.to_client = "E(FATAL 08P01 unencrypted data after an encryption request)",
               .commands = "CloseClient"})
      .not_in_pieces()
      .check();
  FakeGate gate;
  Session session(with(ClientEncryption::offered), gate);
  const std::string request = packet(wire::SslRequest{});
  static_cast<void>(session.step(ClientBytes{request}));
  const std::string early = startup({{"user", "ann"}});
  CHECK(session.step(ClientBytes{early}).to_client.empty());
  CHECK_THROWS_AS(static_cast<void>(session.step(secured())), Bug);
}

TEST_CASE("bytes that came before the answer to an encryption request are not heard") {
  Script()
      .client(packet(wire::SslRequest{}) + startup({{"user", "ann"}}),
              {.to_client = "E(FATAL 08P01 unencrypted data after an encryption request)",
               .commands = "CloseClient"})
      .not_in_pieces()
      .check();
}

TEST_CASE("a cancel request is handed on and gets no byte") {
  Script()
      .client(packet(wire::CancelRequest{.pid = 7, .secret = secret(8)}),
              {.commands = "CancelOther(7 8) CloseClient"})
      .check();
}

TEST_CASE("what a start-up packet may not hold ends the session with its name") {
  struct Row {
    const char* name;
    std::string packet;
    std::string error;
  };
  const Row rows[] = {
      {"major version 2", packet(wire::StartupMessage{.major = 2, .parameters = {}}),
       "E(FATAL 0A000 unsupported frontend protocol / use protocol 3)"},
      {"no user", startup({{"database", "demo"}}), "E(FATAL 28000 no user name in the start-up packet)"},
      {"empty user", startup({{"user", ""}}), "E(FATAL 28000 no user name in the start-up packet)"},
      {"replication", startup({{"user", "ann"}, {"replication", "database"}}),
       "E(FATAL 42501 replication is not open)"},
      {"a search_path that is no list", startup({{"user", "ann"}, {"search_path", "a,,b"}}),
       "E(FATAL 22023 invalid value for parameter \"search_path\" / list names of schemas, with commas "
       "between "
       "them)"},
      {"the same in options", startup({{"user", "ann"}, {"options", "-c search_path=\"a"}}),
       "E(FATAL 22023 invalid value for parameter \"search_path\" / list names of schemas, with commas "
       "between "
       "them)"},
      {"role in options", startup({{"user", "ann"}, {"options", "-c role=dba"}}),
       "E(FATAL 42501 start-up parameter \"role\" is not open / connect without it; docs/session.md, "
       "\"Settings\", "
       "lists what may be set)"},
      {"a flag in options", startup({{"user", "ann"}, {"options", "-W 5"}}),
       "E(FATAL 42501 start-up parameter \"options\" may only set settings / use -c name=value)"},
      {"another encoding", startup({{"user", "ann"}, {"client_encoding", "GBK"}}),
       "E(FATAL 0A000 client_encoding can only be UTF8 or an encoding of one byte for each character / set "
       "PGCLIENTENCODING=UTF8 (psql on Windows: chcp 65001 as well; ODBC: the Unicode driver; a URL: "
       "client_encoding=UTF8))"},
      {"a role that may not connect", startup({{"user", "stranger"}, {"database", "demo"}}),
       "R(0) E(FATAL 42501 role may not use database demo)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Script().client(row.packet, {.to_client = row.error, .commands = "CloseClient"}).check();
  }
}

TEST_CASE("a client gets the minor version that it asks for, or is told which it gets") {
  struct Row {
    std::uint16_t asked;
    std::vector<std::pair<std::string, std::string>> options;
    const char* told;
    const char* key;
  };
  const Row rows[] = {
      {0, {}, "R(0)", "K(1 2)"},
      {1, {}, "v(30000 ) R(0)", "K(1 2)"},  // there is no 3.1
      {2, {}, "R(0)", "K(1 32:2)"},
      {3, {}, "v(30002 ) R(0)", "K(1 32:2)"},
      {9999, {}, "v(30002 ) R(0)", "K(1 32:2)"},  // libpq 19 asks for it, to see that it is told
      {0xffff, {}, "v(30002 ) R(0)", "K(1 32:2)"},
      {0, {{"_pq_.a", "1"}, {"_pq_.b", ""}}, "v(30000 _pq_.a _pq_.b) R(0)", "K(1 2)"},
      {2, {{"_pq_.a", "1"}}, "v(30002 _pq_.a) R(0)", "K(1 32:2)"},
      {9999,
       {{"_pq_.test_protocol_negotiation", ""}},
       "v(30002 _pq_.test_protocol_negotiation) R(0)",
       "K(1 32:2)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.asked);
    std::vector<std::pair<std::string, std::string>> parameters{{"user", "ann"}, {"database", "demo"}};
    parameters.insert(parameters.end(), row.options.begin(), row.options.end());
    FakeGate gate;
    Session session(Script::default_config(), gate);
    const std::string bytes = startup(parameters, row.asked);
    CHECK(render_to_client(session.step(ClientBytes{bytes}).to_client) == row.told);
    static_cast<void>(session.step(BackendConnected{}));
    const std::string answer = frames(wire::AuthenticationOk{}) + ready('I');
    CHECK(render_to_client(session.step(BackendBytes{answer}).to_client) == std::string(row.key) + " Z(I)");
  }
}

TEST_CASE("a connection that begins with TLS is secured with the bytes that have come") {
  for (const auto encryption : {ClientEncryption::offered, ClientEncryption::required}) {
    Script(with(encryption))
        .client("\x16", {.commands = "SecureClient(direct 1 bytes)"})
        .event(secured, {})
        .client(startup({{"user", "ann"}}), {.to_client = "R(0)", .commands = "ConnectBackend"})
        .check();
    Script(with(encryption))
        .client("\x16\x03\x01\x02", {.commands = "SecureClient(direct 4 bytes)"})
        .event([] { return LoginTimedOut{}; }, {.commands = "CloseClient"})
        .not_in_pieces()
        .check();
    for (const std::string& request : {packet(wire::SslRequest{}), packet(wire::GssEncRequest{})}) {
      Script(with(encryption))
          .client("\x16", {.commands = "SecureClient(direct 1 bytes)"})
          .event(secured, {})
          .client(request,
                  {.to_client = "E(FATAL 08P01 encryption was asked for twice)", .commands = "CloseClient"})
          .check();
    }
  }
}

TEST_CASE("where TLS is off, a connection that begins with it ends without a word") {
  Script().client("\x16", {.commands = "CloseClient"}).check();
}

TEST_CASE("TLS in place of a later packet is none") {
  const std::string hello("\x16\x03\x01\x02\x00", 5);
  const char* refused = "E(FATAL 08P01 message is too long)";
  Script(with(ClientEncryption::offered))
      .client(packet(wire::GssEncRequest{}), {.to_client = "N"})
      .client(hello, {.to_client = refused, .commands = "CloseClient"})
      .check();
  Script(with(ClientEncryption::offered))
      .client(packet(wire::SslRequest{}), {.to_client = "S", .commands = "SecureClient"})
      .event(secured, {})
      .client(hello, {.to_client = refused, .commands = "CloseClient"})
      .check();
}

TEST_CASE(
    "open settings reach the server before the pinned ones, which win; the database defaults to the user") {
  Script()
      .client(startup({{"user", "ann"},
                       {"options", "-c statement_timeout=5s --work-mem=1MB -cDateStyle=ISO,\\ DMY"},
                       {"application_name", "psql"},
                       {"client_encoding", "utf-8"},
                       {"JIT", "on"},
                       {"work_mem", "2MB"}}),
              {.to_client = "R(0)", .commands = "ConnectBackend"})
      .event([] { return BackendConnected{}; },
             {.to_backend =
                  "Startup(user=query_role database=ann statement_timeout=5s DateStyle=ISO, DMY "
                  "application_name=psql work_mem=2MB client_encoding=UTF8 standard_conforming_strings=on "
                  "backslash_quote=safe_encoding array_nulls=on transform_null_equals=off "
                  "default_transaction_read_only=on row_security=on client_min_messages=notice jit=off "
                  "pgveil.notices=on "
                  "search_path=public, pg_temp pgveil.search_path=public)"})
      .check();
}

TEST_CASE("a search path of the client's own does not reach the server's") {
  const std::string rest =
      "client_encoding=UTF8 standard_conforming_strings=on backslash_quote=safe_encoding array_nulls=on "
      "transform_null_equals=off default_transaction_read_only=on row_security=on client_min_messages=notice "
      "jit=off pgveil.notices=on search_path=public, pg_temp ";
  Script()
      .client(startup({{"user", "ann"}, {"options", "-c search_path=a"}, {"Search_Path", "Lab, \"Lab\""}}),
              {.to_client = "R(0)", .commands = "ConnectBackend"})
      .event([] { return BackendConnected{}; }, {.to_backend = "Startup(user=query_role database=ann " +
                                                               rest + "pgveil.search_path=lab, \"Lab\")"})
      .backend(frames(wire::AuthenticationOk{}) + ready('I'),
               {.to_client = "K(1 2) Z(I)", .commands = "LoginDone"})
      .client(query("SELECT 1;PATH hr;RESET;SELECT 2"),
              {.to_backend = "Q(ok: SELECT 1 in lab, \"Lab\";ok: PATH hr in lab, \"Lab\";ok: RESET in hr;"
                             "ok: SELECT 2 in lab, \"Lab\")"})
      .check();
}

TEST_CASE("a start-up packet above its limit is refused at its length") {
  Script()
      .client(std::string("\0\0\x27\x15", 4),
              {.to_client = "E(FATAL 08P01 message is too long)", .commands = "CloseClient"})
      .check();
}

TEST_CASE("a server that can't be reached is told as 08006") {
  Script()
      .client(startup({{"user", "ann"}}), {.to_client = "R(0)", .commands = "ConnectBackend"})
      .event([] { return BackendFailed{"connection refused"}; },
             {.to_client = "E(FATAL 08006 the database server is not reachable)", .commands = "CloseClient"})
      .check();
}

TEST_CASE("a login that takes too long ends; before a start-up packet without a word") {
  Script().event([] { return LoginTimedOut{}; }, {.commands = "CloseClient"}).check();
  Script()
      .client(startup({{"user", "ann"}}), {.to_client = "R(0)", .commands = "ConnectBackend"})
      .event([] { return LoginTimedOut{}; },
             {.to_client = "E(FATAL 08006 the database server did not answer in time)",
              .commands = "CloseBackend CloseClient"})
      .check();
}

TEST_CASE("messages sent before the server is ready wait for it") {
  Script()
      .client(startup({{"user", "ann"}}) + query("SELECT 1"),
              {.to_client = "R(0)", .commands = "ConnectBackend"})
      .event([] { return BackendConnected{}; },
             {.to_backend =
                  "Startup(user=query_role database=ann client_encoding=UTF8 standard_conforming_strings=on "
                  "backslash_quote=safe_encoding array_nulls=on transform_null_equals=off "
                  "default_transaction_read_only=on row_security=on client_min_messages=notice jit=off "
                  "pgveil.notices=on "
                  "search_path=public, pg_temp pgveil.search_path=public)"})
      .backend(frames(wire::AuthenticationOk{}) + ready('I'),
               {.to_client = "K(1 2) Z(I)", .to_backend = "Q(ok: SELECT 1)", .commands = "LoginDone"})
      .check();
}

TEST_CASE("options are split as PostgreSQL splits them") {
  struct Row {
    const char* text;
    std::string expected;  // empty: refused
  };
  const Row rows[] = {{"-c a=1", "a=1;"},
                      {"-ca=1", "a=1;"},
                      {"--a-b=1", "a_b=1;"},
                      {" \t-c  a=1\n", "a=1;"},
                      {"-c a=x\\ y", "a=x y;"},
                      {"-c a=\\\\", "a=\\;"},
                      {"-c a=", "a=;"},
                      {"-c a=1 --b=2", "a=1;b=2;"},
                      {"-c a==b", "a==b;"},
                      {"-c", ""},
                      {"-c a", ""},
                      {"-c =1", ""},
                      {"a=1", ""},
                      {"-d 5", ""},
                      {"--", ""},
                      {"-c a=1 -e", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto settings = parse_options(row.text);
    std::string text;
    if (settings) {
      for (const auto& [name, value] : *settings) text += name + "=" + value + ";";
    }
    CHECK(text == row.expected);
    CHECK(settings.has_value() == !row.expected.empty());
  }
}
