// One registry for all names: what is prepared one way and run another is still known for what it is.
#include <doctest/doctest.h>

#include "proxy/session/statement_registry.hpp"
#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

const std::string kParsed = frames(wire::ParseComplete{});
const std::string kBound = frames(wire::BindComplete{});
const std::string kOpenRow = row_description("a");
constexpr const char* kOpen = "T(a:7/3)";
constexpr const char* kProtected = "T(a:0/0)";

Script& says(Script& script, const std::string& sql, const std::string& tag, char status = 'I') {
  return script.client(query(sql), {.to_backend = "Q(ok: " + sql + ")"})
      .backend(complete(tag) + ready(status), {.to_client = "C(" + tag + ") Z(" + status + ")"});
}

// Whether the session takes what the name runs for protected: by SQL or by message.
Script& shows(Script& script, const std::string& sql, const char* how) {
  return script.client(query(sql), {.to_backend = "Q(ok: " + sql + ")"})
      .backend(kOpenRow + complete("SELECT 0") + ready('I'),
               {.to_client = std::string(how) + " C(SELECT 0) Z(I)"});
}

Script& describes(Script& script, const std::string& name, const char* how) {
  return script.client(describe_statement(name) + sync_message(), {.to_backend = "D(S" + name + ") S"})
      .backend(frames(wire::ParameterDescription{}) + kOpenRow + ready('I'),
               {.to_client = "t " + std::string(how) + " Z(I)"});
}

}  // namespace

TEST_CASE("what SQL prepared is known to messages, and the other way round") {
  Script script = Script::logged_in();
  says(script, "PREPARE a AS people", "PREPARE");
  says(script, "PREPARE b AS SELECT", "PREPARE");
  describes(script, "a", kProtected);
  describes(script, "b", kOpen);
  script
      .client(parse("c", "SELECT people") + parse("d", "SELECT 1") + sync_message(),
              {.to_backend = "P(c,ok: SELECT people) P(d,ok: SELECT 1) S"})
      .backend(kParsed + kParsed + ready('I'), {.to_client = "1 1 Z(I)"});
  shows(script, "EXECUTE c", kProtected);
  shows(script, "EXECUTE d", kOpen);
  says(script, "DEALLOCATE d", "DEALLOCATE");
  shows(script, "EXECUTE d", kProtected);  // unknown now
  script.check();
}

TEST_CASE("what EXECUTE and FETCH run is known through the statement that runs them") {
  Script script = Script::logged_in();
  says(script, "PREPARE a AS people", "PREPARE");
  script
      .client(parse("", "EXECUTE a") + bind_message("p", "") + describe_portal("p") + execute("p") +
                  sync_message(),
              {.to_backend = "P(,ok: EXECUTE a) B(p,) D(Pp) E(p,0) S"})
      .backend(kParsed + kBound + kOpenRow + server_error("22012", "Smith") + ready('I'),
               {.to_client = "1 2 T(a:0/0) E(ERROR 22012 division by zero) Z(I)"});
  says(script, "DECLARE c CURSOR people", "DECLARE CURSOR");
  shows(script, "FETCH c", kProtected);
  script.check();
}

TEST_CASE("a failed Parse or PREPARE leaves the name as it was") {
  Script script = Script::logged_in();
  script.client(parse("a", "SELECT 1") + sync_message(), {.to_backend = "P(a,ok: SELECT 1) S"})
      .backend(server_error("42P01", "x") + ready('I'), {.to_client = "E(ERROR 42P01 x / try again) Z(I)"});
  shows(script, "EXECUTE a", kProtected);  // unknown
  says(script, "PREPARE a AS people", "PREPARE");
  script.client(parse("a", "SELECT 1") + sync_message(), {.to_backend = "P(a,ok: SELECT 1) S"})
      .backend(server_error("42P05", "a exists") + ready('I'),
               {.to_client = "E(ERROR 42P05 a exists / try again) Z(I)"});
  shows(script, "EXECUTE a", kProtected);
  script
      .client(query("SELECT 1;PREPARE a AS SELECT"),
              {.to_backend = "Q(ok: SELECT 1;ok: PREPARE a AS SELECT)"})
      .backend(complete("SELECT 1") + server_error("42P05", "a exists") + ready('I'),
               {.to_client = "C(SELECT 1) E(ERROR 42P05 a exists / try again) Z(I)"});
  shows(script, "EXECUTE a", kProtected);
  script.check();
}

TEST_CASE("statements that ran before a failing one keep what they made") {
  Script script = Script::logged_in();
  script
      .client(query("PREPARE a AS SELECT;PREPARE b AS SELECT"),
              {.to_backend = "Q(ok: PREPARE a AS SELECT;ok: PREPARE b AS SELECT)"})
      .backend(complete("PREPARE") + server_error("42P05", "b exists") + ready('I'),
               {.to_client = "C(PREPARE) E(ERROR 42P05 b exists / try again) Z(I)"});
  shows(script, "EXECUTE a", kOpen);
  shows(script, "EXECUTE b", kProtected);
  script.check();
}

