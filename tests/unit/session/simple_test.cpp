#include "proxy/session/simple.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

TEST_CASE("the description of a masked answer says where its columns come from, if that is known") {
  const std::string two = frames(wire::RowDescription{{{.name = "a"}, {.name = "b"}}});
  Script::logged_in()
      .client(query("SELECT ORIGIN people"), {.to_backend = "Q(ok: SELECT ORIGIN people)"})
      .backend(row_description("a") + complete("SELECT 0") + ready('I'),
               {.to_client = "T(a:77/5) C(SELECT 0) Z(I)"})
      .client(query("SELECT ORIGIN people"), {.to_backend = "Q(ok: SELECT ORIGIN people)"})
      .backend(two + complete("SELECT 0") + ready('I'), {.to_client = "T(a:0/0 b:0/0) C(SELECT 0) Z(I)"})
      .client(query("SELECT ORIGIN x"), {.to_backend = "Q(ok: SELECT ORIGIN x)"})
      .backend(row_description("a") + complete("SELECT 0") + ready('I'),
               {.to_client = "T(a:7/3) C(SELECT 0) Z(I)"})
      .client(parse("s", "SELECT ORIGIN people") + describe_statement("s") + bind_message("", "s") +
                  describe_portal("") + sync_message(),
              {.to_backend = "P(s,ok: SELECT ORIGIN people) D(Ss) B(,s) D(P) S"})
      .backend(frames(wire::ParseComplete{}, wire::ParameterDescription{}) + row_description("a") +
                   frames(wire::BindComplete{}) + row_description("a") + ready('I'),
               {.to_client = "1 t T(a:77/5) 2 T(a:77/5) Z(I)"})
      .check();
}

TEST_CASE("a query goes through rewritten and its rows come back as they are") {
  Script::logged_in()
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .backend(row_description("city") + row("Hamlet"), {.to_client = "T(city:7/3) D(Hamlet)"})
      .backend(row("Columbus") + complete("SELECT 2"), {.to_client = "D(Columbus) C(SELECT 2)"})
      .backend(ready('I'), {.to_client = "Z(I)"})
      .client(frames(wire::Terminate{}), {.to_backend = "X", .commands = "CloseBackend CloseClient"})
      .check();
}

