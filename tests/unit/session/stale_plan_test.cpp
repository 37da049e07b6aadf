// Somebody alters a table, and PostgreSQL refuses statements that pgveil has prepared before. The client of a
// Query must not see that.
#include "proxy/session/stale_plan.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

namespace pgveil::session::stale_plan_test {

using namespace pgveil::session::testing;

namespace {

const std::string kClosed = frames(wire::CloseComplete{});
const std::string kParsed = frames(wire::ParseComplete{});
const std::string kBound = frames(wire::BindComplete{});
const std::string kAnswer = row_description("a") + row("x") + complete("SELECT 1") + ready('I');
const std::string kShown = "T(a:7/3) D(x) C(SELECT 1) Z(I)";
const std::string kAgain =
    "E(ERROR 40001 a table was altered since its statement was planned / run the transaction again)";
const std::string kChanged = "E(ERROR 0A000 cached plan must not change result type)";

// How a Query is sent that is prepared here, and one that was prepared before.
std::string prepared(int number, const std::string& sql = "SELECT KEPT") {
  const std::string name = "pgveil_" + std::to_string(number);
  return "P(" + name + ",ok: " + sql + " $1) B(," + name + ") D(P) E(,0) S";
}
std::string run(int number) {
  return "B(,pgveil_" + std::to_string(number) + ") D(P) E(,0) S";
}

// The plan pgveil_1 is kept.
Script after_one() {
  Script script = Script::logged_in();
  script.client(query("SELECT KEPT 5"), {.to_backend = prepared(1)})
      .backend(kParsed + kBound + kAnswer, {.to_client = kShown});
  return script;
}

const std::string kLong = "SELECT LONG";
const std::string kRest = bind_message("", "") + execute("") + sync_message();
const std::string kBatch = parse("", kLong) + kRest;
const std::string kRows = row("x") + complete("SELECT 1") + ready('I');
const std::string kRowsShown = "1 2 D(x) C(SELECT 1) Z(I)";
const std::string kUnnamed = "P(,ok: SELECT LONG) B(,) E(,0) S";

// The unnamed statement is kept as pgveil_1.
Script after_two_batches() {
  Script script = Script::logged_in();
  script.client(kBatch, {.to_backend = kUnnamed})
      .backend(kParsed + kBound + kRows, {.to_client = kRowsShown})
      .client(kBatch, {.to_backend = "P(pgveil_1,ok: SELECT LONG) B(,pgveil_1) E(,0) S"})
      .backend(kParsed + kBound + kRows, {.to_client = kRowsShown});
  return script;
}

}  // namespace

TEST_CASE("a query whose plan is stale is prepared and sent again, and the catalog is looked at") {
  after_one()
      .client(query("SELECT KEPT 6"), {.to_backend = run(1)})
      .backend(stale_plan_error() + ready('I'), {.to_backend = "C(Spgveil_1) S"})
      .world([](FakeGate& gate) { CHECK(gate.stale_notes == 1); })
      .client(query("SELECT 1"), {})  // it waits
      .backend(kClosed + ready('I'), {.to_backend = prepared(2)})
      .backend(kParsed + kBound + kAnswer, {.to_client = kShown, .to_backend = "Q(ok: SELECT 1)"})
      .backend(complete("SELECT 0") + ready('I'), {.to_client = "C(SELECT 0) Z(I)"})
      .check();
}

TEST_CASE("a plan whose parameters fit no operator any more is prepared again, and then is sent as it is") {
  after_one()
      .client(query("SELECT KEPT 6"), {.to_backend = run(1)})
      .backend(server_error("42883", "text = integer") + ready('I'), {.to_backend = "C(Spgveil_1) S"})
      .world([](FakeGate& gate) { CHECK(gate.stale_notes == 1); })
      .backend(kClosed + ready('I'), {.to_backend = prepared(2)})
      .backend(server_error("42883", "text = integer") + ready('I'), {.to_backend = "Q(ok: SELECT KEPT 6)"})
      .backend(server_error("42883", "text = integer") + ready('I'),
               {.to_client = "E(ERROR 42883 text = integer / try again) Z(I)"})
      .client(query("SELECT KEPT 7"), {.to_backend = "Q(ok: SELECT KEPT 7)"})
      .check();
}

TEST_CASE("an error of a plan that was made just now is the statement's own") {
  after_one()
      .client(query("SELECT b KEPT 5"), {.to_backend = prepared(2, "SELECT b KEPT")})
      .backend(kParsed + server_error("42883", "point = point") + ready('I'),
               {.to_client = "E(ERROR 42883 point = point / try again) Z(I)"})
      .world([](FakeGate& gate) { CHECK(gate.stale_notes == 0); })
      .check();
}

TEST_CASE("an unnamed statement that is kept and fits no more is sent again with its Parse") {
  for (const std::string sqlstate : {"42883", "42804", "42P08"}) {
    after_two_batches()
        .client(kBatch, {.to_backend = "C(Spgveil_none) B(,pgveil_1) E(,0) S"})
        .backend(kClosed + server_error(sqlstate, "no") + ready('I'), {.to_backend = "C(Spgveil_1) S"})
        .backend(kClosed + ready('I'), {.to_backend = kUnnamed})
        .backend(kParsed + kBound + kRows, {.to_client = kRowsShown})
        .check();
  }
}

TEST_CASE("all kept plans of the connection are forgotten with the first one that is stale") {
  after_one()
      .client(query("SELECT b KEPT 5"), {.to_backend = prepared(2, "SELECT b KEPT")})
      .backend(kParsed + kBound + kAnswer, {.to_client = kShown})
      .client(query("SELECT KEPT 6"), {.to_backend = run(1)})
      .backend(stale_plan_error() + ready('I'), {.to_backend = "C(Spgveil_1) C(Spgveil_2) S"})
      .backend(kClosed + kClosed + ready('I'), {.to_backend = prepared(3)})
      .backend(kParsed + kBound + kAnswer, {.to_client = kShown})
      .client(query("SELECT b KEPT 6"), {.to_backend = prepared(4, "SELECT b KEPT")})
      .check();
}

TEST_CASE("in a transaction block the client has to begin again, and then it works") {
  after_one()
      .client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"})
      .client(query("SELECT KEPT 6"), {.to_backend = run(1)})
      .backend(stale_plan_error() + ready('E'), {.to_client = kAgain, .to_backend = "C(Spgveil_1) S"})
      .backend(kClosed + ready('E'), {.to_client = "Z(E)"})
      .client(query("ROLLBACK"), {.to_backend = "Q(ok: ROLLBACK)"})
      .backend(complete("ROLLBACK") + ready('I'), {.to_client = "C(ROLLBACK) Z(I)"})
      .client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"})
      .client(query("SELECT KEPT 6"), {.to_backend = prepared(2)})
      .check();
}

TEST_CASE("a table that is altered again and again is told to the client in the end") {
  Script script = after_one();
  script.client(query("SELECT KEPT 6"), {.to_backend = run(1)});
  std::string answered = stale_plan_error() + ready('I');
  for (int time = 1; time <= retry::kMostTimes; ++time) {
    script.backend(answered, {.to_backend = "C(Spgveil_" + std::to_string(time) + ") S"})
        .backend(kClosed + ready('I'), {.to_backend = prepared(time + 1)});
    answered = kParsed + stale_plan_error() + ready('I');
  }
  script.backend(answered, {.to_backend = "C(Spgveil_" + std::to_string(retry::kMostTimes + 1) + ") S"})
      .backend(kClosed + ready('I'), {.to_client = kAgain + " Z(I)"})
      .check();
}

TEST_CASE("another error with the same SQLSTATE is the client's") {
  after_one()
      .client(query("SELECT KEPT 6"), {.to_backend = run(1)})
      .backend(server_error("0A000", "unit is not supported") + ready('I'),
               {.to_client = "E(ERROR 0A000 unit is not supported / try again) Z(I)"})
      .client(query("SELECT KEPT 6"), {.to_backend = run(1)})
      .check();
}

TEST_CASE("an unnamed statement that is kept is sent again with its Parse") {
  after_two_batches()
      .client(kBatch, {.to_backend = "C(Spgveil_none) B(,pgveil_1) E(,0) S"})
      .backend(kClosed + stale_plan_error() + ready('I'), {.to_backend = "C(Spgveil_1) S"})
      .backend(kClosed + ready('I'), {.to_backend = kUnnamed})
      .backend(kParsed + kBound + kRows, {.to_client = kRowsShown})
      .check();
}

TEST_CASE("an unnamed statement is sent again when it is described, too") {
  const std::string description = frames(wire::ParameterDescription{}) + row_description("a");
  after_two_batches()
      .client(parse("", kLong) + describe_statement("") + sync_message(),
              {.to_backend = "C(Spgveil_none) D(Spgveil_1) S"})
      .backend(kClosed + stale_plan_error() + ready('I'), {.to_backend = "C(Spgveil_1) S"})
      .backend(kClosed + ready('I'), {.to_backend = "P(,ok: SELECT LONG) D(S) S"})
      .backend(kParsed + description + ready('I'), {.to_client = "1 t T(a:7/3) Z(I)"})
      .check();
}

TEST_CASE("the rest of the batch may come after the error") {
  after_two_batches()
      .client(parse("", kLong) + bind_message("", ""), {.to_backend = "C(Spgveil_none) B(,pgveil_1)"})
      .backend(kClosed + stale_plan_error(), {})
      .client(execute("") + sync_message(), {.to_backend = "S"})
      .backend(ready('I'), {.to_backend = "C(Spgveil_1) S"})
      .backend(kClosed + ready('I'), {.to_backend = kUnnamed})
      .backend(kParsed + kBound + kRows, {.to_client = kRowsShown})
      .check();
}

TEST_CASE("a client that knows the columns of its unnamed statement has to prepare it again") {
  const std::string description = frames(wire::ParameterDescription{}) + row_description("a");
  after_two_batches()
      .client(parse("", kLong) + describe_statement("") + sync_message(),
              {.to_backend = "C(Spgveil_none) D(Spgveil_1) S"})
      .backend(kClosed + description + ready('I'), {.to_client = "1 t T(a:7/3) Z(I)"})
      .client(kRest, {.to_backend = "B(,pgveil_1) E(,0) S"})
      .backend(stale_plan_error() + ready('I'), {.to_client = kChanged, .to_backend = "C(Spgveil_1) S"})
      .backend(kClosed + ready('I'), {.to_client = "Z(I)"})
      .client(kRest, {.to_client = kChanged + " Z(I)"})
      .client(kBatch, {.to_backend = kUnnamed})
      .backend(kParsed + kBound + kRows, {.to_client = kRowsShown})
      .check();
}

TEST_CASE("a client's own statement stays, and the client gets PostgreSQL's words") {
  for (const std::string sql : {"SELECT 1", "SELECT people"}) {
    CAPTURE(sql);
    Script::logged_in()
        .client(parse("s", sql) + sync_message(), {.to_backend = "P(s,ok: " + sql + ") S"})
        .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"})
        .client(bind_message("", "s") + execute("") + sync_message(), {.to_backend = "B(,s) E(,0) S"})
        .backend(stale_plan_error() + ready('I'), {.to_client = kChanged + " Z(I)"})
        .world([](FakeGate& gate) { CHECK(gate.stale_notes == 0); })
        .check();
  }
}

}  // namespace pgveil::session::stale_plan_test
