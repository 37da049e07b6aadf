#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "pg/print.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

std::string sent(const std::string& sql, const Snapshot& snapshot) {
  const auto verdict = rewrite(sql, {"analyst"}, snapshot);
  REQUIRE_MESSAGE(std::holds_alternative<Rewritten>(verdict), sql);
  return std::get<Rewritten>(verdict).statements.front().sql;
}

bool is_refused(const std::string& sql, const Snapshot& snapshot) {
  return std::holds_alternative<Refusal>(rewrite(sql, {"analyst"}, snapshot));
}

const Mask& people_mask(const Snapshot& snapshot) {
  return *snapshot.protected_tables().front().mask;
}

std::string stand_in_of_people() {
  pg::Arena arena;
  pg::Builder build(arena);
  return pg::print_statement(
      *build.select_node(stand_in({.oid = 100, .form = MaskForm::by_column, .left_out = {}}, build)));
}

// The verifier alone, on a text that a faulty resolver might have made.
bool is_verified(const std::string& text, const Snapshot& snapshot) {
  const auto tree = pg::parse_own(text, 100'000).value();
  return verify(text, tree.result->stmts[0]->stmt->base, "analyst", snapshot, 100'000).has_value();
}

}  // namespace

TEST_CASE("every stand-in becomes the mask, in each place of a statement") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const Mask& mask = people_mask(*snapshot);
  for (const auto& [sql, masks] :
       {std::pair{"SELECT people FROM people", 1U},
        {"SELECT * FROM people a, people b, (SELECT city FROM people) c", 3U},
        {"TABLE people UNION ALL (TABLE people) ORDER BY 1", 2U},
        {"COPY people TO STDOUT", 1U},
        {"PREPARE x AS SELECT (SELECT 'a(' || max(city) FROM people AS p(a, b, city))", 1U}}) {
    const std::string text = sent(sql, *snapshot);
    CHECK(count(text, "(" + mask.text + ")") == masks);
    CHECK(count(text, std::string(kStandInSchema)) == 0);
  }
}

TEST_CASE("text that looks like a stand-in stays text") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const Mask& mask = people_mask(*snapshot);
  const std::string look_alike = "(" + stand_in_of_people() + ")";
  const std::string text =
      sent("SELECT '" + look_alike + "', city AS \"x (SELECT * FROM y)\", occupation, state FROM people",
           *snapshot);
  CHECK(count(text, "'" + look_alike + "'") == 1);
  CHECK(count(text, mask.text) == 1);
}

TEST_CASE("a client can't write a stand-in") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const std::string stand_in = stand_in_of_people();
  CHECK(is_refused(stand_in, *snapshot));
  CHECK(is_refused("SELECT * FROM (" + stand_in + ") x", *snapshot));
  CHECK(is_refused("SELECT * FROM \"pgveil mask\".\"1\"", *snapshot));
}

TEST_CASE(
    "the verifier takes a stand-in only as a whole sub-query of a table that the role reads through a mask") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const std::string stand_in = stand_in_of_people();
  CHECK(is_verified("SELECT city FROM (" + stand_in + ") AS people", *snapshot));
  CHECK_FALSE(is_verified(stand_in, *snapshot));
  CHECK_FALSE(is_verified("SELECT city FROM (" + people_mask(*snapshot).text + ") AS people", *snapshot));
  CHECK_FALSE(is_verified("SELECT city FROM ( " + stand_in + ") AS people", *snapshot));
  CHECK_FALSE(is_verified("SELECT city FROM (" + stand_in + " WHERE true) AS people", *snapshot));
  CHECK_FALSE(is_verified("SELECT city FROM (" + stand_in + " LIMIT 1) AS people", *snapshot));
  CHECK_FALSE(is_verified("SELECT (" + stand_in + ")", *snapshot));
  CHECK_FALSE(is_verified("SELECT 1 FROM LATERAL (" + stand_in + ") AS people", *snapshot));
  CHECK_FALSE(is_verified("SELECT 1 FROM (SELECT * FROM \"pgveil mask\".\"999\") AS people", *snapshot));
  CHECK_FALSE(is_verified("SELECT 1 FROM (SELECT * FROM \"pgveil mask\".\"100x\") AS people", *snapshot));
  CHECK_FALSE(is_verified("SELECT 1 FROM (SELECT * FROM \"pgveil mask\".people) AS people", *snapshot));
}

