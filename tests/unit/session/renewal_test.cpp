// Prepared statements follow the policies: judged again at their next use, and prepared again without a word.
#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

namespace pgveil::session::renewal_test {

using namespace pgveil::session::testing;

namespace {

const std::string kParsed = frames(wire::ParseComplete{});
const std::string kBound = frames(wire::BindComplete{});
const std::string kClosed = frames(wire::CloseComplete{});
const std::string kNoParameters = frames(wire::ParameterDescription{});
const std::string kChangedResult = "E(ERROR 0A000 cached plan must not change result type)";
const std::string kChangedPolicy =
    "E(ERROR 25P02 the policy changed during this transaction; roll back and start again)";

void build(FakeGate& gate) {
  ++gate.version;
  ++gate.generation;
}
void reload(FakeGate& gate) {
  ++gate.generation;
}

// "SELECT people" is prepared as `name`.
Script prepared(const std::string& name = "s", const std::string& sql = "SELECT people") {
  Script script = Script::logged_in();
  script.client(parse(name, sql) + sync_message(), {.to_backend = "P(" + name + ",ok: " + sql + ") S"})
      .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"});
  return script;
}

std::string use(const std::string& name = "s") {
  return bind_message("", name) + execute("") + sync_message();
}

// The same after the client has seen its columns.
Script described(const std::string& column = "city") {
  Script script = prepared();
  script.client(describe_statement("s") + sync_message(), {.to_backend = "D(Ss) S"})
      .backend(kNoParameters + row_description(column) + ready('I'),
               {.to_client = "t T(" + column + ":0/0) Z(I)"});
  return script;
}

}  // namespace

TEST_CASE("a statement of an earlier version is prepared again, and the client does not notice") {
  for (const auto change : {build, reload}) {
    Script script = prepared();
    script.world(change)
        .client(use(), {.to_backend = "C(Ss) P(s,ok: SELECT people) B(,s) E(,0) S"})
        .backend(kClosed + kParsed + kBound + complete("SELECT 1") + ready('I'),
                 {.to_client = "2 C(SELECT 1) Z(I)"})
        .client(use(), {.to_backend = "B(,s) E(,0) S"})
        .backend(kBound + complete("SELECT 1") + ready('I'), {.to_client = "2 C(SELECT 1) Z(I)"})
        .check();
  }
}

TEST_CASE("so is the unnamed one, which needs no Close") {
  Script script = prepared("");
  script.world(build)
      .client(use(""), {.to_backend = "P(,ok: SELECT people) B(,) E(,0) S"})
      .backend(kParsed + kBound + complete("SELECT 1") + ready('I'), {.to_client = "2 C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("what may not be read any more is refused, until it may be again") {
  Script script = prepared();
  script
      .world([](FakeGate& gate) {
        reload(gate);
        gate.refuses_people = true;
      })
      .client(use(), {.to_client = "E(ERROR 42501 not open / ask less @3) Z(I)"})
      .client(use(), {.to_client = "E(ERROR 42501 not open / ask less @3) Z(I)"})
      .client(describe_statement("s") + sync_message(),
              {.to_client = "E(ERROR 42501 not open / ask less @3) Z(I)"})
      .world([](FakeGate& gate) {
        reload(gate);
        gate.refuses_people = false;
      })
      .client(use(), {.to_backend = "C(Ss) P(s,ok: SELECT people) B(,s) E(,0) S"})
      .backend(kClosed + kParsed + kBound + complete("SELECT 1") + ready('I'),
               {.to_client = "2 C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("a client that knows the columns waits until they are known to be the same") {
  Script script = described();
  script.world(build)
      .client(use(), {.to_backend = "C(Ss) P(s,ok: SELECT people) D(Ss) H"})
      .backend(kClosed + kParsed + kNoParameters + row_description("city"), {.to_backend = "B(,s) E(,0) S"})
      .backend(kBound + complete("SELECT 1") + ready('I'), {.to_client = "2 C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("and is told when they are not, as by PostgreSQL") {
  Script script = described();
  script.world(build)
      .client(use(), {.to_backend = "C(Ss) P(s,ok: SELECT people) D(Ss) H"})
      .backend(kClosed + kParsed + kNoParameters + row_description("town"),
               {.to_backend = "P(,PGVEIL REFUSED) S"})
      .backend(server_error("42601", "x") + ready('I'), {.to_client = kChangedResult + " Z(I)"})
      .client(use(), {.to_client = kChangedResult + " Z(I)"})
      .client(describe_statement("s") + sync_message(), {.to_client = kChangedResult + " Z(I)"})
      .client(close_statement("s") + parse("s", "SELECT people") + use(),
              {.to_backend = "C(Ss) P(s,ok: SELECT people) B(,s) E(,0) S"})
      .backend(kClosed + kParsed + kBound + complete("SELECT 1") + ready('I'),
               {.to_client = "3 1 2 C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("a result that went away or came is another one") {
  Script script = described();
  script.world(build)
      .client(use(), {.to_backend = "C(Ss) P(s,ok: SELECT people) D(Ss) H"})
      .backend(kClosed + kParsed + kNoParameters + frames(wire::NoData{}),
               {.to_backend = "P(,PGVEIL REFUSED) S"})
      .backend(server_error("42601", "x") + ready('I'), {.to_client = kChangedResult + " Z(I)"})
      .check();
}

TEST_CASE("the server's error about our own Parse is the client's, and it may go on") {
  Script script = described();
  script.world(build)
      .client(use(), {.to_backend = "C(Ss) P(s,ok: SELECT people) D(Ss) H"})
      .backend(kClosed + server_error("42P01", "relation does not exist"),
               {.to_client = "E(ERROR 42P01 relation does not exist)", .to_backend = "S"})
      .backend(ready('I'), {.to_client = "Z(I)"})
      .client(use(), {.to_backend = "C(Ss) P(s,ok: SELECT people) D(Ss) H"})
      .backend(kClosed + kParsed + kNoParameters + row_description("city"), {.to_backend = "B(,s) E(,0) S"})
      .backend(kBound + complete("SELECT 1") + ready('I'), {.to_client = "2 C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("a transaction that has read under one version refuses another one, and the next one goes on") {
  Script script = prepared();
  script.client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"})
      .client(query("SELECT people"), {.to_backend = "Q(ok: SELECT people)"})
      .backend(complete("SELECT 1") + ready('T'), {.to_client = "C(SELECT 1) Z(T)"})
      .world(build)
      .client(use(), {.to_backend = "P(,PGVEIL REFUSED) S"})
      .backend(server_error("42601", "x") + ready('E'), {.to_client = kChangedPolicy + " Z(E)"})
      .client(query("ROLLBACK"), {.to_backend = "Q(ok: ROLLBACK)"})
      .backend(complete("ROLLBACK") + ready('I'), {.to_client = "C(ROLLBACK) Z(I)"})
      .client(use(), {.to_backend = "C(Ss) P(s,ok: SELECT people) B(,s) E(,0) S"})
      .backend(kClosed + kParsed + kBound + complete("SELECT 1") + ready('I'),
               {.to_client = "2 C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("a transaction goes on with what reads the same as before") {
  Script script = prepared();
  script.client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"})
      .client(query("SELECT people"), {.to_backend = "Q(ok: SELECT people)"})
      .backend(complete("SELECT 1") + ready('T'), {.to_client = "C(SELECT 1) Z(T)"})
      .world(reload)
      .client(use(), {.to_backend = "B(,s) E(,0) S"})
      .backend(kBound + complete("SELECT 1") + ready('T'), {.to_client = "2 C(SELECT 1) Z(T)"})
      .check();
}

TEST_CASE("in its transaction also with the text that it was sent as then, and with the new one afterwards") {
  Script script = prepared();
  script.client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"})
      .client(query("SELECT people"), {.to_backend = "Q(ok: SELECT people)"})
      .backend(complete("SELECT 1") + ready('T'), {.to_client = "C(SELECT 1) Z(T)"})
      .world([](FakeGate& gate) {
        ++gate.generation;
        gate.mark = "!";
      })
      .client(use(), {.to_backend = "B(,s) E(,0) S"})
      .backend(kBound + complete("SELECT 1") + ready('T'), {.to_client = "2 C(SELECT 1) Z(T)"})
      .client(query("COMMIT"), {.to_backend = "Q(ok: COMMIT!)"})
      .backend(complete("COMMIT") + ready('I'), {.to_client = "C(COMMIT) Z(I)"})
      .client(use(), {.to_backend = "C(Ss) P(s,ok: SELECT people!) B(,s) E(,0) S"})
      .backend(kClosed + kParsed + kBound + complete("SELECT 1") + ready('I'),
               {.to_client = "2 C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("what PREPARE made by SQL is not made again from its PREPARE") {
  Script script = Script::logged_in();
  script
      .client(parse("x", "PREPARE a AS people") + use("x"),
              {.to_backend = "P(x,ok: PREPARE a AS people) B(,x) E(,0) S"})
      .backend(kParsed + kBound + complete("PREPARE") + ready('I'), {.to_client = "1 2 C(PREPARE) Z(I)"})
      .world(build)
      .client(use("a"), {.to_client = "E(ERROR 26000 prepared statement \"a\" was made under an earlier "
                                      "version of its policy; prepare it again) Z(I)"})
      .check();
}

}  // namespace pgveil::session::renewal_test
