// Sources of policies: what BUILD evaluates, what it must not, and under which names readers find the rows.
#include "rewriter/compile/source_query.hpp"

#include <doctest/doctest.h>

#include <string>

#include "fixture.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/compile/policy_check.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::rewriter::source_query_test {

namespace {

using policy::ColumnClass;
using Names = std::vector<std::pair<std::string, std::string>>;

policy::PolicySpec source_policy(std::string select) {
  auto spec = rewriter::test::worked_example_policy();
  spec.name = "visit_facts";
  spec.schema = "pgveil";
  spec.table = "visit_facts";
  spec.enforcement = policy::Enforcement::copy;
  spec.exempt_roles = {};
  spec.columns = {};
  spec.source = policy::Source{std::move(select)};
  return spec;
}

policy::PolicySpec view_policy(std::string name, std::string column) {
  auto spec = source_policy("");
  spec.schema = "public";
  spec.table = std::move(name);
  spec.columns = {{std::move(column), ColumnClass::quasi_identifier, {}, {}}};
  return spec;
}

std::string objection_to(const std::string& select) {
  const auto query = source_query(source_policy(select), *rewriter::test::demo_catalog());
  if (query) return "no objection: " + query->sql;
  CHECK(query.error().kind == ErrorKind::policy);
  return query.error().public_message + "; " + query.error().hint;
}

Relation copy_of_table(const Relation& table) {
  Relation copy = table;
  copy.oid = 7'000;
  copy.relfilenode = 7'001;
  copy.schema = "pgveil";
  copy.name = "visit_facts.copy.12";
  copy.kind = RelationKind::table;
  copy.view.reset();
  return copy;
}

// The policy is built: its copy is in the catalog.
std::shared_ptr<const Snapshot> built(const policy::PolicySpec& spec, const std::shared_ptr<Catalog>& catalog,
                                      const policy::TableShape* shape = nullptr) {
  const Relation& published = *catalog->find(spec.schema, spec.table);
  const Relation copy = copy_of_table(published);
  catalog->relations.insert_or_assign({copy.schema, copy.name}, copy);
  policy::Counts counts;
  counts.attributes = {{published.columns[0].name, published.columns[0].number, {"a"}}};
  counts.codes = {{1, 1, 1}};
  counts.rows = {1, 1, 1};
  auto version = rewriter::test::version_of(spec, counts, published);
  if (shape != nullptr) version.shape = *shape;
  version.copy = shape_of(copy);
  return make_snapshot({.catalog = catalog,
                        .policies = {{std::make_shared<policy::PolicySpec>(spec),
                                      std::make_shared<policy::PolicyVersion>(version),
                                      {}}},
                        .open_tables = {},
                        .generation = 3,
                        .version_guard = VersionGuard::present})
      .value();
}

std::shared_ptr<Catalog> catalog_with_published() {
  auto catalog = rewriter::test::demo_catalog();
  Relation published;
  published.oid = 6'000;
  published.relfilenode = 6'001;
  published.schema = "pgveil";
  published.name = "visit_facts";
  published.columns = {rewriter::test::column(1, "city")};
  catalog->relations.insert_or_assign({"pgveil", "visit_facts"}, published);
  published.oid = 6'010;
  published.name = "version";
  catalog->relations.insert_or_assign({"pgveil", "version"}, published);
  return catalog;
}

std::string answer(const std::string& sql, const Snapshot& snapshot) {
  const auto verdict = rewrite(sql, {"analyst"}, snapshot);
  if (const auto* refusal = std::get_if<Refusal>(&verdict)) return "refused: " + refusal->message;
  if (const auto* error = std::get_if<Error>(&verdict)) return "error: " + error->public_message;
  return std::get<Rewritten>(verdict).statements[0].sql;
}

}  // namespace

TEST_CASE("a source becomes one SELECT of qualified names, and says which tables it reads") {
  const auto catalog = rewriter::test::demo_catalog();
  const auto query = source_query(
      source_policy("WITH c AS (SELECT city FROM lab.cities) "
                    "SELECT upper(p.occupation) AS job, c.city FROM people p JOIN c ON c.city = p.city"),
      *catalog);
  REQUIRE(query.has_value());
  CHECK(query->tables == Names{{"lab", "cities"}, {"public", "people"}});
  CHECK(query->columns == std::vector<std::string>{"job", "city"});
  CHECK(query->sql.find("ONLY public.people") != std::string::npos);
  CHECK(query->sql.find("pg_catalog.upper(") != std::string::npos);
  CHECK(query->sql.find("guard") == std::string::npos);
}