TEST_CASE("statements that were all done when the end failed keep what they made") {
  Script script = Script::logged_in();
  script.client(query("PREPARE a AS SELECT"), {.to_backend = "Q(ok: PREPARE a AS SELECT)"})
      .backend(complete("PREPARE") + server_error("40001", "x") + ready('I'),
               {.to_client = "C(PREPARE) E(ERROR 40001 x / try again) Z(I)"});
  shows(script, "EXECUTE a", kOpen);
  script.check();
}

TEST_CASE("an interrupted PREPARE may have happened") {
  Script script = Script::logged_in();
  script.client(query("PREPARE a AS SELECT"), {.to_backend = "Q(ok: PREPARE a AS SELECT)"})
      .backend(server_error("57014", "canceled") + ready('I'),
               {.to_client = "E(ERROR 57014 canceled / try again) Z(I)"});
  shows(script, "EXECUTE a", kOpen);
  script.check();
}

TEST_CASE("portals end with their transaction, cursors may be held") {
  Script script = Script::logged_in();
  says(script, "BEGIN", "BEGIN", 'T');
  script
      .client(parse("", "SELECT 1") + bind_message("p", "") + sync_message(),
              {.to_backend = "P(,ok: SELECT 1) B(p,) S"})
      .backend(kParsed + kBound + ready('T'), {.to_client = "1 2 Z(T)"});
  says(script, "DECLARE c CURSOR", "DECLARE CURSOR", 'T');
  says(script, "COMMIT", "COMMIT");
  shows(script, "FETCH c", kOpen);
  shows(script, "FETCH p", kProtected);  // unknown
  script.check();
}

TEST_CASE("DISCARD ALL and DEALLOCATE ALL forget, unless they fail") {
  Script script = Script::logged_in();
  says(script, "PREPARE a AS SELECT", "PREPARE");
  says(script, "DECLARE c CURSOR", "DECLARE CURSOR");
  script.client(query("DISCARD ALL"), {.to_backend = "Q(ok: DISCARD ALL)"})
      .backend(server_error("25001", "no") + ready('I'), {.to_client = "E(ERROR 25001 no / try again) Z(I)"});
  shows(script, "EXECUTE a", kOpen);
  shows(script, "FETCH c", kOpen);
  says(script, "CLOSE c", "CLOSE CURSOR");
  shows(script, "FETCH c", kProtected);
  says(script, "DEALLOCATE ALL", "DEALLOCATE ALL");
  shows(script, "EXECUTE a", kProtected);
  says(script, "PREPARE a AS SELECT", "PREPARE");
  says(script, "DISCARD ALL", "DISCARD ALL");
  shows(script, "EXECUTE a", kProtected);
  script.check();
}

TEST_CASE("EXECUTE and FETCH run plain queries only, so that no name changes behind the registry") {
  Script script = Script::logged_in();
  script
      .client(parse("x", "PREPARE a AS people") + parse("y", "EXECUTE x") + sync_message(),
              {.to_backend = "P(x,ok: PREPARE a AS people) P(y,ok: EXECUTE x) S"})
      .backend(kParsed + kParsed + ready('I'), {.to_client = "1 1 Z(I)"})
      .client(query("EXECUTE x"),
              {.to_client =
                   "E(ERROR 42501 EXECUTE of a prepared statement that is not a query is not open) Z(I)"})
      .client(bind_message("", "y") + sync_message(),
              {.to_client =
                   "E(ERROR 42501 EXECUTE of a prepared statement that is not a query is not open) Z(I)"});
  says(script, "BEGIN", "BEGIN", 'T');
  script.client(bind_message("p", "x") + sync_message(), {.to_backend = "B(p,x) S"})
      .backend(kBound + ready('T'), {.to_client = "2 Z(T)"})
      .client(query("FETCH p"), {.to_backend = "Q(PGVEIL REFUSED)"})
      .backend(server_error("42601", "x") + ready('E'),
               {.to_client = "E(ERROR 42501 FETCH from a portal that is not a query is not open) Z(E)"})
      .check();
}

TEST_CASE("a statement run by message does to names what it does by query") {
  Script script = Script::logged_in();
  script
      .client(parse("", "PREPARE a AS SELECT") + bind_message("", "") + execute("") +
                  parse("", "DECLARE c CURSOR people") + bind_message("", "") + execute("") + sync_message(),
              {.to_backend =
                   "P(,ok: PREPARE a AS SELECT) B(,) E(,0) P(,ok: DECLARE c CURSOR people) B(,) E(,0) S"})
      .backend(
          kParsed + kBound + complete("PREPARE") + kParsed + kBound + complete("DECLARE CURSOR") + ready('I'),
          {.to_client = "1 2 C(PREPARE) 1 2 C(DECLARE CURSOR) Z(I)"});
  shows(script, "EXECUTE a", kOpen);
  shows(script, "FETCH c", kProtected);
  script.check();
}

