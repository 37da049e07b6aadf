#include "policy/spec/source_reader.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "policy/spec/spec_reader.hpp"

namespace pgveil::policy::testing {

namespace {

// over: the lines in the place of table.
Result<std::vector<PolicySpec>> read_over(const std::string& over, const std::string& name = "report",
                                          const std::string& enforcement = "copy") {
  return read_policy_text("version: 1\npolicies:\n  - name: " + name + "\n    database: d\n    " + over +
                              "\n    k: 2\n    enforcement: " + enforcement +
                              "\n    columns:\n      city: {class: quasi_identifier}\n",
                          "p.yaml");
}

PolicySpec one_over(const std::string& over) {
  auto policies = read_over(over);
  if (!policies) FAIL(policies.error().public_message);
  return policies->front();
}

}  // namespace

TEST_CASE("a SELECT is published under the policy's name") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"source: |\n      SELECT a.city\n        FROM public.a\n", "SELECT a.city\n  FROM public.a"},
      {"source: |-\n      select city FROM public.a", "select city FROM public.a"},
      {"source: |2\n        SELECT city FROM public.a", "SELECT city FROM public.a"},
      {"source: SELECT city FROM public.a", "SELECT city FROM public.a"},
      {"source: ' With x AS (SELECT 1) SELECT * FROM x '", "With x AS (SELECT 1) SELECT * FROM x"},
      {"source: \"SELECT\\tcity FROM public.a\"", "SELECT\tcity FROM public.a"}};
  for (const auto& [over, select] : cases) {
    CAPTURE(over);
    const PolicySpec policy = one_over(over);
    CHECK(policy.schema == "pgveil");
    CHECK(policy.table == "report");
    REQUIRE(policy.source);
    CHECK(policy.source->select == select);
  }
}

TEST_CASE("a view is published under its own name, and a table has no source") {
  for (const char* over : {"source: public.select_all", "source: [public, select_all]"}) {
    CAPTURE(over);
    const PolicySpec policy = one_over(over);
    CHECK(policy.schema == "public");
    CHECK(policy.table == "select_all");
    REQUIRE(policy.source);
    CHECK(policy.source->select.empty());
  }
  CHECK(one_over("source: select.with").schema == "select");
  CHECK(!one_over("table: public.people").source);
}

TEST_CASE("what can't be the rows of a policy is refused at its place") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"k: 2", "duplicate key"},
      {"drift: {}", "p.yaml:3:5: a policy without \"table\"; add table: schema.table"},
      {"table: public.a\n    source: public.b", "p.yaml:6:13: table and source are both given; keep one"},
      {"source: |\n      public.a\n", "p.yaml:5:13: the block text is not a SELECT; begin it with SELECT"},
      {"source: |\n      SELECT\n", "the block text is not a SELECT"},
      {"source: >\n      SELECT city FROM a\n", "p.yaml:5:13: a block text is not allowed"},
      {"source: ''", "\"\" has no schema"},
      {"source: {a: b}", "expected a view or a SELECT; write schema.view"},
      {"source:", "expected a view or a SELECT"},
      {"source: SELECT", "table \"SELECT\" has no schema"},
      {"source: DELETE FROM a.b", "is not schema.table"},
      {"source: [a, b, c]", "a table list has two parts"},
      {"source: pg_catalog.pg_class", "a system schema can't have a policy"},
      {"source: pgveil.version", "pgveil's own schema can't have a policy; name a table of your own"},
      {"table: pgveil.version", "pgveil's own schema can't have a policy"},
      {"table: |\n      public.a\n", "a block text is not allowed; write it in quotes, on one line"},
      {"table: SELECT city FROM public.a", "is not schema.table"}};
  for (const auto& [over, expected] : cases) {
    CAPTURE(over);
    const auto policies = read_over(over);
    REQUIRE(!policies);
    CAPTURE(policies.error().public_message);
    CHECK(policies.error().public_message.find(expected) != std::string::npos);
  }
}

TEST_CASE("a source needs a copy") {
  for (const char* enforcement : {"query", "stored"}) {
    for (const char* over : {"source: public.a", "source: SELECT city FROM public.a"}) {
      const auto policies = read_over(over, "report", enforcement);
      REQUIRE(!policies);
      CHECK(policies.error().public_message.find("p.yaml:3:5: source without enforcement: copy; add") == 0);
    }
  }
}

TEST_CASE("a SELECT is not published under a name of pgveil's own") {
  for (const char* name : {"version", "built_table", "current_version", "mask_view", "columns", "policies",
                           "comments", "nullable", "guard"}) {
    CAPTURE(name);
    const auto refused = read_over("source: SELECT city FROM public.a", name);
    REQUIRE(!refused);
    CHECK(refused.error().public_message.find("which pgveil uses itself; give the policy another name") !=
          std::string::npos);
    CHECK(read_over("source: public.a", name).has_value());
  }
}

TEST_CASE("the source is part of the hash") {
  const PolicySpec table = one_over("table: public.a");
  const PolicySpec view = one_over("source: public.a");
  const PolicySpec select = one_over("source: SELECT city FROM public.a");
  const PolicySpec other = one_over("source: SELECT city FROM public.b");
  CHECK(canonical_text(table).find("source") == std::string::npos);
  CHECK(canonical_text(view).find("table \"public\".\"a\"\nsource view\nk 2\n") != std::string::npos);
  CHECK(canonical_text(select).find(
            "table \"pgveil\".\"report\"\nsource select \"SELECT city FROM public.a\"\n") !=
        std::string::npos);
  CHECK(table.hash != view.hash);
  CHECK(select.hash != other.hash);
  CHECK(select.hash == one_over("source: |\n      SELECT city FROM public.a\n").hash);
}

}  // namespace pgveil::policy::testing
