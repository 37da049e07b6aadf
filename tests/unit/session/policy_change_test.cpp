// What was made under one version of a policy does not run under another.
#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

namespace pgveil::session::policy_change_test {

using namespace pgveil::session::testing;

namespace {

const std::string kParsed = frames(wire::ParseComplete{});
const std::string kBound = frames(wire::BindComplete{});

void build(FakeGate& gate) {
  ++gate.version;
  ++gate.generation;
}
void reload(FakeGate& gate) {
  ++gate.generation;
}

const std::string kStale =
    "E(ERROR 26000 prepared statement \"a\" was made under an earlier version of its policy; "
    "prepare it again)";
const std::string kStalePortal =
    "E(ERROR 34000 portal \"c\" was made under an earlier version of its policy; open it "
    "again)";
const std::string kChanged =
    "E(ERROR 25P02 the policy changed during this transaction; roll back and start again)";

Script& says(Script& script, const std::string& sql, const std::string& tag, char status = 'I') {
  return script.client(query(sql), {.to_backend = "Q(ok: " + sql + ")"})
      .backend(complete(tag) + ready(status), {.to_client = "C(" + tag + ") Z(" + status + ")"});
}

Script& fails(Script& script, const std::string& sql, const std::string& error) {
  return script.client(query(sql), {.to_backend = "Q(PGVEIL REFUSED)"})
      .backend(server_error("42601", "x") + ready('E'), {.to_client = error + " Z(E)"});
}

}  // namespace

TEST_CASE("a prepared statement of an earlier version is not run, however it is asked for") {
  Script script = Script::logged_in();
  says(script, "PREPARE a AS people", "PREPARE");
  says(script, "PREPARE b AS SELECT", "PREPARE");
  script.client(parse("x", "EXECUTE a") + sync_message(), {.to_backend = "P(x,ok: EXECUTE a) S"})
      .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"});
  script.world(build);
  script.client(query("EXECUTE a"), {.to_client = kStale + " Z(I)"})
      .client(bind_message("", "a") + sync_message(), {.to_client = kStale + " Z(I)"})
      .client(describe_statement("a") + sync_message(), {.to_client = kStale + " Z(I)"})
      .client(bind_message("", "x") + sync_message(), {.to_client = kStale + " Z(I)"});
  says(script, "EXECUTE b", "SELECT 0");
  says(script, "DEALLOCATE a", "DEALLOCATE");
  says(script, "PREPARE a AS people", "PREPARE");
  says(script, "EXECUTE a", "SELECT 0");
  script.check();
}

TEST_CASE("a portal bound before a build is not run after it") {
  Script script = Script::logged_in();
  says(script, "BEGIN", "BEGIN", 'T');
  script
      .client(parse("", "SELECT people") + bind_message("c", "") + execute("c", 1) + sync_message(),
              {.to_backend = "P(,ok: SELECT people) B(c,) E(c,1) S"})
      .backend(kParsed + kBound + row("x") + frames(wire::PortalSuspended{}) + ready('T'),
               {.to_client = "1 2 D(x) s Z(T)"})
      .world(build)
      .client(execute("c", 1) + sync_message(), {.to_backend = "P(,PGVEIL REFUSED) S"})
      .backend(server_error("42601", "x") + ready('E'), {.to_client = kStalePortal + " Z(E)"})
      .check();
}

TEST_CASE("a held cursor of an earlier version is not read") {
  Script script = Script::logged_in();
  says(script, "DECLARE c CURSOR people", "DECLARE CURSOR");
  says(script, "FETCH c", "FETCH 1");
  script.world(build);
  script.client(query("FETCH c"), {.to_client = kStalePortal + " Z(I)"});
  says(script, "CLOSE c", "CLOSE CURSOR");
  script.check();
}

TEST_CASE("one transaction sees one version") {
  Script script = Script::logged_in();
  says(script, "BEGIN", "BEGIN", 'T');
  says(script, "SELECT people", "SELECT 1", 'T');
  script.world(build);
  says(script, "SELECT 1", "SELECT 1", 'T');
  fails(script, "SELECT people", kChanged);
  says(script, "ROLLBACK", "ROLLBACK");
  says(script, "SELECT people", "SELECT 1");
  script.check();
}

TEST_CASE("a transaction that first reads after a build goes on") {
  Script script = Script::logged_in();
  says(script, "BEGIN", "BEGIN", 'T');
  says(script, "SELECT 1", "SELECT 1", 'T');
  script.world(build);
  says(script, "SELECT people", "SELECT 1", 'T');
  says(script, "COMMIT", "COMMIT");
  script.check();
}

TEST_CASE("where the backend has no guard, a snapshot taken before a build does not meet its version") {
  Script script = Script::logged_in();
  script.world([](FakeGate& gate) { gate.has_guard = false; });
  says(script, "BEGIN", "BEGIN", 'T');
  says(script, "SELECT 1", "SELECT 1", 'T');
  script.world(build);
  says(script, "SELECT 1", "SELECT 1", 'T');
  fails(script, "SELECT people", kChanged);
  says(script, "ROLLBACK", "ROLLBACK");
  says(script, "SELECT people", "SELECT 1");
  script.check();
}

TEST_CASE("nor when the transaction was begun by a prepared statement") {
  Script script = Script::logged_in();
  script.world([](FakeGate& gate) { gate.has_guard = false; });
  script.client(parse("b", "BEGIN") + sync_message(), {.to_backend = "P(b,ok: BEGIN) S"})
      .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"})
      .client(bind_message("", "b") + execute("", 0) + sync_message(), {.to_backend = "B(,b) E(,0) S"})
      .backend(kBound + complete("BEGIN") + ready('T'), {.to_client = "2 C(BEGIN) Z(T)"});
  script.world(build);
  fails(script, "SELECT people", kChanged);
  script.check();
}

TEST_CASE("the backend's version guard is told as something to try again, and we look for the new version") {
  Script script = Script::logged_in();
  script.client(query("SELECT people"), {.to_backend = "Q(ok: SELECT people)"})
      .backend(server_error("PV001", "pgveil: another version of the policy is current") + ready('I'),
               {.commands = "AwaitServing(demo 1)"})
      .event([] { return ServingLooked{.is_other = false}; },
             {.to_client = "E(ERROR 40001 the policy was built again meanwhile, or after this transaction "
                           "began / run the transaction again) Z(I)"})
      .client(query("SELECT people"), {.to_backend = "Q(ok: SELECT people)"})
      .backend(server_error("PV002", "pgveil: the policy has no current version") + ready('I'),
               {.to_client = "E(ERROR 42501 the policy was withdrawn / BUILD POLICY is needed) Z(I)"});
  script.check();
}

TEST_CASE("a new generation of the same version ends transactions, but no prepared statement") {
  Script script = Script::logged_in();
  says(script, "PREPARE a AS people", "PREPARE");
  script.world(reload);
  says(script, "BEGIN", "BEGIN", 'T');
  says(script, "EXECUTE a", "SELECT 0", 'T');
  says(script, "SELECT people", "SELECT 0", 'T');
  script.world(reload);
  says(script, "EXECUTE a", "SELECT 0", 'T');
  fails(script, "SELECT people", kChanged);
  script.check();
}

TEST_CASE("a statement prepared before the build can't mix into a transaction that began after it") {
  Script script = Script::logged_in();
  says(script, "PREPARE a AS people", "PREPARE");
  script.world(build);
  says(script, "BEGIN", "BEGIN", 'T');
  says(script, "SELECT people", "SELECT 0", 'T');
  script.world([](FakeGate& gate) { gate.version = 1; });  // and back: `a` is current again
  fails(script, "EXECUTE a", kChanged);
  script.check();
}

TEST_CASE("a refusal outside a transaction begins none") {
  Script script = Script::logged_in();
  script.world([](FakeGate& gate) { gate.has_guard = false; });
  says(script, "PREPARE a AS people", "PREPARE");
  script.world(build).client(query("EXECUTE a"), {.to_client = kStale + " Z(I)"}).world(build);
  says(script, "SELECT people", "SELECT 1");
  script.check();
}

}  // namespace pgveil::session::policy_change_test
