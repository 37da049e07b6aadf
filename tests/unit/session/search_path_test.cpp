// The client's search path runs ahead of the server, and comes back where the server did not follow.
#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

TEST_CASE("what is set holds for the next statement, in the same text and in the next message") {
  Script::logged_in()
      .client(query("PATH hr;SELECT 1"), {.to_backend = "Q(ok: PATH hr;ok: SELECT 1 in hr)"})
      .backend(complete("SET") + complete("SELECT 1") + ready('I'), {.to_client = "C(SET) C(SELECT 1) Z(I)"})
      .client(query("SELECT 2"), {.to_backend = "Q(ok: SELECT 2 in hr)"})
      .backend(complete("SELECT 1") + ready('I'), {.to_client = "C(SELECT 1) Z(I)"})
      .client(query("DISCARD ALL"), {.to_backend = "Q(ok: DISCARD ALL in hr)"})
      .backend(complete("DISCARD ALL") + ready('I'), {.to_client = "C(DISCARD ALL) Z(I)"})
      .client(query("SELECT 3"), {.to_backend = "Q(ok: SELECT 3)"})
      .check();
}

TEST_CASE("a text that fails takes back what it set") {
  Script::logged_in()
      .client(query("PATH hr;SELECT 1"), {.to_backend = "Q(ok: PATH hr;ok: SELECT 1 in hr)"})
      .backend(complete("SET") + server_error("22012", "division by zero") + ready('I'),
               {.to_client = "C(SET) E(ERROR 22012 division by zero / try again) Z(I)"})
      .client(query("SELECT 2"), {.to_backend = "Q(ok: SELECT 2)"})
      .check();
}

TEST_CASE("a text that is refused sets nothing") {
  Script::logged_in()
      .client(query("PATH hr;PREPARE " + std::string(64, 'n')),
              {.to_client = "E(ERROR 42622 name is longer than 63 bytes) Z(I)"})
      .client(query("SELECT 2"), {.to_backend = "Q(ok: SELECT 2)"})
      .check();
}

TEST_CASE("SET LOCAL ends with the transaction, SET stays after COMMIT and goes with ROLLBACK") {
  const auto done = [](const char* tag, char status) { return complete(tag) + ready(status); };
  Script::logged_in()
      .client(query("BEGIN;PATH a;LOCALPATH b"),
              {.to_backend = "Q(ok: BEGIN;ok: PATH a;ok: LOCALPATH b in a)"})
      .backend(complete("BEGIN") + complete("SET") + done("SET", 'T'),
               {.to_client = "C(BEGIN) C(SET) C(SET) Z(T)"})
      .client(query("COMMIT;SELECT 1"), {.to_backend = "Q(ok: COMMIT in b;ok: SELECT 1 in a)"})
      .backend(complete("COMMIT") + done("SELECT 1", 'I'), {.to_client = "C(COMMIT) C(SELECT 1) Z(I)"})
      .client(query("BEGIN;PATH c"), {.to_backend = "Q(ok: BEGIN in a;ok: PATH c in a)"})
      .backend(complete("BEGIN") + done("SET", 'T'), {.to_client = "C(BEGIN) C(SET) Z(T)"})
      .client(query("ROLLBACK"), {.to_backend = "Q(ok: ROLLBACK in c)"})
      .backend(done("ROLLBACK", 'I'), {.to_client = "C(ROLLBACK) Z(I)"})
      .client(query("LOCALPATH d"), {.to_backend = "Q(ok: LOCALPATH d in a)"})
      .backend(done("SET", 'I'), {.to_client = "C(SET) Z(I)"})
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1 in a)"})
      .check();
}

TEST_CASE(
    "ROLLBACK TO brings a path back out of a failed transaction; COMMIT of a failed one is a rollback") {
  Script::logged_in()
      .client(query("BEGIN;PATH a;SAVEPOINT s;PATH b"),
              {.to_backend = "Q(ok: BEGIN;ok: PATH a;ok: SAVEPOINT s in a;ok: PATH b in a)"})
      .backend(complete("BEGIN") + complete("SET") + complete("SAVEPOINT") + complete("SET") + ready('T'),
               {.to_client = "C(BEGIN) C(SET) C(SAVEPOINT) C(SET) Z(T)"})
      .client(query("refuse this"), {.to_backend = "Q(PGVEIL REFUSED)"})
      .backend(server_error("42601", "x") + ready('E'),
               {.to_client = "E(ERROR 42501 not open / ask less @3) Z(E)"})
      .client(query("BACKTO s;SELECT 1"), {.to_backend = "Q(ok: BACKTO s in b;ok: SELECT 1 in a)"})
      .backend(complete("ROLLBACK") + server_error("22012", "x") + ready('E'),
               {.to_client = "C(ROLLBACK) E(ERROR 22012 x / try again) Z(E)"})
      .client(query("COMMIT"), {.to_backend = "Q(ok: COMMIT in a)"})
      .backend(complete("ROLLBACK") + ready('I'), {.to_client = "C(ROLLBACK) Z(I)"})
      .client(query("SELECT 2"), {.to_backend = "Q(ok: SELECT 2)"})
      .check();
}

TEST_CASE("in a pipeline the path changes at Execute, and comes back when the batch fails") {
  Script::logged_in()
      .client(parse("s", "SELECT 1") + parse("", "PATH hr") + bind_message("", "") + parse("t", "SELECT 2"),
              {.to_backend = "P(s,ok: SELECT 1) P(,ok: PATH hr) B(,) P(t,ok: SELECT 2)"})
      .client(execute("") + parse("u", "SELECT 3") + sync_message(),
              {.to_backend = "E(,0) P(u,ok: SELECT 3 in hr) S"})
      .backend(
          frames(wire::ParseComplete{}, wire::ParseComplete{}, wire::BindComplete{}, wire::ParseComplete{}) +
              complete("SET") + server_error("42P05", "exists") + ready('I'),
          {.to_client = "1 1 2 1 C(SET) E(ERROR 42P05 exists / try again) Z(I)"})
      .client(query("SELECT 4"), {.to_backend = "Q(ok: SELECT 4)"})
      .check();
}