TEST_CASE("rows of a protected statement don't tell where they come from") {
  Script::logged_in()
      .client(query("SELECT 1 FROM people"), {.to_backend = "Q(ok: SELECT 1 FROM people)"})
      .backend(row_description("city") + row("Hamlet") + complete("SELECT 1") + ready('I'),
               {.to_client = "T(city:0/0) D(Hamlet) C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("several statements go as one query, each with its own protection") {
  Script::logged_in()
      .client(query("SELECT 1;SELECT 2 FROM people;SET a"),
              {.to_backend = "Q(ok: SELECT 1;ok: SELECT 2 FROM people;ok: SET a)"})
      .backend(row_description("a") + complete("SELECT 0"), {.to_client = "T(a:7/3) C(SELECT 0)"})
      .backend(row_description("b") + complete("SELECT 0"), {.to_client = "T(b:0/0) C(SELECT 0)"})
      .backend(complete("SET") + ready('I'), {.to_client = "C(SET) Z(I)"})
      .check();
}

TEST_CASE("an empty query is the server's to answer") {
  Script::logged_in()
      .client(query(""), {.to_backend = "Q"})
      .backend(frames(wire::EmptyQueryResponse{}) + ready('I'), {.to_client = "I Z(I)"})
      .check();
}

TEST_CASE("outside a transaction a refusal is answered here") {
  Script::logged_in()
      .client(query("refuse this"), {.to_client = "E(ERROR 42501 not open / ask less @3) Z(I)"})
      .client(query("syntax"), {.to_client = "E(ERROR 42601 syntax error @1) Z(I)"})
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .check();
}

TEST_CASE("in a transaction a refusal makes the server fail too") {
  Script::logged_in()
      .client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"})
      .client(query("refuse this"), {.to_backend = "Q(PGVEIL REFUSED)"})
      .backend(server_error("42601", "syntax error at or near \"PGVEIL\""),
               {.to_client = "E(ERROR 42501 not open / ask less @3)"})
      .backend(ready('E'), {.to_client = "Z(E)"})
      .client(query("refuse this"),
              {.to_client =
                   "E(ERROR 25P02 current transaction is aborted, commands ignored until end of transaction "
                   "block) Z(E)"})
      .client(query("syntax"), {.to_client = "E(ERROR 42601 syntax error @1) Z(E)"})
      .client(query("ROLLBACK"), {.to_backend = "Q(ok: ROLLBACK)"})
      .backend(complete("ROLLBACK") + ready('I'), {.to_client = "C(ROLLBACK) Z(I)"})
      .check();
}

TEST_CASE("one refused statement refuses the whole text before anything is sent") {
  Script::logged_in()
      .client(query("PREPARE a AS SELECT;EXECUTE a;DECLARE " + std::string(64, 'n') + " CURSOR"),
              {.to_client = "E(ERROR 42622 name is longer than 63 bytes) Z(I)"})
      .client(query("EXECUTE a"), {.to_backend = "Q(ok: EXECUTE a)"})
      .backend(row_description("unknown"), {.to_client = "T(unknown:0/0)"})
      .check();
}

TEST_CASE("queries sent ahead wait for the one before them") {
  Script::logged_in()
      .client(query("SELECT 1") + query("refuse") + query("SELECT 2"), {.to_backend = "Q(ok: SELECT 1)"})
      .backend(complete("SELECT 1") + ready('I'),
               {.to_client = "C(SELECT 1) Z(I) E(ERROR 42501 not open / ask less @3) Z(I)",
                .to_backend = "Q(ok: SELECT 2)"})
      .backend(complete("SELECT 1") + ready('I'), {.to_client = "C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("a run-time error of a protected statement shows its state only") {
  Script::logged_in()
      .client(query("SELECT 1 FROM people"), {.to_backend = "Q(ok: SELECT 1 FROM people)"})
      .backend(
          row_description("a") + server_error("22P02", "invalid input syntax for type integer: \"Smith\""),
          {.to_client = "T(a:0/0) E(ERROR 22P02 invalid input syntax)"})
      .backend(ready('I'), {.to_client = "Z(I)"})
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .backend(server_error("22P02", "invalid input syntax for type integer: \"x\"") + ready('I'),
               {.to_client = "E(ERROR 22P02 invalid input syntax for type integer: \"x\" / try again) Z(I)"})
      .check();
}

TEST_CASE("the error of a later statement is filtered as its own") {
  Script::logged_in()
      .client(query("SELECT 1;SELECT 2 FROM people"),
              {.to_backend = "Q(ok: SELECT 1;ok: SELECT 2 FROM people)"})
      .backend(complete("SELECT 1") + server_error("22012", "Smith") + ready('I'),
               {.to_client = "C(SELECT 1) E(ERROR 22012 division by zero) Z(I)"})
      .check();
}

TEST_CASE("EXECUTE and FETCH run before they describe: their errors are run-time errors from the start") {
  Script::logged_in()
      .client(query("PREPARE a AS people"), {.to_backend = "Q(ok: PREPARE a AS people)"})
      .backend(server_error("42883", "operator does not exist: text = integer") + ready('I'),
               {.to_client = "E(ERROR 42883 operator does not exist: text = integer) Z(I)"})
      .client(query("PREPARE a AS people"), {.to_backend = "Q(ok: PREPARE a AS people)"})
      .backend(complete("PREPARE") + ready('I'), {.to_client = "C(PREPARE) Z(I)"})
      .client(query("EXECUTE a"), {.to_backend = "Q(ok: EXECUTE a)"})
      .backend(server_error("42P01", "relation \"Smith\" does not exist") + ready('I'),
               {.to_client = "E(ERROR 42P01 a protected statement was not valid when it ran) Z(I)"})
      .check();
}

TEST_CASE("a commit that reads a held cursor fails like the cursor") {
  const char* filtered = "E(ERROR 22P02 invalid input syntax) Z(I)";
  Script::logged_in()
      .client(query("BEGIN;DECLARE c CURSOR people"),
              {.to_backend = "Q(ok: BEGIN;ok: DECLARE c CURSOR people)"})
      .backend(complete("BEGIN") + complete("DECLARE CURSOR") + ready('T'),
               {.to_client = "C(BEGIN) C(DECLARE CURSOR) Z(T)"})
      .client(query("COMMIT"), {.to_backend = "Q(ok: COMMIT)"})
      .backend(server_error("22P02", "for integer: \"Smith\"") + ready('I'), {.to_client = filtered})
      .client(query("DECLARE c CURSOR people;SET a"),
              {.to_backend = "Q(ok: DECLARE c CURSOR people;ok: SET a)"})
      .backend(complete("DECLARE CURSOR") + server_error("42P01", "relation \"Smith\" does not exist") +
                   ready('I'),
               {.to_client =
                    "C(DECLARE CURSOR) E(ERROR 42P01 a protected statement was not valid when it ran) Z(I)"})
      .client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"})
      .client(query("COMMIT;DECLARE c CURSOR people;SET a"),
              {.to_backend = "Q(ok: COMMIT;ok: DECLARE c CURSOR people;ok: SET a)"})
      .backend(complete("COMMIT") + complete("DECLARE CURSOR") + server_error("22012", "Smith") + ready('I'),
               {.to_client = "C(COMMIT) C(DECLARE CURSOR) E(ERROR 22012 division by zero) Z(I)"})
      .client(query("SET a"), {.to_backend = "Q(ok: SET a)"})
      .backend(server_error("22023", "bad value") + ready('I'),
               {.to_client = "E(ERROR 22023 bad value / try again) Z(I)"})
      .check();
}

TEST_CASE("notices come filtered, notifications not at all, settings as they are") {
  Script::logged_in()
      .client(query("SELECT 1 FROM people"), {.to_backend = "Q(ok: SELECT 1 FROM people)"})
      .backend(server_notice("about Smith"),
               {.to_client = "N(NOTICE 00000 notice while running a protected statement)"})
      .backend(complete("SELECT 1") + ready('I'), {.to_client = "C(SELECT 1) Z(I)"})
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .backend(server_notice("hello"), {.to_client = "N(NOTICE 00000 hello)"})
      .backend(frames(wire::NotificationResponse{.pid = 1, .channel = "c", .payload = "Smith"}), {})
      .backend(parameter("session_authorization", "query_role"),
               {.to_client = "S(session_authorization=ann)"})
      .backend(complete("SELECT 1") + ready('I'), {.to_client = "C(SELECT 1) Z(I)"})
      .backend(server_notice("out of the blue"),
               {.to_client = "N(NOTICE 00000 notice while running a protected statement)"})
      .check();
}

TEST_CASE("function-call messages are refused and the session stays") {
  const std::string call = frames(wire::FunctionCall{.function_oid = 2924});
  Script::logged_in()
      .client(call, {.to_client =
                         "E(ERROR 42501 function-call messages are not open / call the function in a query) "
                         "Z(I)"})
      .client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"})
      .client(call, {.to_backend = "Q(PGVEIL REFUSED)"})
      .backend(server_error("42601", "x") + ready('E'),
               {.to_client =
                    "E(ERROR 42501 function-call messages are not open / call the function in a query) Z(E)"})
      .check();
}

TEST_CASE("a server that goes down says so, or is said to have gone") {
  Script::logged_in()
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .backend(row_description("a"), {.to_client = "T(a:7/3)"})
      .backend(server_error("FATAL", "57P01", "terminating because of Smith"),
               {.to_client = "E(FATAL 57P01 terminating connection due to administrator command)",
                .to_backend = "X",
                .commands = "CloseBackend CloseClient"})
      .check();
  Script::logged_in()
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .event([] { return BackendClosed{}; },
             {.to_client = "E(FATAL 08006 the database server closed the connection)",
              .commands = "CloseClient"})
      .check();
  Script::logged_in()
      .backend(server_error("FATAL", "57P05", "idle"),
               {.to_client = "E(FATAL 57P05 terminating connection due to idle-session timeout)",
                .to_backend = "X",
                .commands = "CloseBackend CloseClient"})
      .check();
}

TEST_CASE("a cancel request goes to the server under its own key, and only while it works") {
  const auto cancel = [] { return CancelRequested{}; };
  Script::logged_in()
      .event(cancel, {})
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .event(cancel, {.commands = "ForwardCancel(41 42)"})
      .backend(server_error("57014", "canceling statement due to user request") + ready('I'),
               {.to_client = "E(ERROR 57014 canceling statement due to user request / try again) Z(I)"})
      .event(cancel, {})
      .check();
}

TEST_CASE("a client that goes in mid-query stops the server's work") {
  Script::logged_in()
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .event([] { return ClientClosed{}; },
             {.to_backend = "X", .commands = "ForwardCancel(41 42) CloseBackend CloseClient"})
      .check();
}

TEST_CASE("messages that a client may not send end the session and reach nobody") {
  struct Row {
    const char* name;
    std::string bytes;
    const char* error;
  };
  const Row rows[] = {
      {"CopyData", frames(wire::CopyData{{"x"}}), "a message came out of turn"},
      {"CopyDone", frames(wire::CopyDone{}), "a message came out of turn"},
      {"CopyFail", frames(wire::CopyFail{"x"}), "a message came out of turn"},
      {"a password", frames(wire::PasswordMessage{"x"}), "a message came out of turn"},
      {"an unknown tag", std::string("!\0\0\0\4", 5), "a message came out of turn"},
      {"a query without its end", std::string("Q\0\0\0\7abc", 8), "malformed message"},
      {"a query with a NUL inside",
       std::string("Q\0\0\0\x8"
                   "a\0b\0",
                   9),
       "malformed message"},
      {"a sync with a body", std::string("S\0\0\0\5x", 6), "malformed message"},
      {"a terminate with a body", std::string("X\0\0\0\5x", 6), "malformed message"},
      {"a function call that is cut", std::string("F\0\0\0\5x", 6), "malformed message"},
      {"a message above the limit", std::string("Q\0\x40\0\x5", 5), "message is too long"},
      {"a length of three", std::string("Q\0\0\0\3", 5), "malformed message length"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Script::logged_in()
        .client(row.bytes, {.to_client = "E(FATAL 08P01 " + std::string(row.error) + ")",
                            .to_backend = "X",
                            .commands = "CloseBackend CloseClient"})
        .check();
  }
}

TEST_CASE("answers that a server does not owe end the session") {
  struct Row {
    const char* name;
    std::string bytes;
  };
  const Row rows[] = {
      {"COPY FROM STDIN", frames(wire::CopyInResponse{})},
      {"COPY both ways", frames(wire::CopyBothResponse{})},
      {"a row before its description", row("Smith")},
      {"COPY data before COPY", frames(wire::CopyData{{"Smith"}})},
      {"an answer to Parse", frames(wire::ParseComplete{})},
      {"a function's result", frames(wire::FunctionCallResponse{"Smith"})},
      {"a second login", frames(wire::AuthenticationOk{})},
      {"a new key", frames(wire::BackendKeyData{})},
      {"ready before it is done", ready('I')},
      {"an empty query that is not empty", frames(wire::EmptyQueryResponse{})},
      {"a description that is cut", std::string("T\0\0\0\6\0\1", 7)},
      {"a completion that is cut", std::string("C\0\0\0\5x", 6)},
      {"a status that does not exist", complete("SELECT 1") + std::string("Z\0\0\0\5Q", 6)},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const std::string before = row.bytes.front() == 'C' && row.bytes.size() > 6 ? "C(SELECT 1) " : "";
    Script::logged_in()
        .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
        .backend(row.bytes, {.to_client = before + "E(FATAL 08P01 the database server broke the protocol)",
                             .to_backend = "X",
                             .commands = "ForwardCancel(41 42) CloseBackend CloseClient"})
        .check();
  }
  for (const std::string& bytes : {row("Smith"), ready('I'), complete("x"), server_error("22000", "Smith")}) {
    Script::logged_in()
        .backend(bytes, {.to_client = "E(FATAL 08P01 the database server broke the protocol)",
                         .to_backend = "X",
                         .commands = "CloseBackend CloseClient"})
        .check();
  }
}

TEST_CASE("the process says goodbye") {
  Script::logged_in()
      .event([] { return ShuttingDown{}; },
             {.to_client = "E(FATAL 57P01 terminating connection due to administrator command)",
              .to_backend = "X",
              .commands = "CloseBackend CloseClient"})
      .check();
}
