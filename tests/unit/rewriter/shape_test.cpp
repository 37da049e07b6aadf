// Texts that differ in literals only: what their shapes are, and that a template's verdict is the pipeline's.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "corpus.hpp"
#include "fixture.hpp"
#include "pg/plain_literals.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/shape/opaque_literals.hpp"
#include "rewriter/shape/parameter_form.hpp"
#include "rewriter/shape/verdict_template.hpp"
#include "shape_invariants.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

std::string literals_of(const std::string& sql) {
  const auto found = pg::plain_literals(sql);
  if (!found) return "not sure";
  std::string out;
  for (const auto& it : *found)
    out += std::string(out.empty() ? "" : " ") + static_cast<char>(it.kind) + ":" +
           sql.substr(it.offset, it.bytes);
  return out;
}

std::optional<VerdictTemplate> template_of(const std::string& sql, const Snapshot& snapshot,
                                           const Client& client = {.role = "analyst"}) {
  const auto shape = text_shape(sql, Limits{}.statement_bytes);
  if (!shape) return std::nullopt;
  LiteralTrace trace;
  const Verdict verdict = rewrite(sql, client, snapshot, {}, nullptr, &trace);
  const auto* rewritten = std::get_if<Rewritten>(&verdict);
  if (rewritten == nullptr) return std::nullopt;
  return make_template(*shape, *rewritten, trace, client, snapshot, {});
}

// The opaque literals of a text, in its order.
std::string opaque_in(const std::string& sql, const Snapshot& snapshot) {
  const auto made = template_of(sql, snapshot);
  if (!made) return "";
  const auto shape = text_shape(sql, Limits{}.statement_bytes);
  std::string out;
  for (std::size_t i = 0; i < made->opaque.size(); ++i) {
    if (made->opaque[i]) out += (out.empty() ? "" : " ") + std::string(shape->text_of(shape->literals[i]));
  }
  return out;
}