TEST_CASE("views in a source are expanded") {
  const auto query = source_query(view_policy("sizes", "city"), *rewriter::test::demo_catalog());
  REQUIRE(query.has_value());
  CHECK(query->tables == Names{{"public", "cities"}, {"public", "people"}});
  CHECK(query->sql.find("sizes") != std::string::npos);  // only as an alias
  CHECK(query->sql.find("public.sizes") == std::string::npos);
  CHECK(query->columns == std::vector<std::string>{"city", "persons"});
}

TEST_CASE("a source reads materialized views, foreign tables and partitioned tables") {
  for (const auto kind : {RelationKind::materialized_view, RelationKind::foreign_table,
                          RelationKind::partitioned_table, RelationKind::table}) {
    auto catalog = rewriter::test::demo_catalog();
    catalog->relations.at({"public", "cities"}).kind = kind;
    catalog->relations.at({"public", "cities"}).has_children = kind == RelationKind::partitioned_table;
    const auto query = source_query(view_policy("cities", "city"), *catalog);
    REQUIRE(query.has_value());
    CHECK(query->tables == Names{{"public", "cities"}});
    CHECK((query->sql.find("ONLY") != std::string::npos) == (kind == RelationKind::table));
  }
}

TEST_CASE("what a source must not do is named") {
  struct Row {
    std::string select;
    std::string words;
  };
  for (const auto& [select, words] : {
           Row{"SELECT city, now() AS t FROM people", "function \"now\" can't be in a source"},
           Row{"SELECT city, random() AS t FROM people", "function \"random\""},
           Row{"SELECT city, current_setting('server_version') AS t FROM people", "\"current_setting\""},
           Row{"SELECT city, format_type(1, 2) AS t FROM people", "function \"format_type\""},
           Row{"SELECT city, CURRENT_DATE AS t FROM people", "can't be in a source"},
           Row{"SELECT city, current_user AS t FROM people", "can't be in a source"},
           Row{"SELECT city, date ' Today' AS t FROM people", "'today' as a date"},
           Row{"SELECT * FROM who", "view \"who\""},
           Row{"SELECT city, leaky(city) AS t FROM people", "leaky"},
           Row{"SELECT city, similarity(city, 'x') AS t FROM people", "similarity"},
           Row{"SELECT city FROM people WHERE id = $1", "a parameter"},
           Row{"SELECT city FROM people TABLESAMPLE bernoulli (10)", "TABLESAMPLE"},
           Row{"SELECT relname FROM pg_class", "\"pg_class\" is a system catalog"},
           Row{"SELECT * FROM pgveil.columns", "\"columns\" to read"},
           Row{"SELECT city FROM people FOR UPDATE", "FOR UPDATE"},
           Row{"SELECT city INTO t FROM people", "INTO"},
           Row{"WITH d AS (DELETE FROM people RETURNING city) SELECT * FROM d", ""},
           Row{"DELETE FROM people", ""},
           Row{"SELECT city FROM people; SELECT 1", "not a single SELECT"},
           Row{"SELECT set_config('application_name', 'x', false)", "not a single SELECT"},
           Row{"SELECT set_config('application_name', 'x', false) AS x FROM people", "set_config"},
           Row{"SHOW ALL", ""},
           Row{"", "there is no relation"},
           Row{"SELECT city FROM nowhere", "there is no relation \"nowhere\""},
           Row{"SELECT nothing FROM people", "\"nothing\""},
           Row{"SELECT p.city, c.city FROM people p, cities c", "two of its columns have the name \"city\""},
           Row{"SELECT FROM people", "it has no columns"},
           Row{"SELECT city, ctid FROM people", "\"ctid\""},
           Row{"SELECT * FROM garbage", "its definition can't be read"},
           Row{"SELECT * FROM loop_a", "reads itself"},
       }) {
    CAPTURE(select);
    const std::string objection = objection_to(select);
    CAPTURE(objection);
    CHECK(objection.find("no objection") == std::string::npos);
    CHECK(objection.find(words) != std::string::npos);
  }
}

