// Hints for misspelt names say what PostgreSQL would say, and name only what the role may read.
#include "rewriter/resolve/suggest.hpp"

#include <doctest/doctest.h>

#include "rewriter/pipeline/pipeline.hpp"
#include "tests/unit/rewriter/fixture.hpp"

namespace pgveil::rewriter::suggest_test {

namespace {

std::string hint_for(const std::string& sql, const std::string& role = "analyst") {
  const auto verdict = rewrite(sql, {.role = role}, *rewriter::test::demo_snapshot());
  if (const auto* refusal = std::get_if<Refusal>(&verdict)) return refusal->hint;
  const auto* error = std::get_if<Error>(&verdict);
  return error == nullptr ? "answered" : error->hint;
}

constexpr const char* kAsk =
    "check the name, or ask the data owner for a policy that names this role as a reader";

}  // namespace

TEST_CASE("a distance counts letters that were added, lost or changed, up to a bound") {
  CHECK(name_distance("people", "peple", 3) == 1);
  CHECK(name_distance("", "abc", 3) == 3);
  CHECK(name_distance("kitten", "sitting", 3) == 3);
  CHECK(name_distance("City", "cITY", 3) == 1);
  CHECK(name_distance("people", "secrets", 3) == 4);
  CHECK(name_distance("a", "abcdefgh", 3) == 4);
}

TEST_CASE("a misspelt column gets PostgreSQL's hint") {
  CHECK(hint_for("SELECT citi FROM people") == "Perhaps you meant to reference the column \"people.city\".");
  CHECK(hint_for("SELECT p.citi FROM people p") == "Perhaps you meant to reference the column \"p.city\".");
  CHECK(hint_for("SELECT citi FROM people a, cities b") ==
        "Perhaps you meant to reference the column \"a.city\" or the column \"b.city\".");
  CHECK(hint_for("SELECT 1 FROM people p WHERE EXISTS (SELECT 1 FROM (SELECT 1 AS x) q WHERE citi = '')") ==
        "Perhaps you meant to reference the column \"p.city\".");
  CHECK(hint_for("SELECT citi FROM people a, people b, people c").empty());  // too many
  CHECK(hint_for("SELECT salary FROM people").empty());
  CHECK(hint_for("SELECT ab FROM (SELECT 1 AS xy) q").empty());  // more than half of it differs
  CHECK(hint_for("SELECT \"total sums\" FROM (SELECT 1 AS \"Total sum\") q") ==
        "Perhaps you meant to reference the column q.\"Total sum\".");
}

TEST_CASE("the name of a table that has an alias gets PostgreSQL's hint") {
  CHECK(hint_for("SELECT people.city FROM people p") ==
        "Perhaps you meant to reference the table alias \"p\".");
  CHECK(hint_for("SELECT public.people.city FROM people p") ==
        "Perhaps you meant to reference the table alias \"p\".");
  CHECK(hint_for("SELECT cities.city FROM people p").empty());
}

TEST_CASE("a misspelt table gets a hint that names only what the role may read") {
  const auto perhaps = [](const std::string& tables) {
    return "Perhaps you meant to reference the table " + tables +
           ". Otherwise ask the data owner for a policy that names this role as a reader";
  };
  const std::string people = perhaps("\"public.people\"");
  CHECK(hint_for("SELECT * FROM peple") == people);
  CHECK(hint_for("SELECT * FROM public.peple") == people);
  CHECK(hint_for("SELECT * FROM hr.people") == people);
  CHECK(hint_for("SELECT * FROM pg_clas") == perhaps("\"pg_catalog.pg_class\""));
  CHECK(hint_for("SELECT * FROM \"PEOPLE\"") == perhaps("public.\"People\" or the table \"public.people\""));
  for (const char* sql : {"SELECT * FROM secrets", "SELECT * FROM secret", "SELECT * FROM nothing_like_it",
                          "SELECT * FROM pgveil.version"}) {
    CAPTURE(sql);
    CHECK(hint_for(sql) == kAsk);
  }
  CHECK(hint_for("SELECT * FROM peple", "outsider") == kAsk);  // who may not read it
  // As if there were only the open table "People".
  CHECK(hint_for("SELECT * FROM people", "outsider") == perhaps("public.\"People\""));
  CHECK(hint_for("SELECT * FROM prying") ==
        "ask the data owner for a policy that names this role as a reader");
}

}  // namespace pgveil::rewriter::suggest_test
