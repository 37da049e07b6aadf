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