TEST_CASE("columns that a statement does not use are left out of its masks") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const Mask& mask = people_mask(*snapshot);  // id, occupation, city, state, visits, note
  const auto has = [&](const std::string& sql, std::vector<std::size_t> left_out) {
    return count(sent(sql, *snapshot), "(" + text_without(mask.parts, left_out) + ")");
  };
  CHECK(has("SELECT count(*) FROM people", {1, 2, 3}) == 1);
  CHECK(has("SELECT 1 FROM people WHERE state = 'OH' GROUP BY city", {1}) == 1);
  CHECK(has("SELECT p.city, q.state FROM people p, people q", {1}) == 2);
  CHECK(has("SELECT 1 FROM people JOIN cities USING (city)", {1, 3}) == 1);
  CHECK(has("SELECT (SELECT max(occupation) FROM cities) FROM people", {2, 3}) == 1);
  CHECK(has("SELECT sum(x) OVER (PARTITION BY city ORDER BY x) FROM (SELECT visits AS x, city FROM people) y",
            {1, 3}) == 1);

  SUBCASE("but not where a name may mean a whole row, or columns are renamed") {
    for (const char* sql :
         {"SELECT * FROM people", "SELECT p.* FROM people p", "SELECT people FROM people",
          "SELECT row_to_json(p) FROM people p", "SELECT count(p) FROM people p",
          "SELECT 1 FROM people NATURAL JOIN cities", "SELECT 1 FROM people p(a, b, c) WHERE b = ''",
          "TABLE people", "COPY people TO STDOUT",
          "SELECT j.b FROM (people JOIN cities USING (city)) AS j(a, b, c)",
          "SELECT 1 FROM (people JOIN cities USING (city)) AS j GROUP BY j",
          "SELECT j FROM people JOIN cities USING (city) AS j", "SELECT (p).city FROM people p",
          "WITH w AS (TABLE people) SELECT city FROM w"}) {
      INFO(sql);
      CHECK(has(sql, {}) == 1);
    }
  }
}

TEST_CASE("the verifier takes only names of columns that may be left out") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const auto is_taken = [&](const std::string& name) {
    return is_verified("SELECT 1 FROM (SELECT * FROM \"pgveil mask\".\"" + name + "\") AS people", *snapshot);
  };
  CHECK(is_taken("100"));
  CHECK(is_taken("100-1-3"));
  CHECK(is_taken("100r"));
  CHECK(is_taken("100r-1-3"));
  CHECK_FALSE(is_taken("1259r"));  // a catalog's mask has one form
  for (const char* name : {"100-0",
                           "100-4",
                           "100-5",
                           "100-6",
                           "100-3-1",
                           "100-1-1",
                           "100-",
                           "100-1-",
                           "100--1",
                           "-100",
                           "100rr",
                           "100r-",
                           "100-r",
                           "r100",
                           "100R",
                           "100r-3-1",
                           "0100",
                           "100-01",
                           "100-99999999999999999999",
                           "100 ",
                           "0"}) {
    INFO(name);
    CHECK_FALSE(is_taken(name));
  }
}

TEST_CASE("a rewritten statement longer than the limit is an error, before it is made") {
  const auto snapshot = rewriter::test::demo_snapshot();
  Limits limits;
  limits.output_bytes = people_mask(*snapshot).text.size() * 2;
  CHECK(std::holds_alternative<Rewritten>(rewrite("TABLE people", {"analyst"}, *snapshot, limits)));
  const auto verdict = rewrite("SELECT a.*, b.* FROM people a, people b", {"analyst"}, *snapshot, limits);
  REQUIRE(std::holds_alternative<Error>(verdict));
  CHECK(std::get<Error>(verdict).sqlstate == "54000");
}
