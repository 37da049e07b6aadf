// What readers are told: the notice of a masked table, pgveil.columns and pgveil.policies, pgveil.hidden(),
// and notices of conditions that hold for no row.
#include "rewriter/told/told_columns.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/pipeline/examine.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/told/mask_notice.hpp"
#include "rewriter/told/own_relation.hpp"
#include "rewriter/verify/verify.hpp"
#include "rewriter/verify/verify_own_relation.hpp"

namespace pgveil::rewriter::told_test {

namespace {

using policy::ColumnClass;

Rewritten rewritten(const std::string& sql, const std::string& role, const Snapshot& snapshot) {
  const Verdict verdict = rewrite(sql, {.role = role}, snapshot);
  if (const auto* refusal = std::get_if<Refusal>(&verdict)) FAIL(sql << ": " << refusal->message);
  if (const auto* error = std::get_if<Error>(&verdict)) FAIL(sql << ": " << error->public_message);
  return std::get<Rewritten>(verdict);
}

std::string sql_of(const std::string& sql, const Snapshot& snapshot, const std::string& role = "analyst") {
  return rewritten(sql, role, snapshot).statements.at(0).sql;
}

std::string refusal_of(const std::string& sql, const Snapshot& snapshot) {
  const Verdict verdict = rewrite(sql, {.role = "analyst"}, snapshot);
  const auto* refusal = std::get_if<Refusal>(&verdict);
  return refusal == nullptr ? "answered, or an error" : refusal->message;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// people as analyst reads it, staff as bob does, and gone, which is closed, as both would; dpo is exempt.
struct World {
  std::shared_ptr<Catalog> catalog = rewriter::test::demo_catalog();
  ReaderNotices notices = ReaderNotices::yes;

  World() {
    for (const auto& [name, oid] : {std::pair("staff", 300U), std::pair("gone", 301U)}) {
      Relation relation = *catalog->find("public", "people");
      relation.oid = oid;
      relation.relfilenode += oid;
      relation.name = name;
      catalog->relations.emplace(std::pair(relation.schema, relation.name), relation);
    }
  }

  [[nodiscard]] PolicyState state(const std::string& name, const std::string& table,
                                  std::vector<std::string> readers, bool is_built = true) const {
    auto spec = std::make_shared<policy::PolicySpec>(rewriter::test::worked_example_policy());
    spec->name = name;
    spec->table = table;
    spec->readers = std::move(readers);
    if (!is_built) return {spec, nullptr, {}};
    const auto version = std::make_shared<policy::PolicyVersion>(rewriter::test::version_of(
        *spec, rewriter::test::worked_example_counts(), *catalog->find("public", table)));
    return {spec, version, {}};
  }

  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const {
    return make_snapshot(
               {.catalog = catalog,
                .policies = {state("people_k2", "people", {"analyst"}), state("staff_k2", "staff", {"bob"}),
                             state("gone_k2", "gone", {"analyst", "bob"}, false)},
                .open_tables = {"public.cities", "public.ohio"},
                .generation = 1,
                .notices = notices})
        .value();
  }
};

// people as a copy in which id is a pseudonym.
struct KeyedWorld : World {
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const {
    auto spec = std::make_shared<policy::PolicySpec>(rewriter::test::worked_example_policy());
    spec->enforcement = policy::Enforcement::copy;
    spec->columns[0].column_class = ColumnClass::key;
    spec->columns[0].domain = "person";
    spec->exempt_roles.clear();
    auto version = std::make_shared<policy::PolicyVersion>(rewriter::test::version_of(
        *spec, rewriter::test::worked_example_counts(), *catalog->find("public", "people")));
    Relation copy = *catalog->find("public", "people");
    copy.oid = 900;
    copy.relfilenode = 901;
    copy.schema = "pgveil";
    copy.name = "people_k2.copy.4711";
    version->copy = shape_of(copy);
    catalog->relations.emplace(std::pair(copy.schema, copy.name), std::move(copy));
    return make_snapshot({.catalog = catalog,
                          .policies = {{spec, version, {}}},
                          .open_tables = {},
                          .generation = 1,
                          .version_guard = VersionGuard::present})
        .value();
  }
};

}  // namespace

TEST_CASE("a share is told in whole per cent, and 0 and 100 only when it is so") {
  struct Row {
    std::uint64_t part, whole;
    int percent;
  };
  constexpr Row kRows[] = {{0, 7, 0},      {7, 7, 100},      {1, 1'000'000, 1}, {999'999, 1'000'000, 99},
                           {1, 2, 50},     {5, 1'000, 1},    {14, 1'000, 1},    {15, 1'000, 2},
                           {25, 1'000, 3}, {994, 1'000, 99}, {2, 3, 67},        {1, 3, 33}};
  for (const Row& row : kRows) {
    CAPTURE(row.part);
    CAPTURE(row.whole);
    CHECK(whole_percent(row.part, row.whole) == row.percent);
  }
}

TEST_CASE(
    "the notice of a table names policy, k, time and the share of each column that is hidden somewhere") {
  const auto snapshot = World().snapshot();
  const Statement statement = rewritten("SELECT city FROM people", "analyst", *snapshot).statements.at(0);
  REQUIRE(statement.notices.tables.size() == 1);
  CHECK(statement.notices.tables[0].policy == "people_k2");
  const Notice& notice = *statement.notices.tables[0].notice;
  CHECK(notice.message ==
        "public.people is masked (policy people_k2, k = 2, built 2026-11-24 19:07 UTC): id never, occupation "
        "45 % shown, city 36 %, state 55 %, note never; hidden values are NULL");
  CHECK(has(notice.hint, "SET pgveil.notices = off"));
}

TEST_CASE("a copy is told by its time, a level by its column, and a long list is cut") {
  World world;
  Relation& relation =
      world.catalog->relations.find(std::pair<std::string, std::string>("public", "people"))->second;
  PolicyState state = world.state("people_k2", "people", {"analyst"});
  policy::PolicySpec spec = *state.spec;
  spec.enforcement = policy::Enforcement::copy;
  for (int i = 0; i < 30; ++i)
    relation.columns.push_back(rewriter::test::column(10 + i, "c" + std::to_string(i)));
  state.spec = std::make_shared<const policy::PolicySpec>(spec);
  Snapshot::ProtectedTable table;
  table.state = state;
  table.relation = &relation;
  const std::string message = mask_notice(table).message;
  CHECK(has(message, "k = 2, a copy of 2026-11-24 19:07 UTC)"));
  CHECK(has(message, "c14 never, and 15 more; hidden"));
}

TEST_CASE("exempt roles, tables that are not masked and a configuration that says so have no notices") {
  World world;
  CHECK(
      rewritten("SELECT city FROM people", "dpo", *world.snapshot()).statements.at(0).notices.tables.empty());
  CHECK(rewritten("SELECT city FROM cities", "analyst", *world.snapshot())
            .statements.at(0)
            .notices.tables.empty());
  world.notices = ReaderNotices::no;
  const auto quiet =
      rewritten("SELECT p.city FROM people p JOIN cities c ON c.city = p.id::text WHERE p.id = 1", "analyst",
                *world.snapshot());
  CHECK(quiet.statements.at(0).notices.tables.empty());
  CHECK(quiet.statements.at(0).notices.conditions.empty());
}

TEST_CASE("a statement that reads two masked tables, one of them twice, has two notices") {
  World world;
  const auto snapshot = make_snapshot({.catalog = world.catalog,
                                       .policies = {world.state("people_k2", "people", {"analyst"}),
                                                    world.state("staff_k2", "staff", {"analyst"})},
                                       .open_tables = {},
                                       .generation = 1})
                            .value();
  const auto two = rewritten("SELECT 1 FROM people a, people b, staff; SELECT 1", "analyst", *snapshot);
  CHECK(two.statements.at(0).notices.tables.size() == 2);
  CHECK(two.statements.at(1).notices.tables.empty());
}

TEST_CASE("pgveil.columns lists the columns of the tables that a role reads masked") {
  const auto snapshot = World().snapshot();
  const std::string sql = sql_of("SELECT * FROM pgveil.columns", *snapshot);
  CHECK(has(sql,
            "('public', 'people', 'id', 'people_k2', 'identifier', 0, 'NULL', NULL, NULL, 2, 'query', "
            "'2026-11-24T19:07:31Z')"));
  CHECK(has(sql,
            "('public', 'people', 'city', 'people_k2', 'quasi_identifier', 36, 'NULL', NULL, NULL, 2, "
            "'query', '2026-11-24T19:07:31Z')"));
  CHECK(has(sql, "'visits', 'people_k2', 'insensitive', 100, NULL, NULL, NULL"));
  CHECK(has(sql, "'note', 'people_k2', 'unlisted', 0, 'NULL'"));
  CHECK_FALSE(has(sql, "staff"));
  CHECK_FALSE(has(sql, "gone"));
  CHECK_FALSE(rewritten("SELECT * FROM pgveil.columns", "analyst", *snapshot).statements.at(0).is_protected);
}

TEST_CASE("nobody is told of policies whose reader he is not") {
  const auto snapshot = World().snapshot();
  CHECK_FALSE(has(sql_of("SELECT * FROM pgveil.columns", *snapshot, "bob"), "people_k2"));
  CHECK(has(sql_of("SELECT * FROM pgveil.columns", *snapshot, "bob"), "staff_k2"));
  for (const char* role : {"dpo", "nobody", ""}) {
    for (const char* relation : {"columns", "policies"}) {
      CAPTURE(role);
      CHECK_FALSE(has(sql_of("SELECT * FROM pgveil." + std::string(relation), *snapshot, role), "_k2"));
    }
  }
}

TEST_CASE("pgveil.policies says which are closed, and nothing of them but the owner's words") {
  const std::string sql = sql_of("SELECT * FROM pgveil.policies", *World().snapshot());
  CHECK(has(sql, "('people_k2', 'public', 'people', 'open', 2, 'query', '2026-11-24T19:07:31Z')"));
  CHECK(has(sql, "('gone_k2', 'public', 'gone', 'closed', 2, 'query', NULL)"));
  CHECK_FALSE(has(sql, "staff"));
}

TEST_CASE("a key is told as a pseudonym that some rows lack") {
  const auto snapshot = KeyedWorld().snapshot();
  REQUIRE(snapshot->protected_tables()[0].state.closed_because.empty());
  CHECK(has(sql_of("SELECT * FROM pgveil.columns", *snapshot),
            "('public', 'people', 'id', 'people_k2', 'key', 100, 'NULL', NULL, NULL, 2, 'copy', "
            "'2026-11-24T19:07:31Z')"));
  const Statement statement = rewritten("SELECT id FROM people", "analyst", *snapshot).statements.at(0);
  REQUIRE(statement.notices.tables.size() == 1);
  CHECK(has(statement.notices.tables[0].notice->message, ": id as a pseudonym, occupation 45 % shown, "));
  const std::string comments = own_relation_text(OwnRelation::comments, "analyst", *snapshot);
  CHECK(has(comments, "('100', 1, 'masked by policy people_k2: a pseudonym')"));
  const std::string nullable = own_relation_text(OwnRelation::nullable, "analyst", *snapshot);
  CHECK(has(nullable, "('100', 'public', 'people', '{1,2,3,4,6}')"));
  CHECK(has(sql_of("SELECT pgveil.hidden(id) FROM people", *snapshot), "SELECT id IS NULL AS hidden FROM"));
  // It is shown in most rows, so it may be compared and joined without a warning.
  for (const char* sql :
       {"SELECT 1 FROM people WHERE id = 1", "SELECT 1 FROM people a JOIN people b USING (id)"})
    CHECK(rewritten(sql, "analyst", *snapshot).statements.at(0).notices.conditions.empty());
}

TEST_CASE("the verifier writes the same lists of a key, and takes no other words for it") {
  const auto snapshot = KeyedWorld().snapshot();
  for (const auto which :
       {OwnRelation::columns, OwnRelation::policies, OwnRelation::comments, OwnRelation::nullable}) {
    CHECK(own_relation_text(which, "analyst", *snapshot) ==
          expected_own_relation(which, "analyst", *snapshot));
  }
  const std::string text = "SELECT c.k FROM (SELECT * FROM \"pgveil mask\".\"pgveil.columns\") AS c";
  const auto tree = pg::parse_own(text, 10'000).value();
  const auto reads = verify(text, tree.result->stmts[0]->stmt->base, "analyst", *snapshot, 10'000).value();
  REQUIRE(reads.splices.size() == 1);
  const auto is_taken = [&](const std::string& list) {
    std::string out = text;
    out.replace(reads.splices[0].offset, reads.splices[0].bytes, list);
    return verify_sent(out, text, reads.splices).has_value();
  };
  const std::string right = own_relation_text(OwnRelation::columns, "analyst", *snapshot);
  CHECK(is_taken(right));
  for (const char* other : {"'identifier', 0, 'NULL'", "'insensitive', 100, NULL", "'key', 100, NULL"}) {
    std::string wrong = right;
    const std::string_view key = "'key', 100, 'NULL'";
    CHECK_FALSE(is_taken(wrong.replace(wrong.find(key), key.size(), other)));
  }
}

TEST_CASE("pgveil's relations stand wherever a table may") {
  const auto snapshot = World().snapshot();
  for (const char* sql :
       {"SELECT c.class, p.k FROM pgveil.columns c JOIN pgveil.policies p USING (policy) WHERE "
        "c.shown_percent < 50",
        "SELECT pgveil.columns.level FROM pgveil.columns", "SELECT x FROM pgveil.policies AS q(x)",
        "TABLE pgveil.policies", "SELECT * FROM demo.pgveil.columns", "COPY pgveil.columns TO STDOUT",
        "COPY (SELECT * FROM pgveil.columns) TO STDOUT",
        "PREPARE s AS SELECT * FROM pgveil.columns WHERE k = $1",
        "DECLARE c CURSOR FOR SELECT * FROM pgveil.columns", "EXPLAIN SELECT * FROM pgveil.columns",
        "WITH x AS (SELECT * FROM pgveil.columns) SELECT count(*) FROM x, people",
        "SELECT (SELECT count(*) FROM pgveil.columns c WHERE c.table_name = t.table_name) FROM "
        "pgveil.policies t"}) {
    CAPTURE(sql);
    const Verdict verdict = rewrite(sql, {.role = "analyst"}, *snapshot);
    CHECK(std::holds_alternative<Rewritten>(verdict));
  }
  for (const char* sql : {"SELECT * FROM pgveil.versions", "SELECT * FROM other.pgveil.columns",
                          "SELECT nope FROM pgveil.columns", "SELECT c.ctid FROM pgveil.columns c",
                          "SELECT * FROM pgveil.columns TABLESAMPLE BERNOULLI (50)", "SELECT * FROM columns",
                          "SELECT * FROM \"pgveil mask\".columns", "SELECT * FROM pgveil.columns FOR UPDATE",
                          "INSERT INTO pgveil.columns VALUES (1)"}) {
    CAPTURE(sql);
    CHECK_FALSE(std::holds_alternative<Rewritten>(rewrite(sql, {.role = "analyst"}, *snapshot)));
  }
}

TEST_CASE("a real relation of the same name is not read, and in a view it is not listed") {
  World world;
  Relation real = *world.catalog->find("public", "secrets");
  real.oid = 400;
  real.schema = "pgveil";
  real.name = "columns";
  world.catalog->relations.emplace(std::pair(real.schema, real.name), real);
  Relation& view =
      world.catalog->relations.find(std::pair<std::string, std::string>("public", "ohio"))->second;
  view.view->query = "SELECT columns.secret AS job, columns.secret AS city FROM pgveil.columns;";
  const auto snapshot = world.snapshot();
  CHECK(has(sql_of("SELECT * FROM pgveil.columns", *snapshot), "VALUES"));
  CHECK(has(refusal_of("SELECT * FROM ohio", *snapshot), "not listed"));
}

TEST_CASE("the verifier writes the same lists, for every role") {
  const auto snapshot = World().snapshot();
  for (const std::string role : {"analyst", "bob", "dpo", "nobody"}) {
    for (const auto which : {OwnRelation::columns, OwnRelation::policies, OwnRelation::comments}) {
      CHECK(own_relation_text(which, role, *snapshot) == expected_own_relation(which, role, *snapshot));
      CHECK(pg::parse_own(own_relation_text(which, role, *snapshot), 100'000).has_value());
    }
  }
}

TEST_CASE("the verifier rejects another list, another place and another role's words") {
  const auto snapshot = World().snapshot();
  const std::string text = "SELECT c.k FROM (SELECT * FROM \"pgveil mask\".\"pgveil.columns\") AS c";
  const auto tree = pg::parse_own(text, 10'000).value();
  const auto reads = verify(text, tree.result->stmts[0]->stmt->base, "analyst", *snapshot, 10'000).value();
  REQUIRE(reads.splices.size() == 1);
  const auto with = [&](const std::string& list) {
    std::string out = text;
    return out.replace(reads.splices[0].offset, reads.splices[0].bytes, list);
  };
  const std::string right = own_relation_text(OwnRelation::columns, "analyst", *snapshot);
  CHECK(verify_sent(with(right), text, reads.splices).has_value());
  for (const std::string& wrong :
       {own_relation_text(OwnRelation::columns, "bob", *snapshot),
        own_relation_text(OwnRelation::policies, "analyst", *snapshot), std::string(right).replace(7, 1, "u"),
        right + " ", std::string("SELECT 1"), std::string()}) {
    CHECK_FALSE(verify_sent(with(wrong), text, reads.splices).has_value());
  }
  auto moved = reads.splices;
  moved[0].offset += 1;
  CHECK_FALSE(verify_sent(with(right), text, moved).has_value());
  auto unsaid = reads.splices;
  unsaid[0].own = std::nullopt;
  CHECK_FALSE(verify_sent(with(right), text, unsaid).has_value());
}

TEST_CASE("the verifier takes a stand-in of pgveil's relations only as a whole sub-query") {
  const auto snapshot = World().snapshot();
  for (const char* sql : {"SELECT * FROM \"pgveil mask\".\"pgveil.columns\"",
                          "SELECT 1 FROM (SELECT k FROM \"pgveil mask\".\"pgveil.columns\") AS c",
                          "SELECT 1 FROM (SELECT * FROM \"pgveil mask\".\"pgveil.columns\" AS d) AS c",
                          "SELECT 1 FROM (SELECT * FROM \"pgveil mask\".\"pgveil.columns\" WHERE true) AS c",
                          "SELECT 1 FROM (SELECT * FROM ONLY \"pgveil mask\".\"pgveil.columns\") AS c",
                          "SELECT 1 FROM (SELECT * FROM \"pgveil mask\".\"pgveil.column\") AS c",
                          "SELECT 1 FROM LATERAL (SELECT * FROM \"pgveil mask\".\"pgveil.columns\") AS c",
                          "SELECT 1 FROM ( SELECT * FROM \"pgveil mask\".\"pgveil.columns\") AS c",
                          "SELECT (SELECT * FROM \"pgveil mask\".\"pgveil.columns\")"}) {
    CAPTURE(sql);
    const auto tree = pg::parse_own(sql, 10'000).value();
    CHECK_FALSE(verify(sql, tree.result->stmts[0]->stmt->base, "analyst", *snapshot, 10'000).has_value());
  }
}

TEST_CASE("people who examine a statement see pgveil's relations by name") {
  const auto examined = examine("SELECT * FROM pgveil.columns c, pgveil.columns d, people",
                                {.role = "analyst"}, *World().snapshot())
                            .value();
  REQUIRE(examined.at(0).objections.empty());
  REQUIRE(examined[0].masks.size() == 2);
  CHECK(examined[0].masks[0].name == "pgveil.columns");
  CHECK(has(examined[0].short_sql, "\"pgveil.columns\" AS c"));
}

TEST_CASE("pgveil.hidden says what the mask does, and nothing of the value behind it") {
  const auto snapshot = World().snapshot();
  struct Row {
    const char* sql;
    const char* becomes;
  };
  constexpr Row kRows[] = {
      {"SELECT pgveil.hidden(city) FROM people", "SELECT city IS NULL AS hidden FROM"},
      {"SELECT pgveil.hidden(p.city) FROM people p", "SELECT p.city IS NULL AS hidden FROM"},
      {"SELECT pgveil.hidden(public.people.city) FROM people", "SELECT people.city IS NULL AS hidden FROM"},
      {"SELECT pgveil.hidden(id) FROM people", "SELECT true::pg_catalog.bool AS hidden FROM"},
      {"SELECT pgveil.hidden(note) FROM people", "SELECT true::pg_catalog.bool AS hidden FROM"},
      {"SELECT pgveil.hidden(visits) FROM people", "SELECT false::pg_catalog.bool AS hidden FROM"},
      {"SELECT pgveil.hidden(a) FROM people AS p(x, y, a)", "SELECT a IS NULL AS hidden FROM"},
      {"SELECT pgveil.hidden(population) FROM cities", "SELECT false::pg_catalog.bool AS hidden FROM"},
      {"SELECT count(*) FILTER (WHERE pgveil.hidden(city)) FROM people", "FILTER (WHERE city IS NULL)"},
      {"SELECT 1 FROM people p WHERE EXISTS (SELECT FROM cities WHERE pgveil.hidden(p.city))",
       "p.city IS NULL"},
      {"SELECT pgveil.hidden(p.city) FROM cities c LEFT JOIN people p ON true",
       "CASE WHEN pg_catalog.num_nonnulls(p.*) OPERATOR(pg_catalog.=) 1 THEN p.city IS NULL ELSE "
       "NULL::pg_catalog.bool END"},
      {"SELECT pgveil.hidden(p.id) FROM people p RIGHT JOIN cities c ON true",
       "CASE WHEN pg_catalog.num_nonnulls(p.*) OPERATOR(pg_catalog.=) 1 THEN true::pg_catalog.bool"},
      {"SELECT pgveil.hidden(c.city) FROM people p FULL JOIN cities c ON true",
       "CASE WHEN pg_catalog.num_nonnulls(c.*) OPERATOR(pg_catalog.=) 1 THEN false::pg_catalog.bool"},
      {"SELECT 1 FROM cities c LEFT JOIN people p ON pgveil.hidden(p.city)", "ON p.city IS NULL"},
      {"SELECT pgveil.hidden(c.city) FROM cities c LEFT JOIN people p ON true",
       "SELECT false::pg_catalog.bool AS hidden FROM"}};
  for (const Row& row : kRows) {
    CAPTURE(row.sql);
    const std::string sql = sql_of(row.sql, *snapshot);
    CAPTURE(sql);
    CHECK(has(sql, row.becomes));
  }
  CHECK(
      has(sql_of("SELECT pgveil.hidden(id) FROM people", *snapshot, "dpo"), "SELECT false::pg_catalog.bool"));
}

TEST_CASE("pgveil.hidden of anything but a table's column is refused with a way to ask") {
  const auto snapshot = World().snapshot();
  for (const char* sql :
       {"SELECT pgveil.hidden(upper(city)) FROM people", "SELECT pgveil.hidden(city::text) FROM people",
        "SELECT pgveil.hidden('x')", "SELECT pgveil.hidden(city, state) FROM people",
        "SELECT pgveil.hidden() FROM people", "SELECT pgveil.hidden(p) FROM people p",
        "SELECT pgveil.hidden(p.*) FROM people p", "SELECT pgveil.hidden(DISTINCT city) FROM people",
        "SELECT pgveil.hidden(city) FILTER (WHERE true) FROM people",
        "SELECT pgveil.hidden(s.city) FROM (SELECT city FROM people) s",
        "WITH s AS (SELECT city FROM people) SELECT pgveil.hidden(city) FROM s",
        "SELECT pgveil.hidden(city) FROM ohio", "SELECT pgveil.hidden(relname) FROM pg_class",
        "SELECT pgveil.hidden(city) FROM people JOIN cities USING (city)", "SELECT * FROM pgveil.hidden(1)",
        "SELECT pgveil.shown(city) FROM people"}) {
    CAPTURE(sql);
    const Verdict verdict = rewrite(sql, {.role = "analyst"}, *snapshot);
    REQUIRE(std::holds_alternative<Refusal>(verdict));
    CHECK(std::get<Refusal>(verdict).reason == Reason::function_not_listed);
  }
}

TEST_CASE("a comparison that a hidden column decides is told, with the policy that hides it") {
  const auto snapshot = World().snapshot();
  const std::string join = "people.id is hidden by policy people_k2, so this join matches no row";
  const std::string comparison = "people.id is hidden by policy people_k2, so this comparison matches no row";
  struct Row {
    const char* sql;
    std::vector<std::string> told;
  };
  const Row rows[] = {
      {"SELECT 1 FROM people p JOIN cities c ON p.id = c.population", {join}},
      {"SELECT 1 FROM people p JOIN cities c ON c.population = p.id AND p.city = c.city", {join}},
      {"SELECT 1 FROM people p LEFT JOIN cities c ON p.id = c.population", {join}},
      {"SELECT 1 FROM people p, cities c WHERE p.id = c.population AND (1 = 1 AND p.id = c.population)",
       {join}},
      {"SELECT 1 FROM people a JOIN people b USING (id)", {join}},
      {"SELECT 1 FROM people a JOIN people b USING (note)",
       {"people.note is hidden by policy people_k2, so this join matches no row"}},
      {"SELECT 1 FROM people WHERE id IN (SELECT population FROM cities)", {join}},
      {"SELECT 1 FROM people WHERE id = 5", {comparison}},
      {"SELECT 1 FROM people WHERE 5 = id", {comparison}},
      {"SELECT 1 FROM people WHERE id IN (1, 2)", {comparison}},
      {"SELECT 1 FROM cities WHERE population IN (SELECT visits FROM people WHERE id = 5)", {comparison}},
      {"SELECT 1 FROM people WHERE id = 5 OR id = 6", {}},
      {"SELECT 1 FROM people WHERE NOT id = 5", {}},
      {"SELECT 1 FROM people WHERE id > 5", {}},
      {"SELECT 1 FROM people WHERE city = 'x' AND visits = 1", {}},
      {"SELECT 1 FROM people p JOIN cities c USING (city)", {}},
      {"SELECT 1 FROM (SELECT id FROM people) s WHERE id = 5", {}},
      {"SELECT 1 FROM cities c JOIN cities d ON c.population = d.population", {}}};
  for (const Row& row : rows) {
    CAPTURE(row.sql);
    const auto conditions = rewritten(row.sql, "analyst", *snapshot).statements.at(0).notices.conditions;
    std::vector<std::string> told;
    for (const Notice& notice : conditions) told.push_back(notice.message);
    CHECK(told == row.told);
  }
  CHECK(rewritten("SELECT 1 FROM people WHERE id = 5", "dpo", *snapshot)
            .statements.at(0)
            .notices.conditions.empty());
}

TEST_CASE("a listed view's own conditions are not told") {
  World world;
  Relation& view =
      world.catalog->relations.find(std::pair<std::string, std::string>("public", "ohio"))->second;
  view.view->query = "SELECT people.occupation AS job, people.city FROM public.people WHERE (people.id = 5);";
  CHECK(rewritten("SELECT * FROM ohio", "analyst", *world.snapshot())
            .statements.at(0)
            .notices.conditions.empty());
}

TEST_CASE("no more than ten conditions of a statement are told") {
  World world;
  Relation& people =
      world.catalog->relations.find(std::pair<std::string, std::string>("public", "people"))->second;
  std::string where = "true";
  for (int i = 0; i < 12; ++i) {
    people.columns.push_back(rewriter::test::column(10 + i, "c" + std::to_string(i)));
    where += " AND c" + std::to_string(i) + " = 'x'";
  }
  CHECK(rewritten("SELECT 1 FROM people WHERE " + where, "analyst", *world.snapshot())
            .statements.at(0)
            .notices.conditions.size() == 10);
}

TEST_CASE("what turns notices off is a setting of two values, for the session") {
  const auto snapshot = World().snapshot();
  const auto switches = [&](const std::string& sql) {
    return rewritten(sql, "analyst", *snapshot).statements.at(0).switches;
  };
  using enum NoticeSwitch;
  CHECK(switches("SET pgveil.notices = off") == NoticeSwitches{off, untouched});
  CHECK(switches("SET pgveil.notices TO 'ON'") == NoticeSwitches{on, untouched});
  CHECK(switches("SET SESSION pgveil.notices = false") == NoticeSwitches{off, untouched});
  CHECK(switches("RESET pgveil.notices") == NoticeSwitches{reset, untouched});
  CHECK(switches("SET pgveil.notices TO DEFAULT") == NoticeSwitches{reset, untouched});
  CHECK(switches("RESET ALL") == NoticeSwitches{reset, reset});
  CHECK(switches("DISCARD ALL") == NoticeSwitches{reset, reset});
  CHECK(switches("SET client_min_messages = warning") == NoticeSwitches{untouched, off});
  CHECK(switches("SET client_min_messages = notice") == NoticeSwitches{untouched, on});
  CHECK(switches("SET LOCAL client_min_messages = warning") == NoticeSwitches{});
  CHECK(switches("SELECT set_config('pgveil.notices', 'off', false)") == NoticeSwitches{off, untouched});
  CHECK(switches("SELECT 1") == NoticeSwitches{});
  CHECK(sql_of("SET pgveil.notices = off", *snapshot) == "SET \"pgveil.notices\" TO 'off'");
  CHECK(sql_of("SHOW pgveil.notices", *snapshot) == "SHOW \"pgveil.notices\"");
  for (const char* sql : {"SET pgveil.notices = maybe", "SET LOCAL pgveil.notices = off",
                          "SELECT set_config('pgveil.notices', 'off', true)", "SET pgveil.other = off"}) {
    CAPTURE(sql);
    CHECK_FALSE(std::holds_alternative<Rewritten>(rewrite(sql, {.role = "analyst"}, *snapshot)));
  }
}

namespace {

// With the catalog of comments, and people commented on.
std::shared_ptr<const Snapshot> snapshot_with_comments() {
  World world;
  Relation described = *world.catalog->find("pg_catalog", "pg_class");
  described.oid = 2609;
  described.name = "pg_description";
  described.primary_key = {};
  described.columns = {
      rewriter::test::column(1, "objoid", "oid"), rewriter::test::column(2, "classoid", "oid"),
      rewriter::test::column(3, "objsubid", "int4"), rewriter::test::column(4, "description")};
  world.catalog->relations.emplace(std::pair(described.schema, described.name), described);
  return world.snapshot();
}

}  // namespace

TEST_CASE("comments of masked tables and columns say what the mask does") {
  const auto snapshot = snapshot_with_comments();
  const std::string notes = own_relation_text(OwnRelation::comments, "analyst", *snapshot);
  CHECK(has(notes, "('100', 0, 'masked by policy people_k2: k = 2, built 2026-11-24 19:07 UTC')"));
  CHECK(has(notes, "('100', 3, 'masked by policy people_k2: shown in 36 % of rows')"));
  CHECK(has(notes, "('100', 6, 'masked by policy people_k2: never shown')"));
  CHECK_FALSE(has(notes, "('100', 5,"));
  CHECK_FALSE(has(notes, "staff"));
  for (const char* sql : {"SELECT description FROM pg_description d WHERE d.objoid = 100",
                          "SELECT col_description(100, 3)", "SELECT col_description('people'::regclass, $1)",
                          "SELECT pg_catalog.obj_description(c.oid, 'pg_class') FROM pg_class c",
                          "SELECT d.description FROM pg_class c LEFT JOIN pg_catalog.pg_description d ON "
                          "(c.oid = d.objoid AND d.objsubid = 0 and d.classoid = 'pg_class'::regclass)"}) {
    CAPTURE(sql);
    CHECK(has(sql_of(sql, *snapshot, "analyst"), "masked by policy people_k2: shown in 36 % of rows"));
    CHECK_FALSE(has(sql_of(sql, *snapshot, "dpo"), "masked by"));
    CHECK_FALSE(has(sql_of(sql, *snapshot, "bob"), "people_k2"));
  }
  for (const char* sql : {"SELECT obj_description(100, 'pg_type')", "SELECT obj_description(100)",
                          "SELECT shobj_description(100, 'pg_database')"}) {
    CAPTURE(sql);
    CHECK_FALSE(has(sql_of(sql, *snapshot, "analyst"), "masked by"));
  }
  CHECK_FALSE(std::holds_alternative<Rewritten>(
      rewrite("SELECT * FROM pgveil.comments", {.role = "analyst"}, *snapshot)));
}

TEST_CASE("catalogs say that a column is nullable where a mask of the role may hide it") {
  const auto snapshot = World().snapshot();
  const std::string list = own_relation_text(OwnRelation::nullable, "analyst", *snapshot);
  CHECK(has(list, "('100', 'public', 'people', '{1,2,3,4,6}')"));  // but not visits, which is insensitive
  CHECK_FALSE(has(own_relation_text(OwnRelation::nullable, "dpo", *snapshot), "'people'"));
  for (const std::string role : {"analyst", "dpo", "nobody"}) {
    CAPTURE(role);
    CHECK(own_relation_text(OwnRelation::nullable, role, *snapshot) ==
          expected_own_relation(OwnRelation::nullable, role, *snapshot));
  }
  const std::string masked = "THEN false ELSE c.attnotnull END AS attnotnull FROM (SELECT";
  for (const char* sql :
       {"SELECT attnotnull FROM pg_attribute", "SELECT a.* FROM pg_catalog.pg_attribute AS a",
        "SELECT x FROM pg_attribute a(r, n, i, x)", "TABLE pg_attribute"}) {
    CAPTURE(sql);
    CHECK(has(sql_of(sql, *snapshot, "analyst"), masked));
    CHECK(has(sql_of(sql, *snapshot, "analyst"), "'{1,2,3,4,6}'"));
    CHECK_FALSE(has(sql_of(sql, *snapshot, "dpo"), masked));
    CHECK_FALSE(has(sql_of(sql, *snapshot, "nobody"), masked));
  }
  CHECK(has(sql_of("SELECT is_nullable FROM information_schema.columns", *snapshot, "analyst"),
            "THEN 'YES' ELSE c.is_nullable END::pg_catalog.\"varchar\"(3) AS is_nullable"));
  CHECK_FALSE(std::holds_alternative<Rewritten>(
      rewrite("SELECT * FROM pgveil.nullable", {.role = "analyst"}, *snapshot)));
}

TEST_CASE("the row of the session that asks has the client's role") {
  const auto snapshot = World().snapshot();
  CHECK(has(sql_of("SELECT usename FROM pg_stat_activity", *snapshot, "analyst"),
            "'analyst'::pg_catalog.name AS usename"));
  CHECK(has(sql_of("SELECT usename FROM pg_stat_activity", *snapshot, "o'bob"),
            "'o''bob'::pg_catalog.name AS usename"));
}

}  // namespace pgveil::rewriter::told_test