namespace {

// A login at a server that reports its search_path, as PostgreSQL does from 18 on. path: the client's own, or
// empty.
Script at_a_server_that_reports(const std::string& path, const std::string& told) {
  std::vector<std::pair<std::string, std::string>> parameters{{"user", "ann"}, {"database", "demo"}};
  if (!path.empty()) parameters.emplace_back("search_path", path);
  std::string startup;
  wire::encode(wire::StartupMessage{.parameters = parameters}, startup);
  Script script;
  script.client(startup, {.to_client = "R(0)", .commands = "ConnectBackend"});
  script.event([] { return BackendConnected{}; },
               {.to_backend = "Startup(user=query_role database=demo client_encoding=UTF8 "
                              "standard_conforming_strings=on backslash_quote=safe_encoding array_nulls=on "
                              "transform_null_equals=off default_transaction_read_only=on row_security=on "
                              "client_min_messages=notice jit=off pgveil.notices=on search_path=public, "
                              "pg_temp pgveil.search_path=" +
                              told + ")"});
  script.backend(frames(wire::AuthenticationOk{}) + parameter("search_path", "public, pg_temp") +
                     frames(wire::BackendKeyData{.pid = 41, .secret = secret(42)}) + ready('I'),
                 {.to_client = "S(search_path=" + told + ") K(1 2) Z(I)", .commands = "LoginDone"});
  return script.set_up_ends();
}

}  // namespace

TEST_CASE("a server that reports its search_path makes us report the client's, and never its own") {
  at_a_server_that_reports("", "public").check();
  at_a_server_that_reports("hr,  \"My Schema\", PUBLIC", R"(hr, "My Schema", public)")
      .client(query("SELECT 1"), {.to_backend = R"(Q(ok: SELECT 1 in hr, "My Schema", public))"})
      .check();
  at_a_server_that_reports("", "public")
      .client(query("PATH hr"), {.to_backend = "Q(ok: PATH hr)"})
      .backend(complete("SET") + ready('I'), {.to_client = "C(SET) S(search_path=hr) Z(I)"})
      .client(query("PATH hr"), {.to_backend = "Q(ok: PATH hr in hr)"})
      .backend(complete("SET") + ready('I'), {.to_client = "C(SET) Z(I)"})
      .backend(parameter("search_path", "public, pg_temp"), {})
      .client(query("DISCARD ALL"), {.to_backend = "Q(ok: DISCARD ALL in hr)"})
      .backend(complete("DISCARD ALL") + ready('I'),
               {.to_client = "C(DISCARD ALL) S(search_path=public) Z(I)"})
      .check();
}

TEST_CASE("a path is reported when it is the server's: not ahead of it, and again after a rollback") {
  at_a_server_that_reports("", "public")
      .client(query("BEGIN;PATH a"), {.to_backend = "Q(ok: BEGIN;ok: PATH a)"})
      .backend(complete("BEGIN") + complete("SET") + ready('T'),
               {.to_client = "C(BEGIN) C(SET) S(search_path=a) Z(T)"})
      .client(query("ROLLBACK"), {.to_backend = "Q(ok: ROLLBACK in a)"})
      .backend(complete("ROLLBACK") + ready('I'), {.to_client = "C(ROLLBACK) S(search_path=public) Z(I)"})
      .client(query("PATH hr;SELECT 1"), {.to_backend = "Q(ok: PATH hr;ok: SELECT 1 in hr)"})
      .backend(complete("SET") + server_error("22012", "division by zero") + ready('I'),
               {.to_client = "C(SET) E(ERROR 22012 division by zero / try again) Z(I)"})
      .client(parse("", "PATH hr") + bind_message("", "") + execute("") + sync_message(),
              {.to_backend = "P(,ok: PATH hr) B(,) E(,0) S"})
      .backend(frames(wire::ParseComplete{}, wire::BindComplete{}) + complete("SET") + ready('I'),
               {.to_client = "1 2 C(SET) S(search_path=hr) Z(I)"})
      .check();
}

TEST_CASE("with a server that does not report its search_path, neither do we") {
  Script::logged_in()
      .client(query("PATH hr"), {.to_backend = "Q(ok: PATH hr)"})
      .backend(complete("SET") + ready('I'), {.to_client = "C(SET) Z(I)"})
      .check();
}

TEST_CASE("SHOW search_path has its own name, in a query and when described") {
  Script::logged_in()
      .client(query("SELECT 1;SHOW search_path"), {.to_backend = "Q(ok: SELECT 1;ok: SHOW search_path)"})
      .backend(row_description("a") + row("1") + complete("SELECT 1") +
                   row_description("pgveil.search_path") + row("hr") + complete("SHOW") + ready('I'),
               {.to_client = "T(a:7/3) D(1) C(SELECT 1) T(search_path:7/3) D(hr) C(SHOW) Z(I)"})
      .client(parse("", "SHOW search_path") + describe_statement("") + sync_message(),
              {.to_backend = "P(,ok: SHOW search_path) D(S) S"})
      .backend(frames(wire::ParseComplete{}, wire::ParameterDescription{}) +
                   row_description("pgveil.search_path") + ready('I'),
               {.to_client = "1 t T(search_path:7/3) Z(I)"})
      .check();
}