TEST_CASE("a source reads no relation that shows query_role fewer rows, or rows of another table") {
  const auto objection_with = [](auto change) {
    auto catalog = rewriter::test::demo_catalog();
    change(catalog->relations.at({"public", "people"}));
    const auto query = source_query(source_policy("SELECT city FROM people"), *catalog);
    return query ? std::string() : query.error().public_message;
  };
  CHECK(objection_with([](Relation&) {}).empty());
  CHECK(objection_with([](Relation& it) { it.has_row_security = true; }).find("row-level security") !=
        std::string::npos);
  CHECK(objection_with([](Relation& it) { it.is_distributed = true; }).find("no common snapshot") !=
        std::string::npos);
  CHECK(objection_with([](Relation& it) { it.has_parent = true; }).find("a partition") != std::string::npos);
  CHECK(objection_with([](Relation& it) { it.has_children = true; }).find("inheritance") !=
        std::string::npos);
  CHECK(objection_with([](Relation& it) {
          it.stored = {{9, "pgveil shown x", "d", 1}};
        }).find("decisions") != std::string::npos);
  CHECK(objection_with([](Relation& it) { it.kind = RelationKind::sequence; }).find("a sequence") !=
        std::string::npos);
}

TEST_CASE("a column of the policy that the source lacks is named") {
  auto spec = source_policy("SELECT city FROM people");
  spec.columns = {{"town", ColumnClass::quasi_identifier, {}, {}}};
  const auto query = source_query(spec, *rewriter::test::demo_catalog());
  REQUIRE_FALSE(query.has_value());
  CHECK(query.error().public_message.find("has no column \"town\"") != std::string::npos);
}

TEST_CASE("a policy with a source may be of a view, and one without is told of sources") {
  auto catalog = rewriter::test::demo_catalog();
  auto spec = view_policy("ohio", "city");
  CHECK(check_policy(spec, *catalog).errors.empty());
  for (const auto kind : {RelationKind::materialized_view, RelationKind::foreign_table}) {
    catalog->relations.at({"public", "ohio"}).kind = kind;
    CHECK(check_policy(spec, *catalog).errors.empty());
  }
  catalog->relations.at({"public", "ohio"}).kind = RelationKind::sequence;
  CHECK(check_policy(spec, *catalog).errors.size() == 1);
  catalog->relations.at({"public", "ohio"}).kind = RelationKind::view;
  spec.exempt_roles = {"dpo"};
  CHECK(check_policy(spec, *catalog).errors.size() == 1);
  spec.exempt_roles = {};
  spec.enforcement = policy::Enforcement::query;
  CHECK(check_policy(spec, *catalog).errors.size() == 1);
  spec.source.reset();
  const auto findings = check_policy(spec, *catalog);
  REQUIRE(findings.errors.size() == 1);
  CHECK(findings.errors[0].public_message.find("write source: schema.name") != std::string::npos);
}

TEST_CASE("what a SELECT publishes need not exist yet, and never takes the name of pgveil's own") {
  const auto catalog = rewriter::test::demo_catalog();
  auto spec = source_policy("SELECT city FROM people");
  spec.columns = {{"city", ColumnClass::quasi_identifier, {}, {}}};
  CHECK(check_policy(spec, *catalog).errors.empty());
  const auto snapshot =
      make_snapshot({.catalog = catalog,
                     .policies = {{std::make_shared<policy::PolicySpec>(spec), nullptr, {}}},
                     .open_tables = {}})
          .value();
  CHECK(snapshot->protected_tables()[0].state.closed_because == "build needed");
  for (const char* sql : {"SELECT * FROM visit_facts", "SELECT * FROM pgveil.visit_facts"})
    CHECK(answer(sql, *snapshot) == "refused: the policy of relation \"visit_facts\" is closed");
  spec.name = spec.table = "version";
  CHECK(check_policy(spec, *catalog).errors.size() == 1);
}