std::string key_of(const std::string& sql, const OpaqueLiterals& opaque = {}) {
  return shape_key(*text_shape(sql, 1'000), opaque);
}

}  // namespace

TEST_CASE("plain literals are found, and the scanner says where it is not sure") {
  for (const auto& [sql, found] : std::vector<std::pair<std::string, std::string>>{
           {"SELECT 'a', 12, 2147483647, 2147483648, 1.50 FROM t1",
            "t:'a' i:12 i:2147483647 l:2147483648 d:1.50"},
           {"SELECT 'it''s', '', '--', '/*'", "t:'it''s' t:'' t:'--' t:'/*'"},
           {"SELECT \"a'b\", -- 'no' 5\n 7 /* 'no' 5 */, $1", "i:7"},
           {"SELECT 0, 007, 00.5, 0.5", "d:0.5"},
           {"SELECT date '2020-01-01', x'1f', b'1', n'a'", "not sure"},
           {"SELECT date '2020-01-01'", "t:'2020-01-01'"},
           {"SELECT E'a'", "not sure"},
           {"SELECT U&'a'", "not sure"},
           {"SELECT U&\"a\"", "not sure"},
           {"SELECT $$a$$", "not sure"},
           {"SELECT $a$a$a$", "not sure"},
           {"SELECT a$b$c", "not sure"},
           {"SELECT 'a\\'", "not sure"},
           {"SELECT 'a'\n'b'", "not sure"},
           {"SELECT 'a' -- b\n'c'", "not sure"},
           {"SELECT 'a' 'b'", "not sure"},
           {"SELECT 1e5", "not sure"},
           {"SELECT 1e400", "not sure"},
           {"SELECT 0x1F", "not sure"},
           {"SELECT 1_000", "not sure"},
           {"SELECT .5", "not sure"},
           {"SELECT 5.", "not sure"},
           {"SELECT 1..2", "not sure"},
           {"SELECT 12a", "not sure"},
           {"SELECT $1a", "not sure"},
           {"SELECT 'a", "not sure"},
           {"SELECT \"a", "not sure"},
           {"SELECT /* a /* b */ c */ 'd'", "not sure"},
           {"SELECT /* a", "not sure"},
           {"SELECT -5, - 5, a-5, a--5\n", "i:5 i:5 i:5"},
           {"SELECT 1234567890123456789, 123456789012345678", "l:123456789012345678"},
           {"SELECT 5::int4, a[3]", "i:5 i:3"},
       }) {
    CHECK_MESSAGE(literals_of(sql) == found, sql);
  }
  CHECK(literals_of(std::string("SELECT 'a\0b'", 12)) == "not sure");
  std::string many = "SELECT 1";
  for (std::size_t i = 1; i < pg::kMostPlainLiterals; ++i) many += ",1";
  CHECK(pg::plain_literals(many)->size() == pg::kMostPlainLiterals);
  CHECK(literals_of(many + ",1") == "not sure");
}

TEST_CASE("a comment in a comment is not read, wherever its asterisk is") {
  CHECK(literals_of("SELECT /* a */ 'x' /**/") == "t:'x'");
  for (const std::string sql :
       {"/* /*/ 'x' */ */ SELECT 1", "/*/*/ 'x' */ */ SELECT 1", "/* /* */ 'x' */ SELECT 1"})
    CHECK(literals_of(sql) == "not sure");
}

TEST_CASE("texts have one key if they differ in opaque literals only") {
  CHECK(key_of("SELECT 'a'") == key_of("SELECT 'b'"));
  CHECK(key_of("SELECT 'a'") != key_of("SELECT  'b'"));
  CHECK(key_of("SELECT 'a'") != key_of("SELECT 1"));
  CHECK(key_of("SELECT 1") != key_of("SELECT 2147483648"));
  CHECK(key_of("SELECT 1") != key_of("SELECT 1.5"));
  // Which of them are equal counts.
  CHECK(key_of("SELECT 1, 1") != key_of("SELECT 1, 2"));
  CHECK(key_of("SELECT 1, 2, 1") != key_of("SELECT 1, 2, 2"));
  CHECK(key_of("SELECT 1, 2, 1") == key_of("SELECT 7, 8, 7"));
  // The values of the others count, and so does which opaque one they are equal to.
  const OpaqueLiterals first{true, false};
  CHECK(key_of("SELECT 1, 5", first) == key_of("SELECT 2, 5", first));
  CHECK(key_of("SELECT 1, 5", first) != key_of("SELECT 1, 6", first));
  CHECK(key_of("SELECT 5, 5", first) != key_of("SELECT 2, 5", first));
  CHECK(key_of("SELECT 1, 5", first) != key_of("SELECT 1, 5"));
  // More literals than are compared one by one.
  std::string many = "SELECT 1";
  for (int i = 2; i < 40; ++i) many += "," + std::to_string(i);
  CHECK(key_of(many + ",41") == key_of(many + ",42"));
  CHECK(key_of(many + ",41") != key_of(many + ",17"));
}

TEST_CASE("literals are opaque as operands, and nowhere else") {
  const auto snapshot = rewriter::test::demo_snapshot();
  for (const auto& [sql, opaque] : std::vector<std::pair<std::string, std::string>>{
           {"SELECT city FROM people WHERE visits > 3", "3"},
           {"SELECT city FROM people WHERE visits BETWEEN 3 AND 5 LIMIT 10", "3 5"},
           {"SELECT city FROM cities WHERE city IN ('a', 'b') OR city LIKE 'c%'", "'a' 'b' 'c%'"},
           {"SELECT city FROM cities WHERE city = 'a'::text", "'a'"},
           // PostgreSQL may give the texts on the left several types.
           {"SELECT city FROM cities WHERE 'a' BETWEEN city AND 'b'", "'b'"},
           {"SELECT city FROM cities WHERE 'a' NOT BETWEEN 'b' AND city AND city > 'c'", "'b' 'c'"},
           {"SELECT city FROM cities WHERE city || 'a' BETWEEN 'b' AND 'c'", "'b' 'c'"},
           {"SELECT city FROM cities WHERE 'a' BETWEEN SYMMETRIC 'b' AND city || 'c'", ""},
           {"SELECT city FROM cities WHERE 'a' IN (city, 'b')", "'b'"},
           {"SELECT city FROM cities WHERE 'a' NOT IN ('b', city)", "'b'"},
           {"SELECT city FROM cities WHERE 'a' || city IN ('b', city)", "'a' 'b'"},
           {"SELECT city FROM cities WHERE 'a'::text BETWEEN city AND 'b'", "'a' 'b'"},
           {"SELECT city FROM cities WHERE 'a'::text IN ('b', city)", "'a' 'b'"},
           {"SELECT city FROM people WHERE 2 BETWEEN visits AND 5 OR 3 IN (visits, 4)", "2 5 3 4"},
           {"SELECT city FROM people WHERE 2 + visits BETWEEN SYMMETRIC 3 AND 4", "2 3 4"},
           {"SELECT 1 WHERE now() > timestamptz '2020-01-01'", "'2020-01-01'"},
           {"SELECT city FROM cities ORDER BY 1 LIMIT 5 OFFSET 6", ""},
           {"SELECT upper('a'), 'b' FROM cities", ""},
           {"SELECT 1.5::numeric(10, 2) + 1", "1"},
           {"SELECT now() - interval '1 day' > '2020-01-01'::date", "'2020-01-01'"},
           {"SELECT city FROM cities WHERE city = 'x'::name", ""},
           {"SELECT 1 WHERE 'people'::regclass = 'people'::regclass", ""},
           {"SELECT -5 + 7", "7"},
           {"SET statement_timeout = 5", ""},
           {"EXPLAIN SELECT city FROM cities WHERE city = 'a'", ""},
           {"SELECT city FROM cities WHERE city = 'a'; SELECT 1", ""},
           {"SELECT setting FROM pg_settings WHERE name = 'search_path'", ""},
           {"SELECT relname FROM pg_catalog.pg_class WHERE relname = 'people'", ""},
           {"SELECT table_name FROM information_schema.tables WHERE table_name = 'people'", ""},
           {"SELECT * FROM generate_series(1, 3) AS g(n) WHERE n = 2", ""},
           // A literal that equals one whose value counts is not free.
           {"SELECT city FROM people WHERE visits > 10 LIMIT 10", ""},
           {"SELECT city FROM people WHERE visits > 10 OR visits = 7 LIMIT 10", "7"},
       }) {
    CHECK_MESSAGE(opaque_in(sql, *snapshot) == opaque, sql);
  }
}

TEST_CASE("a value that chooses how rows are found is not opaque") {
  const auto indexed = rewriter::test::demo_snapshot_with_indexes();
  CHECK(opaque_in("SELECT id FROM people WHERE state = 'OH' AND visits > 3", *indexed) == "3");
}

TEST_CASE("a text that is refused, or that is sent in ASCII, has no template") {
  const auto snapshot = rewriter::test::demo_snapshot();
  CHECK_FALSE(template_of("SELECT * FROM secrets WHERE a = 'b'", *snapshot));
  CHECK_FALSE(template_of("SELECT nowhere FROM people WHERE visits = 5", *snapshot));
  CHECK_FALSE(template_of("SELECT city FROM people WHERE visits > 3", *snapshot,
                          {.role = "analyst", .sends_ascii = true}));
}

TEST_CASE("a client's literals that look like our own values do not confuse a template") {
  const auto snapshot = rewriter::test::demo_snapshot();
  for (const std::string sql : {
           "SELECT city FROM people WHERE visits > 1907360000 AND city = ''''",
           "SELECT 1907360000 FROM people WHERE visits > 3",
           "SELECT 'pgveil opaque 0000' FROM people WHERE city > 'x'",
           "SELECT ' ''pgveil opaque 0000''' FROM people WHERE city > 'x'",
           "SELECT 'pgveil opaque ', 805290001, 'Ab Zq-71/' FROM people WHERE city > 'x'",
       }) {
    CHECK_MESSAGE(rewriter::test::broken_shape(sql, "analyst", *snapshot) == "", sql);
  }
}

TEST_CASE("a form with parameters knows whether the type of a text is open") {
  for (const auto& [sql, is_open] : std::vector<std::pair<std::string, bool>>{
           {"SELECT city FROM cities WHERE city = 'a'", true},
           {"SELECT city FROM cities WHERE city = 'a'::text", false},
           {"SELECT city FROM cities WHERE city = 'a' \n::text", false},
           {"SELECT city FROM cities WHERE now() > date '2020-01-01'", true},  // it is not looked at
           {"SELECT city FROM people WHERE visits > 3", false},
           {"SELECT city FROM people WHERE visits > 3 AND city <> 'a'::text AND 'b' < city", true},
       }) {
    const auto shape = text_shape(sql, 1'000);
    REQUIRE(shape);
    const auto form = parameter_form(*shape, OpaqueLiterals(shape->literals.size(), true));
    REQUIRE(form);
    CHECK_MESSAGE(form->has_open_type == is_open, sql);
  }
}

TEST_CASE("an answer over the limit has no verdict by its template") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const std::string sql = "SELECT city FROM cities WHERE city = 'a'";
  const auto made = template_of(sql, *snapshot);
  REQUIRE(made);
  const std::string other = "SELECT city FROM cities WHERE city = '" + std::string(500, 'x') + "'";
  const auto shape = text_shape(other, 1'000);
  REQUIRE(shape);
  CHECK(verdict_on(*shape, *made, {.output_bytes = 2'000}));
  CHECK_FALSE(verdict_on(*shape, *made, {.output_bytes = 400}));
}

TEST_CASE("many literals of a text are opaque") {
  const auto snapshot = rewriter::test::demo_snapshot();
  std::string sql = "SELECT city FROM cities WHERE city IN ('0'";
  for (int i = 1; i < 900; ++i) sql += ", '" + std::to_string(i) + "'";
  sql += ")";
  const auto made = template_of(sql, *snapshot);
  REQUIRE(made);
  CHECK(made->places.size() == 900);
  CHECK(rewriter::test::broken_shape(sql, "analyst", *snapshot) == "");
}

TEST_CASE("the corpus has the same verdicts by shapes and by rewriting, for each role") {
  const auto plain = rewriter::test::demo_snapshot();
  const auto indexed = rewriter::test::demo_snapshot_with_indexes();
  const auto views = rewriter::test::demo_snapshot_with_views();
  std::size_t templates = 0;
  for (const auto& sql : rewriter::test::statement_corpus()) {
    for (const auto& snapshot : {plain, indexed, views}) {
      for (const std::string role : {"analyst", "dpo", "nobody"}) {
        CHECK_MESSAGE(rewriter::test::broken_shape(sql, role, *snapshot) == "", sql);
      }
    }
    templates += template_of(sql, *plain) ? 1 : 0;
  }
  CHECK(templates > 20);
}
