// Which statements find their rows by an index on a masked column, and what the verifier takes for such a
// look-up.
#include "rewriter/mask/look_up.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "fixture.hpp"
#include "mask_texts.hpp"
#include "pg/parse.hpp"
#include "rewrite_invariants.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"
#include "rewriter/verify/verify_look_up.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

std::string sent(const std::string& sql, const Snapshot& snapshot) {
  const auto verdict = rewrite(sql, {"analyst"}, snapshot);
  REQUIRE_MESSAGE(std::holds_alternative<Rewritten>(verdict), sql);
  return std::get<Rewritten>(verdict).statements.front().sql;
}

// The columns that are looked up, in the order of the text.
std::vector<std::string> looked_up(const std::string& sql, const Snapshot& snapshot) {
  const std::string text = sent(sql, snapshot);
  constexpr std::string_view kFence = "ORDER BY t.ctid OFFSET 0) AS t WHERE t.";
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = text.find(kFence, at)) != std::string::npos;) {
    at += kFence.size();
    out.push_back(text.substr(at, text.find(' ', at) - at));
  }
  return out;
}

using Columns = std::vector<std::string>;

const Mask& people_mask(const Snapshot& snapshot) {
  return *snapshot.protected_tables().front().mask;
}

bool is_verified_form(const std::string& text, const Snapshot& snapshot) {
  const auto tree = pg::parse_own(text, 100'000);
  REQUIRE_MESSAGE(tree.has_value(), text);
  return verify(text, tree->result->stmts[0]->stmt->base, "analyst", snapshot, 100'000).has_value();
}

}  // namespace

TEST_CASE("a condition that a masked column equals constants becomes a look-up") {
  const auto snapshot = rewriter::test::demo_snapshot_with_indexes();
  for (const auto& [sql, columns] : std::vector<std::pair<std::string, Columns>>{
           {"SELECT id FROM people WHERE state = 'OH'", {"state"}},
           {"SELECT id FROM people WHERE 'OH' = state", {"state"}},
           {"SELECT id FROM people p WHERE p.state = $1", {"state"}},
           {"SELECT id FROM people p WHERE p.state = $1::text AND visits > 3", {"state"}},
           {"SELECT id FROM people WHERE state = 'OH'::varchar", {"state"}},
           {"SELECT id FROM people WHERE state IN ('OH', $1, 'MA'::text)", {"state"}},
           {"SELECT id FROM people WHERE (visits > 3 OR id IS NULL) AND (city = 'Hamlet' AND true)",
            {"city"}},
           {"SELECT count(*) FROM people WHERE occupation = $1 GROUP BY city HAVING count(*) > 1",
            {"occupation"}},
           {"SELECT 1 FROM people p JOIN cities c ON c.city = p.city WHERE p.state = 'OH'", {"state"}},
           {"SELECT 1 FROM cities c JOIN people p ON c.city = p.city AND p.state = 'OH'", {"state"}},
           {"SELECT 1 FROM people p LEFT JOIN cities c USING (city) WHERE p.state = 'OH'", {"state"}},
           {"SELECT 1 FROM cities c RIGHT JOIN people p USING (city) WHERE p.state = 'OH'", {"state"}},
           {"SELECT 1 FROM people p, people q WHERE p.state = 'OH' AND q.city = 'Hamlet'", {"state", "city"}},
           {"SELECT 1 FROM people p, cities c WHERE p.state = 'OH' AND p.visits = c.population", {"state"}},
           {"SELECT (SELECT count(*) FROM people WHERE state = 'OH') FROM cities", {"state"}},
           {"WITH w AS (SELECT * FROM people WHERE state = 'OH') SELECT * FROM w WHERE city = 'Hamlet'",
            {"state"}},
           {"SELECT 1 FROM people WHERE state = 'OH' UNION SELECT 2 FROM people", {"state"}},
           {"PREPARE x AS SELECT id FROM people WHERE state = $1", {"state"}},
           {"DECLARE c CURSOR FOR SELECT id FROM people WHERE state = 'OH'", {"state"}},
           {"COPY (SELECT id FROM people WHERE state = 'OH') TO STDOUT", {"state"}},
           {"SELECT job FROM ohio", {"state"}},
           {"SELECT id FROM people WHERE state = 'OH' LIMIT 3", {"state"}}}) {
    CAPTURE(sql);
    CHECK(looked_up(sql, *snapshot) == columns);
    CHECK(rewriter::test::broken_invariant(sql, "analyst", *snapshot) == "");
  }
}

TEST_CASE("other conditions do not") {
  const auto snapshot = rewriter::test::demo_snapshot_with_indexes();
  for (const char* sql :
       {"SELECT id FROM people", "SELECT id FROM people WHERE state = 'OH' OR city = 'Hamlet'",
        "SELECT id FROM people WHERE NOT state = 'OH'", "SELECT id FROM people WHERE state <> 'OH'",
        "SELECT id FROM people WHERE state NOT IN ('OH', 'MA')", "SELECT id FROM people WHERE state >= 'OH'",
        "SELECT id FROM people WHERE state LIKE 'OH'", "SELECT id FROM people WHERE state = NULL",
        "SELECT id FROM people WHERE state = city", "SELECT id FROM people WHERE state = upper('oh')",
        "SELECT id FROM people WHERE state = (SELECT 'OH')",
        "SELECT id FROM people WHERE state = 'OH' COLLATE \"C\"",
        "SELECT id FROM people WHERE state COLLATE \"POSIX\" = 'OH'",
        "SELECT id FROM people WHERE state = 'OH'::name",
        "SELECT id FROM people WHERE state = 'OH'::varchar(1)",
        "SELECT id FROM people WHERE state = ANY ($1)", "SELECT id FROM people WHERE upper(state) = 'OH'",
        "SELECT id FROM people WHERE (state, city) = ('OH', 'x')",
        "SELECT id FROM people WHERE (state = 'OH') IS NOT FALSE", "SELECT id FROM people WHERE visits = 3",
        "SELECT id FROM people WHERE state = 'OH' AND visits = 3",
        "SELECT id FROM people WHERE state = 'OH' AND visits IN (3, $1)",
        "SELECT $1 FROM people WHERE state = $1", "SELECT id FROM people WHERE state = $1 AND city = $1",
        "SELECT count(*) FILTER (WHERE state = 'OH') FROM people",
        "SELECT city FROM people GROUP BY city, state HAVING state = 'OH'",
        "SELECT 1 FROM cities c LEFT JOIN people p ON p.state = 'OH'",
        "SELECT 1 FROM cities c LEFT JOIN people p ON true WHERE p.state = 'OH'",
        "SELECT 1 FROM people p LEFT JOIN cities c ON p.state = 'OH'",
        "SELECT 1 FROM people p FULL JOIN cities c USING (city) WHERE p.state = 'OH'",
        "SELECT 1 FROM people p RIGHT JOIN cities c USING (city) WHERE p.state = 'OH'",
        "SELECT 1 FROM people p, cities c WHERE state = 'OH'",
        "SELECT 1 FROM people p(a, b, c, state) WHERE state = 'OH'",
        "SELECT 1 FROM (people p JOIN cities c USING (city)) AS j WHERE j.state = 'OH'",
        "SELECT * FROM (SELECT * FROM people) p WHERE state = 'OH'",
        "SELECT 1 FROM people TABLESAMPLE BERNOULLI (10) WHERE state = 'OH'",
        // The name of an outer query's item, asked of in a join beside the inner one.
        "SELECT 1 FROM cities p WHERE EXISTS (SELECT 1 FROM people p, (cities a JOIN cities b ON p.state = "
        "'OH'))"}) {
    CAPTURE(sql);
    if (std::holds_alternative<Rewritten>(rewrite(sql, {"analyst"}, *snapshot)))
      CHECK(looked_up(sql, *snapshot) == Columns{});
    CHECK(rewriter::test::broken_invariant(sql, "analyst", *snapshot) == "");
  }
}

TEST_CASE("there are none without an index, by choice, or where masks are views") {
  const std::string sql = "SELECT id FROM people WHERE state = 'OH'";
  CHECK(looked_up(sql, *rewriter::test::demo_snapshot()) == Columns{});
  CHECK(looked_up(sql, *rewriter::test::demo_snapshot_with_indexes(LookUps::no)) == Columns{});
  CHECK(looked_up(sql, *rewriter::test::demo_snapshot_with_views()) == Columns{});
}

TEST_CASE("a value of many rows is not looked up, a rarer one is") {
  const auto snapshot = rewriter::test::demo_snapshot_with_indexes();
  auto& mask = const_cast<Mask&>(people_mask(*snapshot));
  LookUpColumn& state = *mask.look_ups.columns[3];
  mask.look_ups.rows = 1'000'000;
  state.rows = {{"OH", 900'000}, {"MA", 40'000}, {"DC", 500}};
  CHECK(looked_up("SELECT id FROM people WHERE state = 'OH'", *snapshot) == Columns{});
  CHECK(looked_up("SELECT id FROM people WHERE state = $1", *snapshot) == Columns{});
  CHECK(looked_up("SELECT id FROM people WHERE state = 'MA'", *snapshot) == Columns{"state"});
  CHECK(looked_up("SELECT id FROM people WHERE state = 'MA' LIMIT 1", *snapshot) == Columns{});
  CHECK(looked_up("SELECT id FROM people WHERE state = 'DC' LIMIT 1", *snapshot) == Columns{"state"});
  CHECK(looked_up("SELECT 1 FROM people p, cities c WHERE p.state = 'MA' AND p.visits = c.population",
                  *snapshot) == Columns{});
}

TEST_CASE("a look-up is the mask with one more condition between two fences") {
  const auto snapshot = rewriter::test::demo_snapshot_with_indexes();
  const Mask& mask = people_mask(*snapshot);
  const std::string values = "'{\"OH\"}'::pg_catalog.text[]";
  CHECK(sent("SELECT id, city, occupation FROM people AS p WHERE p.state = 'DC'", *snapshot) ==
        "SELECT id, city, occupation FROM (SELECT * FROM (" + mask.text +
            " AND (t.state OPERATOR(pg_catalog.=) (" + values +
            ")[CASE WHEN pg_catalog.statement_timestamp() IS NOT NULL THEN pg_catalog.array_position(" +
            values +
            ", 'DC') END]) ORDER BY t.ctid OFFSET 0) AS t WHERE t.state IS NOT NULL OFFSET 0) AS p "
            "WHERE p.state = 'DC'");
}

TEST_CASE("the verifier takes a look-up only where the statement asks for it") {
  const auto snapshot = rewriter::test::demo_snapshot_with_indexes();
  const auto look_up = [](const std::string& condition, const std::string& name = "100") {
    return "(SELECT * FROM \"pgveil mask\".\"" + name + "\" WHERE " + condition + ") AS people";
  };
  const std::string ohio = look_up("state OPERATOR(pg_catalog.=) ANY (ARRAY['OH'])");
  const auto is_taken = [&](const std::string& text) {
    return is_verified_form("SELECT 1 FROM " + text, *snapshot);
  };
  REQUIRE(is_taken(ohio + " WHERE state = 'OH'"));
  CHECK(is_taken(ohio + " WHERE (people.state OPERATOR(pg_catalog.=) 'OH') AND (1 = 2)"));
  CHECK(is_taken(ohio + " WHERE state IN ('OH')"));
  CHECK(
      is_taken(look_up("state OPERATOR(pg_catalog.=) ANY (ARRAY['OH', $1])") + " WHERE state IN ('OH', $1)"));
  CHECK(
      is_taken(look_up("state OPERATOR(pg_catalog.=) ANY (ARRAY['OH'])", "100-1-2") + " WHERE state = 'OH'"));
  CHECK(is_taken(ohio + " INNER JOIN (SELECT 1) AS c ON people.state = 'OH'"));
  CHECK(is_taken(ohio + " WHERE (state = 'OH')::pg_catalog.int4 OPERATOR(pg_catalog.<>) 0"));

  for (const std::string& where :
       {std::string(),
        std::string(" WHERE state = 'DC'"),
        std::string(" WHERE city = 'OH'"),
        std::string(" WHERE (state = 'OH') OR (state = 'DC')"),
        std::string(" WHERE NOT (state = 'OH')"),
        std::string(" WHERE state <> 'OH'"),
        std::string(" WHERE state IN ('OH', 'DC')"),
        std::string(" WHERE state = 'OH'::pg_catalog.text"),
        std::string(" WHERE q.state = 'OH'"),
        std::string(" WHERE (state = 'OH')::pg_catalog.int4 OPERATOR(pg_catalog.<>) 1"),
        std::string(" WHERE (state = 'OH')::pg_catalog.int4 OPERATOR(pg_catalog.=) 0"),
        std::string(" WHERE (state = 'OH')::pg_catalog.int4 <> 0"),
        std::string(" WHERE (state = 'DC')::pg_catalog.int4 OPERATOR(pg_catalog.<>) 0"),
        std::string(" WHERE (NOT (state = 'OH'))::pg_catalog.int4 OPERATOR(pg_catalog.<>) 0"),
        std::string(" WHERE (state = 'OH')::pg_catalog.text OPERATOR(pg_catalog.<>) '0'"),
        std::string(" WHERE state NOT IN ('OH')"),
        std::string(" HAVING state = 'OH'"),
        std::string(", (SELECT 1) AS c WHERE state = 'OH'"),
        std::string(" LEFT JOIN (SELECT 1) AS c ON people.state = 'OH'"),
        std::string(" INNER JOIN (SELECT 1) AS c ON true WHERE state = 'OH'"),
        std::string(" FULL JOIN public.cities AS c ON true WHERE people.state = 'OH'"),
        std::string(" RIGHT JOIN public.cities AS c ON true WHERE people.state = 'OH'")}) {
    CAPTURE(where);
    CHECK_FALSE(is_taken(ohio + where));
  }
  CHECK_FALSE(is_taken("public.cities AS c LEFT JOIN " + ohio + " ON people.state = 'OH'"));
  CHECK_FALSE(is_taken("LATERAL " + ohio + " WHERE state = 'OH'"));
}

TEST_CASE("the verifier takes no other condition in a stand-in") {
  const auto snapshot = rewriter::test::demo_snapshot_with_indexes();
  const auto is_taken = [&](const std::string& condition, const std::string& where,
                            const std::string& name = "100") {
    return is_verified_form("SELECT 1 FROM (SELECT * FROM \"pgveil mask\".\"" + name + "\" WHERE " +
                                condition + ") AS people WHERE " + where,
                            *snapshot);
  };
  const std::string any_ohio = "state OPERATOR(pg_catalog.=) ANY (ARRAY['OH'])";
  REQUIRE(is_taken(any_ohio, "state = 'OH'"));
  CHECK_FALSE(is_taken(any_ohio, "state = 'OH'", "100r"));
  CHECK_FALSE(is_taken(any_ohio, "state = 'OH'", "100-3"));  // the column itself is left out
  CHECK_FALSE(is_taken(any_ohio + " OFFSET 0", "state = 'OH'"));
  for (const auto& [condition, where] : std::vector<std::pair<std::string, std::string>>{
           {"state = 'OH'", "state = 'OH'"},
           {"state = ANY (ARRAY['OH'])", "state = 'OH'"},
           {"state OPERATOR(pg_catalog.=) ANY ('{OH}')", "state = 'OH'"},
           {"state OPERATOR(pg_catalog.<>) ANY (ARRAY['OH'])", "state <> 'OH'"},
           {"state OPERATOR(pg_catalog.=) ALL (ARRAY['OH'])", "state = 'OH'"},
           {"note OPERATOR(pg_catalog.=) ANY (ARRAY['x'])", "note = 'x'"},
           {"visits OPERATOR(pg_catalog.=) ANY (ARRAY[3])", "visits = 3"},
           {"id OPERATOR(pg_catalog.=) ANY (ARRAY[3])", "id = 3"},
           {"state OPERATOR(pg_catalog.=) ANY (ARRAY[NULL])", "state = NULL"},
           {"state OPERATOR(pg_catalog.=) ANY (ARRAY[city])", "state = city"},
           {"state OPERATOR(pg_catalog.=) ANY (ARRAY[(SELECT 'OH')])", "state = (SELECT 'OH')"},
           {"state OPERATOR(pg_catalog.=) ANY (ARRAY[pg_catalog.upper('oh')])",
            "state = pg_catalog.upper('oh')"},
           {"state OPERATOR(pg_catalog.=) ANY (ARRAY['OH'::pg_catalog.int4])",
            "state = 'OH'::pg_catalog.int4"},
           {"state OPERATOR(pg_catalog.=) ANY (ARRAY['OH'::pg_catalog.varchar(1)])",
            "state = 'OH'::pg_catalog.varchar(1)"},
           {"state OPERATOR(pg_catalog.=) ANY (ARRAY[b'1'])", "state = b'1'"},
           {"true", "true"}}) {
    CAPTURE(condition);
    CHECK_FALSE(is_taken(condition, where));
  }
}

TEST_CASE("the constants of a look-up are cut out of the text as they stand there") {
  const auto snapshot = rewriter::test::demo_snapshot_with_indexes();
  const auto is_taken = [&](const std::string& constants) {
    return is_verified_form(
        "SELECT 1 FROM (SELECT * FROM \"pgveil mask\".\"100\" WHERE state OPERATOR(pg_catalog.=) ANY "
        "(ARRAY[" +
            constants + "])) AS people WHERE state IN (" + constants + ")",
        *snapshot);
  };
  CHECK(is_taken("'OH', 'a]b, c', E'it\\'s', $1, $2::pg_catalog.text, ''"));
  CHECK_FALSE(is_taken("'OH' -- a comment\n"));
  CHECK_FALSE(is_taken("'OH' /* another */"));
  CHECK(sent("SELECT id FROM people WHERE state IN ('a]b, c', $1)", *snapshot).find("[]', ") ==
        std::string::npos);
  CHECK(sent("SELECT id FROM people WHERE state IN ('a]b, c', $1)", *snapshot).find("[], 'a]b, c') END]") !=
        std::string::npos);
}

TEST_CASE("no look-up is let through without its values") {
  const auto without = rewriter::test::demo_snapshot_with_indexes(LookUps::no);
  CHECK_FALSE(is_verified_form(
      "SELECT 1 FROM (SELECT * FROM \"pgveil mask\".\"100\" WHERE state OPERATOR(pg_catalog.=) "
      "ANY (ARRAY['OH'])) "
      "AS people WHERE state = 'OH'",
      *without));
}

TEST_CASE("a mask whose look-ups are not what they must be closes its table") {
  const auto snapshot = rewriter::test::demo_snapshot_with_indexes();
  const auto& table = snapshot->protected_tables().front();
  const auto compiled =
      compile_mask(*table.state.spec, *table.state.version, *table.relation, VersionGuard::absent).value();
  CompiledMask& mask = *compiled;
  const auto is_fine = [&] {
    return verify_look_ups(mask, *table.state.version, *table.relation, "people_k2").has_value();
  };
  REQUIRE(is_fine());
  LookUpColumn& state = *mask.look_ups.columns[3];
  const LookUpColumn before = state;
  const auto breaks = [&](const auto& change) {
    change(state);
    const bool is_broken = !is_fine();
    state = before;
    return is_broken;
  };
  CHECK(breaks([](LookUpColumn& it) { it.values = "'{\"OH\",\"CA\"}'::pg_catalog.text[]"; }));
  CHECK(breaks([](LookUpColumn& it) { it.values_of_list = "'{\"CA\"}'::pg_catalog.text[]"; }));
  CHECK(breaks([](LookUpColumn& it) { it.values = "'{\"OH\"}'::pg_catalog.name[]"; }));
  CHECK(breaks([](LookUpColumn& it) { it.values = "'{\"OH\"}'::public.text[]"; }));
  CHECK(breaks([](LookUpColumn& it) { it.values = "ARRAY(SELECT state FROM public.people)"; }));
  CHECK(breaks([](LookUpColumn& it) { it.column = "t.city"; }));
  CHECK(breaks([](LookUpColumn& it) { it.column = "t.state || ''"; }));
  CHECK(is_fine());
}