TEST_CASE("keys are of types that pseudonyms have") {
  auto catalog = rewriter::test::demo_catalog();
  auto spec = rewriter::test::worked_example_policy();
  spec.enforcement = policy::Enforcement::copy;
  spec.columns = {{"id", ColumnClass::key, {}, {}}};
  spec.columns[0].domain = "person";
  CHECK(check_policy(spec, *catalog).errors.empty());
  CHECK(check_policy(spec, *catalog).warnings.empty());  // the key tells persons apart
  auto& id = catalog->relations.at({"public", "people"}).columns[0];
  id.type_name = "varchar";
  id.typmod = 20 + 4;
  CHECK(check_policy(spec, *catalog).errors.size() == 1);
  id.typmod = 32 + 4;
  CHECK(check_policy(spec, *catalog).errors.empty());
  id.typmod = -1;
  for (const char* type : {"numeric", "date", "bpchar"}) {
    id.type_name = type;
    const auto findings = check_policy(spec, *catalog);
    REQUIRE(findings.errors.size() == 1);
    CHECK(findings.errors[0].public_message.find("can't have class key") != std::string::npos);
  }
}

TEST_CASE("readers of a SELECT find its copy under the policy's name, and nothing else of schema pgveil") {
  const auto catalog = catalog_with_published();
  auto spec = source_policy("SELECT city FROM people");
  spec.columns = {{"city", ColumnClass::quasi_identifier, {}, {}}};
  const auto snapshot = built(spec, catalog);
  CHECK(snapshot->protected_tables()[0].state.closed_because.empty());
  for (const char* sql : {"SELECT city FROM visit_facts", "SELECT city FROM pgveil.visit_facts",
                          "SELECT visit_facts.city FROM visit_facts"}) {
    CAPTURE(sql);
    CHECK(answer(sql, *snapshot).find("pgveil.\"visit_facts.copy.12\"") != std::string::npos);
  }
  for (const char* sql : {"SELECT * FROM pgveil.version", "SELECT * FROM version",
                          "SELECT * FROM pgveil.\"visit_facts.copy.12\""}) {
    CAPTURE(sql);
    CHECK(answer(sql, *snapshot).find("is not listed for this role") != std::string::npos);
  }
}

TEST_CASE("a view with a policy is read from the copy, and closed when its columns change") {
  const auto catalog = rewriter::test::demo_catalog();
  const auto spec = view_policy("open_view", "city");
  const auto snapshot = built(spec, catalog);
  const std::string sent = answer("SELECT * FROM open_view", *snapshot);
  CHECK(sent.find("pgveil.\"visit_facts.copy.12\"") != std::string::npos);
  CHECK(sent.find("cities") == std::string::npos);
  auto shape = shape_of(*catalog->find("public", "open_view"));
  shape.columns[0].type_oid = 1;
  const auto closed = built(spec, catalog, &shape);
  CHECK(closed->protected_tables()[0].state.closed_because ==
        "the columns of view \"public.open_view\" changed since version 7 was built: build needed");
}

TEST_CASE("a version of a materialized view outlives a REFRESH") {
  const auto catalog = rewriter::test::demo_catalog();
  auto& relation = catalog->relations.at({"public", "open_view"});
  relation.kind = RelationKind::materialized_view;
  relation.relfilenode = 10;
  const auto before = shape_of(relation);
  relation.relfilenode = 11;
  const auto snapshot = built(view_policy("open_view", "city"), catalog, &before);
  CHECK(snapshot->protected_tables()[0].state.closed_because.empty());
}

TEST_CASE("no role reads a view as it is, even if a policy exempts it") {
  const auto catalog = rewriter::test::demo_catalog();
  auto spec = view_policy("open_view", "city");
  spec.exempt_roles = {"analyst"};
  spec.readers = {};
  const auto snapshot = built(spec, catalog);
  CHECK(answer("SELECT * FROM open_view", *snapshot) ==
        "refused: relation \"open_view\" can't be read by exempt roles: it is no table");
}

TEST_CASE("the names in a source are known without a database") {
  CHECK(relations_named(source_policy("WITH c AS (SELECT * FROM lab.cities) SELECT * FROM people, c, lab.c "
                                      "WHERE id IN (SELECT id FROM secrets)")) ==
        Names{{"", "people"}, {"", "secrets"}, {"lab", "c"}, {"lab", "cities"}});
  CHECK(relations_named(view_policy("ohio", "job")) == Names{{"public", "ohio"}});
  CHECK(relations_named(source_policy("no SQL")).empty());
}

}  // namespace pgveil::rewriter::source_query_test
