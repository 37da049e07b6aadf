#include "proxy/session/kept_plan.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

namespace pgveil::session::kept_plan_test {

using namespace pgveil::session::testing;

namespace {

const std::string kPrepared = "P(pgveil_1,ok: SELECT people KEPT $1) ";
const std::string kReserved =
    "E(ERROR 42939 names of statements that begin with pgveil_ are reserved for pgveil / choose another "
    "name) "
    "Z(I)";
const std::string kRun = "B(,pgveil_1) D(P) E(,0) S";

std::string answer(std::string_view value) {
  return frames(wire::BindComplete{}) + row_description("a") + row(value) + complete("SELECT 1") + ready('I');
}

const std::string kLong = "SELECT people LONG";
const std::string kBatch = parse("", kLong) + bind_message("", "") + execute("") + sync_message();
const std::string kNamed = "P(pgveil_1,ok: SELECT people LONG) B(,pgveil_1) E(,0) S";

std::string parsed_answer(std::string_view value) {
  return frames(wire::ParseComplete{}, wire::BindComplete{}) + row(value) + complete("SELECT 1") + ready('I');
}

// The first batch has the server's unnamed statement, and the second one a name of pgveil's.
Script after_two() {
  Script script = Script::logged_in();
  script.client(kBatch, {.to_backend = "P(,ok: SELECT people LONG) B(,) E(,0) S"})
      .backend(parsed_answer("x"), {.to_client = "1 2 D(x) C(SELECT 1) Z(I)"})
      .client(kBatch, {.to_backend = kNamed})
      .backend(parsed_answer("x"), {.to_client = "1 2 D(x) C(SELECT 1) Z(I)"});
  return script;
}

std::string known_answer(std::string_view value) {
  return frames(wire::CloseComplete{}, wire::BindComplete{}) + row(value) + complete("SELECT 1") + ready('I');
}

}  // namespace

TEST_CASE("a query with a kept plan is prepared once, and the client sees what it sees after a Query") {
  Script::logged_in()
      .client(query("SELECT people KEPT 5"), {.to_backend = kPrepared + kRun})
      .backend(frames(wire::ParseComplete{}) + answer("x"), {.to_client = "T(a:0/0) D(x) C(SELECT 1) Z(I)"})
      .client(query("SELECT people KEPT 6"), {.to_backend = kRun})
      .backend(answer("y"), {.to_client = "T(a:0/0) D(y) C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("a kept plan that could not be prepared is prepared again") {
  Script::logged_in()
      .client(query("SELECT people KEPT 5"), {.to_backend = kPrepared + kRun})
      .backend(server_error("57014", "canceling statement") + ready('I'),
               {.to_client = "E(ERROR 57014 canceling statement) Z(I)"})
      .client(query("SELECT people KEPT 6"),
              {.to_backend = "P(pgveil_2,ok: SELECT people KEPT $1) B(,pgveil_2) D(P) E(,0) S"})
      .backend(frames(wire::ParseComplete{}) + answer("y"), {.to_client = "T(a:0/0) D(y) C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("a query that can't be prepared with parameters is sent as it is, from then on too") {
  const std::string plain = row_description("a") + row("x") + complete("SELECT 1") + ready('I');
  Script::logged_in()
      .client(query("SELECT people KEPT 5"), {.to_backend = kPrepared + kRun})
      .backend(server_error("42P08", "inconsistent types") + ready('I'),
               {.to_backend = "Q(ok: SELECT people KEPT 5)"})
      .backend(plain, {.to_client = "T(a:0/0) D(x) C(SELECT 1) Z(I)"})
      .client(query("SELECT people KEPT 6"), {.to_backend = "Q(ok: SELECT people KEPT 6)"})
      .backend(plain, {.to_client = "T(a:0/0) D(x) C(SELECT 1) Z(I)"})
      .client(query("SELECT b, people KEPT 6"),
              {.to_backend = "P(pgveil_2,ok: SELECT b, people KEPT $1) B(,pgveil_2) D(P) E(,0) S"})
      .check();
}

TEST_CASE("a query that is wrong with and without parameters gets the error of its own text") {
  Script::logged_in()
      .client(query("SELECT people KEPT 5"), {.to_backend = kPrepared + kRun})
      .backend(server_error("42883", "with") + ready('I'), {.to_backend = "Q(ok: SELECT people KEPT 5)"})
      .backend(server_error("42883", "without") + ready('I'), {.to_client = "E(ERROR 42883 without) Z(I)"})
      .check();
}

TEST_CASE("within a block the first query that can't be prepared with parameters fails") {
  Script::logged_in()
      .client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"})
      .client(query("SELECT people KEPT 5"), {.to_backend = kPrepared + kRun})
      .backend(server_error("42P08", "inconsistent types") + ready('E'),
               {.to_client = "E(ERROR 42P08 inconsistent types) Z(E)"})
      .client(query("ROLLBACK"), {.to_backend = "Q(ok: ROLLBACK)"})
      .backend(complete("ROLLBACK") + ready('I'), {.to_client = "C(ROLLBACK) Z(I)"})
      .client(query("SELECT people KEPT 5"), {.to_backend = "Q(ok: SELECT people KEPT 5)"})
      .check();
}

TEST_CASE("a new snapshot has plans of its own") {
  Script::logged_in()
      .client(query("SELECT people KEPT 5"), {.to_backend = kPrepared + kRun})
      .backend(frames(wire::ParseComplete{}) + answer("x"), {.to_client = "T(a:0/0) D(x) C(SELECT 1) Z(I)"})
      .world([](FakeGate& gate) { ++gate.generation; })
      .client(query("SELECT people KEPT 5"),
              {.to_backend = "P(pgveil_2,ok: SELECT people KEPT $1) B(,pgveil_2) D(P) E(,0) S"})
      .backend(frames(wire::ParseComplete{}) + answer("y"), {.to_client = "T(a:0/0) D(y) C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("a failed transaction and a batch of extended messages get the plain text") {
  Script::logged_in()
      .client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('E'), {.to_client = "C(BEGIN) Z(E)"})
      .client(query("SELECT people KEPT 5"), {.to_backend = "Q(ok: SELECT people KEPT 5)"})
      .check();
}

TEST_CASE("what drops all prepared statements is noticed, and where it may fail no plan is kept any more") {
  Script::logged_in()
      .client(query("SELECT people KEPT 5"), {.to_backend = kPrepared + kRun})
      .backend(frames(wire::ParseComplete{}) + answer("x"), {.to_client = "T(a:0/0) D(x) C(SELECT 1) Z(I)"})
      .client(query("DISCARD ALL"), {.to_backend = "Q(ok: DISCARD ALL)"})
      .backend(complete("DISCARD ALL") + ready('I'), {.to_client = "C(DISCARD ALL) Z(I)"})
      .client(query("SELECT people KEPT 5"),
              {.to_backend = "P(pgveil_2,ok: SELECT people KEPT $1) B(,pgveil_2) D(P) E(,0) S"})
      .backend(frames(wire::ParseComplete{}) + answer("y"), {.to_client = "T(a:0/0) D(y) C(SELECT 1) Z(I)"})
      .client(query("DISCARD ALL;SELECT 1"), {.to_backend = "Q(ok: DISCARD ALL;ok: SELECT 1)"})
      .backend(server_error("25001", "cannot run inside a transaction block") + ready('I'),
               {.to_client = "E(ERROR 25001 cannot run inside a transaction block / try again)",
                .to_backend = "C(Spgveil_2) S"})
      .backend(frames(wire::CloseComplete{}) + ready('I'), {.to_client = "Z(I)"})
      .client(query("SELECT people KEPT 5"), {.to_backend = "Q(ok: SELECT people KEPT 5)"})
      .check();
}

TEST_CASE("names of kept plans are no names for clients") {
  Script::logged_in()
      .client(parse("pgveil_1", "SELECT 1") + sync_message(), {.to_client = kReserved})
      .client(bind_message("", "pgveil_1") + sync_message(), {.to_client = kReserved})
      .client(close_statement("pgveil_1") + sync_message(), {.to_client = kReserved})
      .client(query("EXECUTE pgveil_1"), {.to_client = kReserved})
      .client(query("DEALLOCATE pgveil_1"), {.to_client = kReserved})
      .check();
}

TEST_CASE("the oldest kept plans are closed when there are too many") {
  SessionConfig config = Script::default_config();
  config.limits.prepared_statements = 1;
  Script::logged_in(config)
      .client(query("SELECT people KEPT 5"), {.to_backend = kPrepared + kRun})
      .backend(frames(wire::ParseComplete{}) + answer("x"), {.to_client = "T(a:0/0) D(x) C(SELECT 1) Z(I)"})
      .client(
          query("SELECT b, people KEPT 5"),
          {.to_backend = "C(Spgveil_1) P(pgveil_2,ok: SELECT b, people KEPT $1) B(,pgveil_2) D(P) E(,0) S"})
      .backend(frames(wire::CloseComplete{}, wire::ParseComplete{}) + answer("y"),
               {.to_client = "T(a:0/0) D(y) C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("the texts of kept plans have a limit, and a text beyond it is sent as it is") {
  SessionConfig config = Script::default_config();
  config.limits.kept_plan_bytes = 30;  // of one of these texts
  Script::logged_in(config)
      .client(query("SELECT people KEPT 5"), {.to_backend = kPrepared + kRun})
      .backend(frames(wire::ParseComplete{}) + answer("x"), {.to_client = "T(a:0/0) D(x) C(SELECT 1) Z(I)"})
      .client(
          query("SELECT b people KEPT 5"),
          {.to_backend = "C(Spgveil_1) P(pgveil_2,ok: SELECT b people KEPT $1) B(,pgveil_2) D(P) E(,0) S"})
      .backend(frames(wire::CloseComplete{}, wire::ParseComplete{}) + answer("y"),
               {.to_client = "T(a:0/0) D(y) C(SELECT 1) Z(I)"})
      .client(query("SELECT bcdefghijkl people KEPT 5"),
              {.to_backend = "Q(ok: SELECT bcdefghijkl people KEPT 5)"})
      .check();
}

TEST_CASE("an unnamed statement that comes again is prepared once, and the client sees no difference") {
  after_two()
      .client(kBatch, {.to_backend = "C(Spgveil_none) B(,pgveil_1) E(,0) S"})
      .backend(known_answer("y"), {.to_client = "1 2 D(y) C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("an error at a kept unnamed statement does not quote the name that pgveil chose") {
  const std::string batch = parse("", "SELECT LONG") + bind_message("", "") + execute("") + sync_message();
  Script::logged_in()
      .client(batch, {.to_backend = "P(,ok: SELECT LONG) B(,) E(,0) S"})
      .backend(parsed_answer("x"), {.to_client = "1 2 D(x) C(SELECT 1) Z(I)"})
      .client(batch, {.to_backend = "P(pgveil_1,ok: SELECT LONG) B(,pgveil_1) E(,0) S"})
      .backend(frames(wire::ParseComplete{}) +
                   server_error("08P01", "prepared statement \"pgveil_1\" requires 2") + ready('I'),
               {.to_client = "1 E(ERROR 08P01 prepared statement \"\" requires 2 / try again) Z(I)"})
      .check();
}

TEST_CASE("an unnamed statement of a new snapshot is prepared anew") {
  after_two()
      .world([](FakeGate& gate) { ++gate.generation; })
      .client(kBatch, {.to_backend = "P(,ok: SELECT people LONG) B(,) E(,0) S"})
      .backend(parsed_answer("y"), {.to_client = "1 2 D(y) C(SELECT 1) Z(I)"})
      .client(kBatch, {.to_backend = "P(pgveil_2,ok: SELECT people LONG) B(,pgveil_2) E(,0) S"})
      .backend(parsed_answer("y"), {.to_client = "1 2 D(y) C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("an unnamed statement that is kept follows the policies to another name") {
  after_two()
      .world([](FakeGate& gate) {
        ++gate.generation;
        gate.mark = " v2";
      })
      .client(bind_message("", "") + execute("") + sync_message(),
              {.to_backend = "P(pgveil_2,ok: SELECT people LONG v2) B(,pgveil_2) E(,0) S"})
      .backend(parsed_answer("y"), {.to_client = "2 D(y) C(SELECT 1) Z(I)"})
      .client(bind_message("", "") + execute("") + sync_message(), {.to_backend = "B(,pgveil_2) E(,0) S"})
      .backend(frames(wire::BindComplete{}) + row("y") + complete("SELECT 1") + ready('I'),
               {.to_client = "2 D(y) C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("a kept unnamed statement outlives DEALLOCATE ALL, and no further one is kept") {
  after_two()
      .client(parse("d", "DEALLOCATE ALL") + bind_message("", "d") + execute("") + sync_message(),
              {.to_backend = "P(d,ok: DEALLOCATE ALL) B(,d) E(,0) S"})
      .backend(frames(wire::ParseComplete{}, wire::BindComplete{}) + complete("DEALLOCATE ALL") + ready('I'),
               {.to_client = "1 2 C(DEALLOCATE ALL)", .to_backend = "C(Spgveil_1) S"})
      .backend(frames(wire::CloseComplete{}) + ready('I'), {.to_client = "Z(I)"})
      .client(kBatch, {.to_backend = "P(,ok: SELECT people LONG) B(,) E(,0) S"})
      .backend(parsed_answer("y"), {.to_client = "1 2 D(y) C(SELECT 1) Z(I)"})
      .client(kBatch, {.to_backend = "P(,ok: SELECT people LONG) B(,) E(,0) S"})
      .backend(parsed_answer("y"), {.to_client = "1 2 D(y) C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("a kept unnamed statement that the server could not prepare is prepared at the next Parse") {
  Script::logged_in()
      .client(kBatch, {.to_backend = "P(,ok: SELECT people LONG) B(,) E(,0) S"})
      .backend(parsed_answer("x"), {.to_client = "1 2 D(x) C(SELECT 1) Z(I)"})
      .client(kBatch, {.to_backend = kNamed})
      .backend(server_error("57014", "canceling statement") + ready('I'),
               {.to_client = "E(ERROR 57014 canceling statement) Z(I)"})
      .client(kBatch, {.to_backend = "P(,ok: SELECT people LONG) B(,) E(,0) S"})
      .backend(parsed_answer("x"), {.to_client = "1 2 D(x) C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("named statements, and statements in a failed transaction, are sent as they are") {
  after_two()
      .client(parse("mine", kLong) + sync_message(), {.to_backend = "P(mine,ok: SELECT people LONG) S"})
      .backend(frames(wire::ParseComplete{}) + ready('I'), {.to_client = "1 Z(I)"})
      .client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('E'), {.to_client = "C(BEGIN) Z(E)"})
      .client(kBatch,
              {.to_client = "E(ERROR 25P02 current transaction is aborted, commands ignored until end "
                            "of transaction block) Z(E)"})
      .check();
}

TEST_CASE("a plan that made room is closed after the batch in which the server skipped its Close") {
  SessionConfig config = Script::default_config();
  config.limits.prepared_statements = 1;
  Script::logged_in(config)
      .client(query("SELECT people KEPT 5"), {.to_backend = kPrepared + kRun})
      .backend(frames(wire::ParseComplete{}) + answer("x"), {.to_client = "T(a:0/0) D(x) C(SELECT 1) Z(I)"})
      .client(kBatch, {.to_backend = "P(,ok: SELECT people LONG) B(,) E(,0) S"})
      .backend(parsed_answer("x"), {.to_client = "1 2 D(x) C(SELECT 1) Z(I)"})
      .client(parse("", "SELECT 1") + kBatch,
              {.to_backend = "P(,ok: SELECT 1) C(Spgveil_1) P(pgveil_2,ok: SELECT people LONG) "
                             "B(,pgveil_2) E(,0) S"})
      .backend(server_error("42703", "no") + ready('I'),
               {.to_client = "E(ERROR 42703 no / try again)", .to_backend = "C(Spgveil_1) S"})
      // A cancel request that came late. The client's next batch is another chance.
      .backend(server_error("57014", "canceling statement") + ready('I'), {.to_client = "Z(I)"})
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .backend(complete("SELECT 0") + ready('I'),
               {.to_client = "C(SELECT 0)", .to_backend = "C(Spgveil_1) S"})
      .backend(frames(wire::CloseComplete{}) + ready('I'), {.to_client = "Z(I)"})
      .client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
      .backend(complete("SELECT 0") + ready('I'), {.to_client = "C(SELECT 0) Z(I)"})
      .check();
}

}  // namespace pgveil::session::kept_plan_test