TEST_CASE("the unnamed statement and portal do not outlive a query, a refused one neither") {
  Script script = Script::logged_in();
  script.client(parse("", "SELECT 1") + sync_message(), {.to_backend = "P(,ok: SELECT 1) S"})
      .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"})
      .client(query("refuse"), {.to_client = "E(ERROR 42501 not open / ask less @3) Z(I)"})
      .client(bind_message("", "") + sync_message(),
              {.to_client = "E(ERROR 26000 unnamed prepared statement does not exist) Z(I)"})
      .client(execute("") + sync_message(), {.to_client = "E(ERROR 34000 portal \"\" does not exist) Z(I)"})
      .client(parse("", "SELECT 1") + sync_message(), {.to_backend = "P(,ok: SELECT 1) S"})
      .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"})
      .client(parse("", "refuse") + sync_message(),
              {.to_client = "E(ERROR 42501 not open / ask less @3) Z(I)"})
      .client(bind_message("", "") + sync_message(),
              {.to_client = "E(ERROR 26000 unnamed prepared statement does not exist) Z(I)"})
      .check();
}

TEST_CASE("names the server would cut are refused everywhere") {
  const std::string longest(63, 'n');
  const std::string too_long(64, 'n');
  const char* refused = "E(ERROR 42622 name is longer than 63 bytes) Z(I)";
  Script::logged_in()
      .client(parse(too_long, "SELECT 1") + sync_message(), {.to_client = refused})
      .client(bind_message(too_long, longest) + sync_message(), {.to_client = refused})
      .client(bind_message("", too_long) + sync_message(), {.to_client = refused})
      .client(describe_portal(too_long) + sync_message(), {.to_client = refused})
      .client(describe_statement(too_long) + sync_message(), {.to_client = refused})
      .client(execute(too_long) + sync_message(), {.to_client = refused})
      .client(close_statement(too_long) + sync_message(), {.to_client = refused})
      .client(query("PREPARE " + too_long), {.to_client = refused})
      .client(query("DECLARE " + too_long), {.to_client = refused})
      .client(parse(longest, "SELECT 1"), {.to_backend = "P(" + longest + ",ok: SELECT 1)"})
      .check();
}

TEST_CASE("the number of names has a limit") {
  SessionConfig config = Script::default_config();
  config.limits.statements = 2;
  const char* refused = "E(ERROR 54000 too many prepared statements and portals / close some of them) Z(I)";
  Script script = Script::logged_in(config);
  says(script, "PREPARE a AS SELECT", "PREPARE");
  says(script, "DECLARE c CURSOR", "DECLARE CURSOR");
  script.client(parse("b", "SELECT 1") + sync_message(), {.to_client = refused})
      .client(bind_message("p", "a") + sync_message(), {.to_client = refused})
      .client(query("PREPARE b AS SELECT"), {.to_client = refused})
      .client(query("DECLARE d CURSOR"), {.to_client = refused});
  says(script, "DEALLOCATE a", "DEALLOCATE");
  script.client(parse("b", "SELECT 1"), {.to_backend = "P(b,ok: SELECT 1)"}).check();
}

TEST_CASE("taking changes back restores every name, latest first") {
  using Kind = StatementRegistry::Kind;
  const auto entry = [](const char* target) {
    return std::make_shared<const Entry>(Entry{.target = target, .versions = {}});
  };
  StatementRegistry registry;
  registry.put_statement("a", entry("old"));
  registry.put_portal("p", entry("portal"), PortalLife::session);
  registry.settle();
  const std::size_t mark = registry.mark();
  registry.erase(Kind::statement, "a");
  registry.put_statement("a", entry("new"));
  registry.put_statement("b", entry("b"));
  registry.erase_all(Kind::portal);
  registry.erase(Kind::portal, "missing");
  CHECK(registry.size() == 2);
  SUBCASE("forgetting new names") {
    registry.undo_to(mark, StatementRegistry::NewNames::forget);
    CHECK(registry.find(Kind::statement, "b") == nullptr);
  }
  SUBCASE("keeping new names") {
    registry.undo_to(mark, StatementRegistry::NewNames::keep);
    REQUIRE(registry.find(Kind::statement, "b") != nullptr);
  }
  REQUIRE(registry.find(Kind::statement, "a") != nullptr);
  CHECK(registry.find(Kind::statement, "a")->target == "old");
  REQUIRE(registry.find(Kind::portal, "p") != nullptr);
}
