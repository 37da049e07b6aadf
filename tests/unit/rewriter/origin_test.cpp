// Which output columns are plainly a table's.
#include <doctest/doctest.h>

#include "rewriter/pipeline/pipeline.hpp"
#include "tests/unit/rewriter/fixture.hpp"

namespace pgveil::rewriter::origin_test {

namespace {

// "people.2 - cities.1"; "none": not known.
std::string origins(const std::string& sql) {
  const auto snapshot = rewriter::test::demo_snapshot();
  const auto verdict = rewrite(sql, {.role = "analyst"}, *snapshot);
  CAPTURE(sql);
  REQUIRE(std::holds_alternative<Rewritten>(verdict));
  const Statement& statement = std::get<Rewritten>(verdict).statements.back();
  if (statement.origins == nullptr) return "none";
  std::string out;
  for (const Origin& origin : *statement.origins) {
    if (!out.empty()) out += ' ';
    if (origin == Origin{}) {
      out += '-';
      continue;
    }
    for (const auto& [key, relation] : snapshot->catalog().relations) {
      if (relation.oid == origin.table_oid) out += key.second + "." + std::to_string(origin.column);
    }
  }
  return out;
}

std::string number(const std::string& table, const std::string& column) {
  const auto snapshot = rewriter::test::demo_snapshot();
  return table + "." + std::to_string(snapshot->catalog().find("public", table)->find_column(column)->number);
}

}  // namespace

TEST_CASE("columns of tables keep their origin behind a mask") {
  const std::string city = number("people", "city");
  const std::string state = number("people", "state");
  CHECK(origins("SELECT city, p.state FROM people p") == city + " " + state);
  CHECK(origins("SELECT city AS x, public.people.state FROM people") == city + " " + state);
  CHECK(origins("SELECT x FROM people AS p(y, z, x)").find("people.") == 0);
  CHECK(origins("SELECT p.*, c.city FROM people p, cities c").find(city) != std::string::npos);
  CHECK(origins("SELECT p.*, c.city FROM people p, cities c").ends_with(number("cities", "city")));
  CHECK(origins("SELECT city FROM people GROUP BY city ORDER BY 1") == city);
  CHECK(origins("TABLE people") == origins("SELECT * FROM people p"));
  CHECK(origins("DECLARE c CURSOR FOR SELECT state FROM people") == state);
  CHECK(origins("SELECT a.city, b.state FROM people a LEFT JOIN people b USING (city)") ==
        city + " " + state);
}

TEST_CASE("more columns than PostgreSQL returns have no origins") {
  const auto select = [](const std::string& item, int count) {
    std::string sql = "SELECT " + item;
    for (int i = 1; i < count; ++i) sql += ", " + item;
    return sql + " FROM people";
  };
  CHECK(origins(select("city", 1'664)) != "none");
  CHECK(origins(select("city", 1'665)) == "none");
  CHECK(origins(select("1", 1'665)) == "none");
  CHECK(origins(select("*", 1'000)) == "none");
}

TEST_CASE("what is no column of a table has none") {
  CHECK(origins("SELECT upper(city), 1, city || '', p, NULL FROM people p") == "- - - - -");
  CHECK(origins("SELECT city FROM people UNION SELECT city FROM people") == "none");
  CHECK(origins("SELECT city FROM people a JOIN people b USING (city)") == "-");
  CHECK(origins("SELECT * FROM people a JOIN people b USING (city)").find("people") == std::string::npos);
  CHECK(origins("SELECT q.city FROM (SELECT city FROM people) q") == "-");
  CHECK(origins("WITH people AS (SELECT 1 AS city) SELECT city FROM people") == "-");
  CHECK(origins("SELECT job FROM ohio") == "-");
  CHECK(origins("SELECT *, city FROM people, generate_series(1, 2)") == "none");
  CHECK(origins("VALUES (1)") == "none");
  CHECK(origins("SHOW TimeZone") == "none");
  CHECK(origins("SELECT FROM people") == "none");
}

}  // namespace pgveil::rewriter::origin_test
