#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "common/sqlstate.hpp"
#include "console/console.hpp"
#include "web/api/design.hpp"
#include "web/api/json.hpp"
#include "web/api/routes.hpp"

namespace pgveil::app {
namespace {

std::string command(std::string_view method, std::string_view target, std::string_view body = "") {
  const auto routed = route(method, target, body);
  REQUIRE(routed);
  REQUIRE(routed->has_value());
  return (*routed)->command;
}

TEST_CASE("an address is one command of the console") {
  CHECK(command("GET", "policies") == "SHOW POLICIES");
  CHECK(command("GET", "policies/people_k2/version") == R"(SHOW TREE "people_k2" AS JSON)");
  CHECK(command("GET", "policies/people_k2/rules") == R"(SHOW RULES "people_k2")");
  CHECK(command("POST", "policies/people_k2/build", "{}") == R"(BUILD POLICY "people_k2")");
  CHECK(command("POST", "policies/a/attack", R"({"knows": [], "format": "html"})") ==
        R"(ATTACK POLICY "a" AS HTML)");
  CHECK(command("POST", "policies/a/attack", R"x({"knows": ["x\")", "y"], "format": "json"})x") ==
        R"x(ATTACK POLICY "a" KNOWS ("x"")", "y") AS JSON)x");
  CHECK(command("POST", "jobs/adult/run", "{}") == R"(ANONYMIZE JOB "adult")");
  CHECK(command("GET", "show/pools") == "SHOW POOLS");
  CHECK(command("POST", "explain", R"({"role": "a", "database": "d", "sql": "SELECT 'x'"})") ==
        R"(EXPLAIN POLICY FOR ROLE "a" IN DATABASE "d" 'SELECT ''x''')");
}

// Whatever stands in an address or a body, the command it becomes is the one of its address.
TEST_CASE("a name stays a name") {
  const std::string evil = R"(x"; SHUTDOWN --)";
  const auto parsed = console::parse_command("SHOW RULES " + console_name(evil));
  REQUIRE(parsed.has_value());
  const auto* rules = std::get_if<console::ShowRules>(&*parsed);
  REQUIRE(rules != nullptr);
  CHECK(rules->policy == evil);
  const std::string sql = R"(SELECT '''' || E'\'' -- $$ ; SHUTDOWN)";
  const auto explain =
      console::parse_command("EXPLAIN POLICY FOR ROLE " + console_name(evil) + " " + console_string(sql));
  REQUIRE(explain.has_value());
  const auto* asked = std::get_if<console::ExplainPolicy>(&*explain);
  REQUIRE(asked != nullptr);
  CHECK(asked->sql == sql);
  CHECK(asked->role == evil);
}

TEST_CASE("escapes of an address are read, broken ones are not") {
  CHECK(command("GET", "policies/a%22%2Fb%20c/rules") == R"(SHOW RULES "a""/b c")");
  for (const char* target : {"policies/%/rules", "policies/%4/rules", "policies/%zz/rules",
                             "policies/%00/rules", "policies/%0a/rules", "policies//rules"}) {
    CAPTURE(target);
    const auto routed = route("GET", target, "");
    REQUIRE(routed);
    CHECK(routed->has_error());
  }
}

TEST_CASE("a report is asked for in full, or not at all") {
  for (const char* body :
       {"{}", R"({"knows": "a", "format": "json"})", R"({"knows": [1], "format": "json"})",
        R"({"knows": [], "format": "text"})", R"({"knows": [], "format": "json", "x": 1})"}) {
    CAPTURE(body);
    const auto routed = route("POST", "policies/a/attack", body);
    REQUIRE(routed);
    CHECK(routed->has_error());
  }
}

TEST_CASE("what is no address of the API is none") {
  for (const char* target : {"", "policies/", "policies/a", "policies/a/build", "policies/a/rules/", "show",
                             "show/help", "show/shutdown", "show/POOLS", "jobs", "explain"}) {
    CAPTURE(target);
    CHECK_FALSE(route("GET", target, ""));
  }
  CHECK_FALSE(route("DELETE", "policies", ""));
  CHECK_FALSE(route("POST", "policies/a/rules", "{}"));
}

