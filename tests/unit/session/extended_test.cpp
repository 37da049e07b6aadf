#include "proxy/session/extended.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

namespace pgveil::session::extended_test {

using namespace pgveil::session::testing;

namespace {

const std::string kParsed = frames(wire::ParseComplete{});
const std::string kBound = frames(wire::BindComplete{});
const std::string kNoData = frames(wire::NoData{});
const std::string kParameters = frames(wire::ParameterDescription{{25}});

constexpr const char* kRefused = "E(ERROR 42501 not open / ask less @3)";

Script in_transaction() {
  Script script = Script::logged_in();
  script.client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"});
  script.backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"});
  return script.set_up_ends();
}

}  // namespace

TEST_CASE("Parse, Bind, Describe and Execute go through, the text rewritten, the rest as it is") {
  Script::logged_in()
      .client(parse("s", "SELECT $1") + describe_statement("s") + sync_message(),
              {.to_backend = "P(s,ok: SELECT $1) D(Ss) S"})
      .backend(kParsed + kParameters + row_description("a") + ready('I'), {.to_client = "1 t T(a:7/3) Z(I)"})
      .client(bind_message("", "s") + describe_portal("") + execute("") + sync_message(),
              {.to_backend = "B(,s) D(P) E(,0) S"})
      .backend(kBound + row_description("a") + row("x"), {.to_client = "2 T(a:7/3) D(x)"})
      .backend(complete("SELECT 1") + ready('I'), {.to_client = "C(SELECT 1) Z(I)"})
      .client(close_statement("s") + sync_message(), {.to_backend = "C(Ss) S"})
      .backend(frames(wire::CloseComplete{}) + ready('I'), {.to_client = "3 Z(I)"})
      .check();
}

TEST_CASE("descriptions of protected statements don't tell where columns come from") {
  Script::logged_in()
      .client(parse("s", "SELECT people") + describe_statement("s") + bind_message("p", "s") +
                  describe_portal("p") + sync_message(),
              {.to_backend = "P(s,ok: SELECT people) D(Ss) B(p,s) D(Pp) S"})
      .backend(kParsed + frames(wire::ParameterDescription{}) + row_description("a") + kBound +
                   row_description("a"),
               {.to_client = "1 t T(a:0/0) 2 T(a:0/0)"})
      .backend(ready('I'), {.to_client = "Z(I)"})
      .check();
}

TEST_CASE("a portal is read in pieces") {
  Script script = in_transaction();
  script
      .client(parse("", "SELECT 1") + bind_message("p", "") + execute("p", 1) + sync_message(),
              {.to_backend = "P(,ok: SELECT 1) B(p,) E(p,1) S"})
      .backend(kParsed + kBound + row("x") + frames(wire::PortalSuspended{}) + ready('T'),
               {.to_client = "1 2 D(x) s Z(T)"})
      .client(execute("p", 1) + sync_message(), {.to_backend = "E(p,1) S"})
      .backend(complete("SELECT 0") + ready('T'), {.to_client = "C(SELECT 0) Z(T)"})
      .check();
}

TEST_CASE("an empty statement has no data and an empty answer") {
  Script::logged_in()
      .client(parse("", "") + bind_message("", "") + describe_portal("") + execute("") + sync_message(),
              {.to_backend = "P(,) B(,) D(P) E(,0) S"})
      .backend(kParsed + kBound + kNoData + frames(wire::EmptyQueryResponse{}) + ready('I'),
               {.to_client = "1 2 n I Z(I)"})
      .check();
}

TEST_CASE("a pipeline is sent on as it comes and answered in order") {
  Script::logged_in()
      .client(parse("", "SELECT 1") + bind_message("", ""), {.to_backend = "P(,ok: SELECT 1) B(,)"})
      .client(execute("") + flush_message(), {.to_backend = "E(,0) H"})
      .backend(kParsed + kBound, {.to_client = "1 2"})
      .client(parse("", "SELECT 2") + bind_message("", "") + execute("") + sync_message() + sync_message() +
                  query("SELECT 3"),
              {.to_backend = "P(,ok: SELECT 2) B(,) E(,0) S"})
      .backend(complete("SELECT 1") + kParsed + kBound + complete("SELECT 1"),
               {.to_client = "C(SELECT 1) 1 2 C(SELECT 1)"})
      .backend(ready('I'), {.to_client = "Z(I)", .to_backend = "S"})
      .backend(ready('I'), {.to_client = "Z(I)", .to_backend = "Q(ok: SELECT 3)"})
      .check();
}

TEST_CASE("a query without a Sync before it waits for what was sent, which is made to come") {
  Script::logged_in()
      .client(parse("", "SELECT 1") + bind_message("", ""), {.to_backend = "P(,ok: SELECT 1) B(,)"})
      .client(query("SELECT 2"), {.to_backend = "H"})
      .backend(kParsed, {.to_client = "1"})
      .backend(kBound, {.to_client = "2", .to_backend = "Q(ok: SELECT 2)"})
      .backend(complete("SELECT 1") + ready('I'), {.to_client = "C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("an error of the server drops all up to Sync, here and there") {
  Script::logged_in()
      .client(parse("", "SELECT 1") + bind_message("", "") + execute("") + sync_message(),
              {.to_backend = "P(,ok: SELECT 1) B(,) E(,0) S"})
      .backend(kParsed + server_error("22P02", "bad parameter"),
               {.to_client = "1 E(ERROR 22P02 bad parameter / try again)"})
      .backend(ready('I'), {.to_client = "Z(I)"})
      .check();
  Script::logged_in()
      .client(parse("", "SELECT 1") + flush_message(), {.to_backend = "P(,ok: SELECT 1) H"})
      .backend(server_error("42P01", "no table"), {.to_client = "E(ERROR 42P01 no table / try again)"})
      .client(bind_message("", "") + query("SELECT 1") + execute("") + flush_message(), {})
      .client(sync_message(), {.to_backend = "S"})
      .backend(ready('I'), {.to_client = "Z(I)"})
      .client(bind_message("", "") + sync_message(),
              {.to_client = "E(ERROR 26000 unnamed prepared statement does not exist) Z(I)"})
      .check();
}

TEST_CASE("a refusal with nothing before it is answered here, up to Sync") {
  Script::logged_in()
      .client(parse("", "refuse") + bind_message("", "") + describe_portal("") + execute("") +
                  flush_message() + query("SELECT 1"),
              {.to_client = kRefused})
      .client(sync_message(), {.to_client = "Z(I)"})
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .check();
}

TEST_CASE("a refusal after other messages fails at its place") {
  Script::logged_in()
      .client(parse("a", "SELECT 1") + parse("b", "refuse") + bind_message("", "b") + sync_message(),
              {.to_backend = "P(a,ok: SELECT 1) P(,PGVEIL REFUSED) S"})
      .backend(kParsed + server_error("42601", "syntax error"), {.to_client = std::string("1 ") + kRefused})
      .backend(ready('I'), {.to_client = "Z(I)"})
      .check();
}

TEST_CASE("an earlier error of the server comes before a refusal, which is then never seen") {
  Script::logged_in()
      .client(parse("a", "SELECT 1") + parse("b", "refuse") + sync_message(),
              {.to_backend = "P(a,ok: SELECT 1) P(,PGVEIL REFUSED) S"})
      .backend(server_error("42P01", "no table") + ready('I'),
               {.to_client = "E(ERROR 42P01 no table / try again) Z(I)"})
      .check();
}

TEST_CASE("in a transaction a refusal makes the server fail too, at Parse") {
  Script script = in_transaction();
  script.client(parse("", "refuse") + sync_message(), {.to_backend = "P(,PGVEIL REFUSED) S"})
      .backend(server_error("42601", "syntax error") + ready('E'),
               {.to_client = std::string(kRefused) + " Z(E)"})
      .client(parse("", "refuse") + sync_message(),
              {.to_client =
                   "E(ERROR 25P02 current transaction is aborted, commands ignored until end of transaction "
                   "block) Z(E)"})
      .check();
}

TEST_CASE("a refusal text that the server takes is a broken server") {
  Script script = in_transaction();
  script.client(parse("", "refuse"), {.to_backend = "P(,PGVEIL REFUSED)"})
      .backend(kParsed, {.to_client = "E(FATAL 08P01 the database server broke the protocol)",
                         .to_backend = "X",
                         .commands = "ForwardCancel(41 42) CloseBackend CloseClient"})
      .check();
}

TEST_CASE("two statements in one Parse are a syntax error") {
  Script::logged_in()
      .client(parse("", "SELECT 1;SELECT 2") + sync_message(),
              {.to_client = "E(ERROR 42601 cannot insert multiple commands into a prepared statement) Z(I)"})
      .check();
}

TEST_CASE("parameters of types that are not PostgreSQL's own are refused") {
  const auto typed = [](std::uint32_t oid) {
    return frames(wire::Parse{.statement = "", .sql = "SELECT $1", .parameter_types = {25, oid}});
  };
  Script::logged_in()
      .client(typed(16384) + sync_message(),
              {.to_client = "E(ERROR 42501 a parameter's type is not one of PostgreSQL's own / "
                            "leave the type open (OID 0) or send text) Z(I)"})
      .client(typed(16383), {.to_backend = "P(,ok: SELECT $1)"})
      .check();
}

TEST_CASE("run-time errors of protected statements show their state only, parse errors their message") {
  Script::logged_in()
      .client(parse("s", "SELECT people") + sync_message(), {.to_backend = "P(s,ok: SELECT people) S"})
      .backend(server_error("42883", "operator does not exist: text = integer") + ready('I'),
               {.to_client = "E(ERROR 42883 operator does not exist: text = integer) Z(I)"})
      .client(parse("s", "SELECT people") + bind_message("", "s") + execute("") + sync_message(),
              {.to_backend = "P(s,ok: SELECT people) B(,s) E(,0) S"})
      .backend(kParsed + kBound + row("x") + server_error("42P01", "relation \"Smith\" does not exist") +
                   ready('I'),
               {.to_client = "1 2 D(x) E(ERROR 42P01 a protected statement was not valid when it ran) Z(I)"})
      .check();
}

TEST_CASE("a COMMIT by message that reads a held cursor fails like the cursor") {
  Script script = in_transaction();
  script.client(query("DECLARE c CURSOR people"), {.to_backend = "Q(ok: DECLARE c CURSOR people)"})
      .backend(complete("DECLARE CURSOR") + ready('T'), {.to_client = "C(DECLARE CURSOR) Z(T)"})
      .client(parse("", "COMMIT") + bind_message("", "") + execute("") + sync_message(),
              {.to_backend = "P(,ok: COMMIT) B(,) E(,0) S"})
      .backend(kParsed + kBound + server_error("22P02", "for integer: \"Smith\"") + ready('I'),
               {.to_client = "1 2 E(ERROR 22P02 invalid input syntax) Z(I)"})
      .check();
}

TEST_CASE("an error at Sync is one of everything before it") {
  Script::logged_in()
      .client(parse("s", "SELECT people") + bind_message("", "s") + execute("") + sync_message(),
              {.to_backend = "P(s,ok: SELECT people) B(,s) E(,0) S"})
      .backend(kParsed + kBound + complete("SELECT 0"), {.to_client = "1 2 C(SELECT 0)"})
      .backend(server_error("23505", "Smith exists") + ready('I'),
               {.to_client = "E(ERROR 23505 error while running a protected statement) Z(I)"})
      .check();
}

TEST_CASE("an error before Sync and one at it are both told") {
  Script::logged_in()
      .client(parse("s", "SELECT 1") + sync_message(), {.to_backend = "P(s,ok: SELECT 1) S"})
      .backend(server_error("42P01", "no table") + server_error("40001", "try later") + ready('I'),
               {.to_client = "E(ERROR 42P01 no table / try again) E(ERROR 40001 try later / try again) Z(I)"})
      .check();
}

TEST_CASE("malformed extended messages end the session, also while they would be dropped") {
  const std::string bad[] = {std::string("B\0\0\0\5x", 6),   std::string("P\0\0\0\5x", 6),
                             std::string("D\0\0\0\6x\0", 7), std::string("E\0\0\0\5x", 6),
                             std::string("C\0\0\0\6x\0", 7), std::string("H\0\0\0\5x", 6)};
  for (const std::string& bytes : bad) {
    CAPTURE(bytes);
    Script::logged_in()
        .client(bytes, {.to_client = "E(FATAL 08P01 malformed message)",
                        .to_backend = "X",
                        .commands = "CloseBackend CloseClient"})
        .check();
    Script::logged_in()
        .client(parse("", "refuse") + bytes,
                {.to_client = std::string(kRefused) + " E(FATAL 08P01 malformed message)",
                 .to_backend = "X",
                 .commands = "CloseBackend CloseClient"})
        .check();
  }
}

}  // namespace pgveil::session::extended_test