TEST_CASE("a body has its keys and no others, of their types") {
  for (const char* body : {"", "[]", "{", "{}", R"({"role": "a", "database": "d"})",
                           R"({"role": 1, "database": "d", "sql": "s"})",
                           R"({"role": "a", "database": "d", "sql": "s", "more": 1})",
                           R"({"role": "a", "database": "d", "sql": "s", "role": "b"})",
                           R"({"role": "a", "database": "d", "sql": "s\u0000"})",
                           R"({"role": "a", "database": "d", "sql": [[[[["x"]]]]]})"}) {
    CAPTURE(body);
    const auto routed = route("POST", "explain", body);
    REQUIRE(routed);
    REQUIRE(routed->has_error());
    CHECK(http_status_of(routed->error()) == 400);
  }
  const auto routed = route("POST", "policies/a/build", "{\"fresh\": true}");
  REQUIRE(routed);
  CHECK(routed->has_error());
}

TEST_CASE("every address is in docs/openapi.yaml, and every event") {
  std::ifstream file(PGVEIL_SOURCE_DIR "/docs/openapi.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const char* path :
       {"/session:", "/policies:", "/policies/{policy}/version:", "/policies/{policy}/rules:",
        "/policies/{policy}/cohorts:", "/policies/{policy}/build:", "/policies/{policy}/check:",
        "/design/check:", "/protect/curve:", "/explain:", "/show/{what}:", "/jobs/{job}/run:",
        "/jobs/{job}/cancel:", "/events:"}) {
    CAPTURE(path);
    CHECK(text.find(std::string("\n  ") + path) != std::string::npos);
  }
  for (const auto& topic : event_topics())
    CHECK(text.find("`" + std::string(topic.name) + "`") != std::string::npos);
}

TEST_CASE("a table is JSON with NULL as null, and bytes that are no UTF-8 are replaced") {
  const console::Table table{{"a", "b"}, {{"</script>", std::nullopt}, {"\xff", "\"\n"}}, "SHOW", {"note"}};
  const auto response = json_response(200, json_of(table));
  CHECK(response.body ==
        "{\"columns\":[\"a\",\"b\"],\"rows\":[[\"</"
        "script>\",null],[\"\xEF\xBF\xBD\",\"\\\"\\n\"]],\"notices\":[\"note\"]}");
}

TEST_CASE("each kind of error has its status") {
  const auto status = [](ErrorKind kind, std::string_view state = "XX000") {
    return http_status_of(Error{kind, std::string(state), "no"});
  };
  CHECK(status(ErrorKind::usage) == 400);
  CHECK(status(ErrorKind::syntax) == 400);
  CHECK(status(ErrorKind::authentication) == 401);
  CHECK(status(ErrorKind::usage, sqlstate::kInsufficientPrivilege) == 403);
  CHECK(status(ErrorKind::unknown_object) == 404);
  CHECK(status(ErrorKind::policy, sqlstate::kInsufficientPrivilege) == 409);
  CHECK(status(ErrorKind::limit) == 422);
  CHECK(status(ErrorKind::server) == 502);
  CHECK(status(ErrorKind::io) == 500);
}

TEST_CASE("a mistake in a design is told with its place") {
  CHECK(design_check_json("version: 1\npolicies:\n  - nam: x\n")
            .starts_with(R"({"policies":[],"error":{"line":3,"column":)"));
  CHECK(design_check_json("").find("\"line\":1") != std::string::npos);
  const auto good = design_check_json(
      "version: 1\npolicies:\n  - name: p\n    database: d\n    table: s.t\n    k: 3\n    columns:\n      a: "
      "{class: quasi_identifier}\n");
  CHECK(
      good ==
      R"({"policies":[{"name":"p","database":"d","table":"s.t","k":3,"columns":[{"name":"a","class":"quasi_identifier"}]}],"error":null})");
}

}  // namespace
}  // namespace pgveil::app
