// Masks that look at the decisions which a generated column keeps: what is sent, that the check sees every
// way in which more could be shown, and that a column which is not the version's is never read.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "fixture.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/mask/stored_decision.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify_mask.hpp"

namespace pgveil::rewriter::stored_mask_test {

namespace {

using Select = PgQuery__SelectStmt;

constexpr std::size_t kCity = 2;  // of public.people
constexpr std::size_t kState = 3;
const std::string kExpression =
    "CASE WHEN state OPERATOR(pg_catalog.=) 'OH'::pg_catalog.text THEN CASE WHEN city OPERATOR(pg_catalog.=) "
    "'Hamlet'::pg_catalog.text THEN CASE WHEN occupation OPERATOR(pg_catalog.=) 'Farmer'::pg_catalog.text "
    "THEN 7 "
    "ELSE 6 END ELSE 4 END WHEN occupation OPERATOR(pg_catalog.=) 'Accountant'::pg_catalog.text THEN 1 ELSE "
    "0 END";
const std::string kDigest(64, 'd');

struct World {
  std::shared_ptr<Catalog> catalog = rewriter::test::demo_catalog();
  std::shared_ptr<policy::PolicySpec> spec =
      std::make_shared<policy::PolicySpec>(rewriter::test::worked_example_policy());
  Relation& people = catalog->relations.at({"public", "people"});
  std::shared_ptr<policy::PolicyVersion> version;
  StoredColumn column{7, stored_column_name(kExpression), kDigest, 4711};

  World() {
    spec->enforcement = policy::Enforcement::stored;
    version = std::make_shared<policy::PolicyVersion>(
        rewriter::test::version_of(*spec, rewriter::test::worked_example_counts(), people));
    version->stored = policy::StoredDecision{column.name, kDigest};
    people.stored = {column};
  }
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot(VersionGuard guard = VersionGuard::present,
                                                         MaskSource source = MaskSource::text) const {
    return make_snapshot({.catalog = catalog,
                          .policies = {{spec, version, {}}},
                          .open_tables = {"public.cities"},
                          .generation = 1,
                          .version_guard = guard,
                          .mask_source = source})
        .value();
  }
  [[nodiscard]] std::shared_ptr<CompiledMask> mask() const {
    return compile_stored_mask(*spec, *version, people, column).value();
  }
  [[nodiscard]] bool accepts(const CompiledMask& mask, const std::string& expression = kExpression) const {
    return verify_stored_mask(mask, *spec, *version, people, column, expression).has_value();
  }
  // Is a mask used whose compiler made this change? Its text is printed from the changed tree.
  [[nodiscard]] bool accepts_changed(const std::function<void(Select&, pg::Builder&)>& change) const {
    auto changed = mask();
    pg::Builder build(*changed->arena);
    change(*changed->select, build);
    changed->parts = print_mask(*changed->select, changed->left_out);
    changed->text = whole_text(changed->parts);
    return accepts(*changed);
  }
  // Is one used when the decision is this, under the name that it would have?
  [[nodiscard]] bool accepts_expression(const std::string& expression) const {
    World other;
    other.column.name = stored_column_name(expression);
    other.version->stored->column = other.column.name;
    return other.accepts(*other.mask(), expression);
  }
};

std::string sent(const std::string& sql, const std::string& role, const Snapshot& snapshot) {
  const auto verdict = rewrite(sql, {role}, snapshot);
  const auto* rewritten = std::get_if<Rewritten>(&verdict);
  return rewritten == nullptr ? "" : rewritten->statements.front().sql;
}

pg::Node*& value_at(Select& select, std::size_t position) {
  return select.target_list[position]->res_target->val;
}

PgQuery__CaseWhen& arm_at(Select& select, std::size_t position) {
  return *value_at(select, position)->case_expr->args[0]->case_when;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("the expression of the worked example names columns barely, and its name is its hash") {
  const World world;
  const auto expression = stored_expression(world.version->tree, world.people).value();
  CHECK(expression.text == kExpression);
  CHECK(expression.column == world.column.name);
  CHECK(expression.column.size() == kStoredPrefix.size() + 16);
  auto recounted = world.version->tree;
  for (auto& node : recounted.nodes) ++node.rows;
  CHECK(stored_expression(recounted, world.people).value().text == kExpression);
  auto closed = world.version->tree;
  closed.nodes[closed.nodes[1].no].falls_back = true;
  CHECK(stored_expression(closed, world.people).value().column != world.column.name);
}

TEST_CASE("a table with the version's column is read by its bits") {
  const World world;
  const auto snapshot = world.snapshot();
  const auto& table = snapshot->protected_tables().front();
  CHECK(table.state.not_stored_because.empty());
  const Mask& mask = *table.mask;
  CHECK_FALSE(mask.by_row);
  const std::string name = "\"" + world.column.name + "\"";
  INFO(mask.text);
  CHECK(
      mask.text ==
      "SELECT NULL::pg_catalog.int4 AS id, "
      "CASE WHEN (t." +
          name +
          " OPERATOR(pg_catalog.&) 1) OPERATOR(pg_catalog.=) 1 THEN t.occupation "
          "ELSE NULL::pg_catalog.text END AS occupation, "
          "CASE WHEN (t." +
          name +
          " OPERATOR(pg_catalog.&) 2) OPERATOR(pg_catalog.=) 2 THEN t.city "
          "ELSE NULL::pg_catalog.\"varchar\"(20) END AS city, "
          "CASE WHEN (t." +
          name +
          " OPERATOR(pg_catalog.&) 4) OPERATOR(pg_catalog.=) 4 THEN t.state "
          "ELSE NULL::pg_catalog.text COLLATE pg_catalog.\"C\" END AS state, "
          "t.visits AS visits, NULL::pg_catalog.text AS note FROM ONLY public.people AS t WHERE "
          "CASE WHEN pgveil.shape('100'::pg_catalog.oid, '" +
          std::to_string(world.people.relfilenode) +
          "'::pg_catalog.oid, "
          "'{\"public\",\"people\",\"occupation\",\"city\",\"state\",\"visits\",\"" +
          world.column.name +
          "\"}'::pg_catalog.text[], '{\"2\",\"3\",\"4\",\"5\",\"7\"}'::pg_catalog.int2[]) AND "
          "pgveil.has_type((NULL::public.people).occupation, '25'::pg_catalog.oid, '0'::pg_catalog.oid) AND "
          "pgveil.has_type((NULL::public.people).city, '25'::pg_catalog.oid, '0'::pg_catalog.oid) AND "
          "pgveil.has_type((NULL::public.people).state, '25'::pg_catalog.oid, '0'::pg_catalog.oid) AND "
          "pgveil.has_type((NULL::public.people).visits, '23'::pg_catalog.oid, '0'::pg_catalog.oid) AND "
          "(pg_catalog.row_security_active('100'::pg_catalog.oid) OPERATOR(pg_catalog.=) false) AND "
          "((pg_catalog.pg_identify_object_as_address(2604, '4711'::pg_catalog.oid, 0)).object_names "
          "OPERATOR(pg_catalog.=) '{\"public\",\"people\",\"" +
          world.column.name +
          "\"}'::pg_catalog.text[]) "
          "THEN true ELSE pg_catalog.concat('pgveil:shape')::pg_catalog.int4 IS NULL END AND "
          "CASE WHEN (SELECT c.number FROM pgveil.current_version AS c WHERE c.policy "
          "OPERATOR(pg_catalog.=) "
          "'people_k2'::pg_catalog.text) OPERATOR(pg_catalog.=) '7'::pg_catalog.int8 THEN true ELSE "
          "pgveil.guard('people_k2'::pg_catalog.text, '7'::pg_catalog.int8) END");
  for (const std::string sql : {"SELECT city FROM people", "TABLE people", "COPY people TO STDOUT",
                                "SELECT p FROM people p JOIN people q USING (state)",
                                "SELECT * FROM people TABLESAMPLE BERNOULLI (10)"}) {
    const auto text = sent(sql, "analyst", *snapshot);
    CHECK_MESSAGE(text.find("FROM ONLY public.people AS t") != std::string::npos, sql << text);
    CHECK_MESSAGE(text.find(kStandInSchema) == std::string::npos, text);
  }
}

TEST_CASE("a column that is not the version's is not read, and answers stay") {
  struct Case {
    std::string name;
    std::function<void(World&)> spoil;
    std::string because;
  };
  for (const auto& [name, spoil, because] :
       {Case{"not there", [](World& w) { w.people.stored.clear(); }, "is not there"},
        Case{"another name", [](World& w) { w.people.stored[0].name += "0"; }, "is not there"},
        Case{"another expression", [](World& w) { w.people.stored[0].digest[0] = 'e'; },
             "has another expression"},
        Case{"of another tree",
             [](World& w) { w.version->tree.nodes[w.version->tree.nodes[1].no].falls_back = true; },
             "was made without a column"},
        Case{"named by hand", [](World& w) { w.version->stored->column += "0"; },
             "was made without a column"},
        Case{"none in the version", [](World& w) { w.version->stored.reset(); },
             "was made without a column"}}) {
    CAPTURE(name);
    World world;
    spoil(world);
    const auto snapshot = world.snapshot();
    const auto& table = snapshot->protected_tables().front();
    CHECK_MESSAGE(table.state.not_stored_because.find(because) != std::string::npos,
                  table.state.not_stored_because);
    REQUIRE(table.mask != nullptr);
    CHECK(table.mask->text.find("pgveil shown") == std::string::npos);
    const auto text = sent("SELECT city FROM people", "analyst", *snapshot);
    CHECK(text.find("FROM public.people AS t") != std::string::npos);
  }
  const auto without = World().snapshot(VersionGuard::absent);
  CHECK(without->protected_tables().front().mask->text.find("pgveil shown") == std::string::npos);
  CHECK(without->protected_tables().front().state.not_stored_because.starts_with(
      "the database has no schema pgveil"));
}

TEST_CASE("policies that can't be stored are refused") {
  CHECK(World()
            .snapshot(VersionGuard::present, MaskSource::view)
            ->protected_tables()
            .front()
            .state.closed_because == "enforcement: stored does not go with mask_views");
  World world;
  world.people.kind = RelationKind::partitioned_table;
  const auto snapshot = world.snapshot();
  CHECK(snapshot->protected_tables().front().mask == nullptr);
  CHECK(snapshot->protected_tables().front().state.closed_because.find("does not support") !=
        std::string::npos);
}

TEST_CASE("nobody can name the column, exempt roles neither") {
  const World world;
  const auto snapshot = world.snapshot();
  const std::string name = "\"" + world.column.name + "\"";
  for (const std::string role : {"analyst", "dpo"}) {
    CAPTURE(role);
    const auto all = sent("SELECT * FROM people", role, *snapshot);
    CHECK_FALSE(all.empty());
    for (const std::string& sql :
         {"SELECT " + name + " FROM people", "SELECT p." + name + " FROM people p",
          "SELECT 1 FROM people p WHERE (p)." + name + " = 7",
          "SELECT 1 FROM people p JOIN people q USING (" + name + ")",
          "SELECT 1 FROM people ORDER BY " + name, "COPY people (" + name + ") TO STDOUT"}) {
      const auto text = sent(sql, role, *snapshot);
      // What PostgreSQL gets names it outside the mask at most, where it is no column.
      if (!text.empty()) CHECK_MESSAGE(text.find("(SELECT ") != std::string::npos, text);
    }
  }
  CHECK(sent("SELECT * FROM people p", "dpo", *snapshot) ==
        "SELECT * FROM (SELECT t.id AS id, t.occupation AS occupation, t.city AS city, t.state AS state, "
        "t.visits AS "
        "visits, t.note AS note FROM ONLY public.people AS t WHERE CASE WHEN "
        "pgveil.is_open('100'::pg_catalog.oid, "
        "'{\"public\",\"people\"}'::pg_catalog.text[], '0'::pg_catalog.int8) THEN true ELSE "
        "pg_catalog.concat('pgveil:open')::pg_catalog.int4 IS NULL END) AS p");
  CHECK(sent(snapshot->protected_tables().front().mask->text, "analyst", *snapshot).empty());
}

TEST_CASE("a table that kept decisions is not opened") {
  World world;
  const auto opened = make_snapshot(
      {.catalog = world.catalog, .policies = {}, .open_tables = {"public.people"}, .generation = 1});
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().public_message.find("kept the decisions of a policy") != std::string::npos);
}

TEST_CASE("a stored mask that shows more, or that can't be read, is not used") {
  const World world;
  CHECK(world.accepts(*world.mask()));
  CHECK(world.accepts_changed([](Select&, pg::Builder&) {}));
  const auto is_refused = [&](const std::function<void(Select&, pg::Builder&)>& change) {
    CHECK_FALSE(world.accepts_changed(change));
  };
  SUBCASE("cells") {
    is_refused([](Select& s, pg::Builder& b) { value_at(s, kState) = b.column({"t", "state"}); });
    is_refused([](Select& s, pg::Builder&) { value_at(s, kCity) = value_at(s, kState); });
    is_refused([](Select& s, pg::Builder& b) { arm_at(s, kCity).expr = b.true_constant(); });
    is_refused([](Select& s, pg::Builder& b) {
      value_at(s, kCity)->case_expr->defresult = b.column({"t", "city"});
    });
    is_refused([](Select& s, pg::Builder& b) { value_at(s, 0) = b.column({"t", "id"}); });
  }
  SUBCASE("bits") {
    for (const int bits : {0, 1, 4, 8, 3}) {
      is_refused([&](Select& s, pg::Builder& b) {
        PgQuery__AExpr& test = *arm_at(s, kCity).expr->a_expr;
        test.rexpr = test.lexpr->a_expr->rexpr = b.integer_constant(bits);
      });
      is_refused([&](Select& s, pg::Builder& b) {
        arm_at(s, kCity).expr->a_expr->rexpr = b.integer_constant(bits);
      });
    }
    is_refused([](Select& s, pg::Builder& b) {
      arm_at(s, kCity).expr->a_expr->lexpr->a_expr->lexpr = b.column({"t", "visits"});
    });
    is_refused([](Select& s, pg::Builder& b) {
      arm_at(s, kCity).expr->a_expr->lexpr->a_expr->name[1] = b.string("|");
    });
  }
  SUBCASE("the table and the guards") {
    is_refused([](Select& s, pg::Builder&) { s.from_clause[0]->range_var->inh = 1; });
    is_refused([](Select& s, pg::Builder& b) { s.from_clause[0] = b.relation("hr", "people", "t"); });
    is_refused([](Select& s, pg::Builder&) { s.where_clause = nullptr; });
    is_refused([](Select& s, pg::Builder&) { s.where_clause = s.where_clause->bool_expr->args[1]; });
    is_refused([](Select& s, pg::Builder&) {
      PgQuery__CaseWhen& when = *s.where_clause->bool_expr->args[0]->case_expr->args[0]->case_when;
      when.expr = when.expr->bool_expr->args[0];  // without: it is generated as it was
    });
    is_refused([](Select& s, pg::Builder& b) { s.limit_count = b.integer_constant(1); });
  }
  SUBCASE("another column, or no longer the version's") {
    World elsewhere;
    elsewhere.column.number = 8;
    CHECK_FALSE(world.accepts(*elsewhere.mask()));
    World renewed;
    renewed.column.default_oid = 4712;
    CHECK_FALSE(world.accepts(*renewed.mask()));
    World changed;
    changed.version->stored->digest[0] = 'e';
    CHECK_FALSE(changed.accepts(*changed.mask()));
    CHECK_FALSE(world.accepts(
        *compile_mask(*world.spec, *world.version, world.people, VersionGuard::present).value()));
  }
}

TEST_CASE("an expression that keeps more than the tree releases is not used") {
  const World world;
  CHECK(world.accepts_expression(kExpression));
  CHECK_FALSE(world.accepts(*world.mask(),
                            replaced(kExpression, "THEN 1 ELSE 0", "THEN 1 ELSE  0")));  // another name
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"ELSE 0 END", "ELSE 1 END"},
                                 {"ELSE 4 END", "ELSE 6 END"},
                                 {"THEN 1 ", "THEN 3 "},
                                 {"THEN 7", "THEN 3"},
                                 {"THEN 7", "THEN 15 - 8"},
                                 {"ELSE 0 END", "END"},
                                 {"'OH'", "'DC'"},
                                 {"state OPERATOR(pg_catalog.=)", "state OPERATOR(pg_catalog.<>)"},
                                 {"state OPERATOR(pg_catalog.=)", "state ="},
                                 {"WHEN occupation", "WHEN city"},
                                 {"WHEN state", "WHEN people.state"},
                                 {"WHEN state", "WHEN t.state"},
                                 {"ELSE 0 END",
                                  "ELSE CASE WHEN occupation OPERATOR(pg_catalog.=) 'Spy'::pg_catalog.text "
                                  "THEN 1 ELSE 0 END END"},
                                 {"ELSE 0 END", "ELSE 0 END, 7"},
                                 {"ELSE 0 END", "ELSE 0 END FROM public.cities"},
                                 {"ELSE 0 END", "ELSE 0 END; SELECT 1"},
                                 {"ELSE 0 END", "ELSE 0 END AS x"}}) {
    CAPTURE(to);
    CHECK_FALSE(world.accepts_expression(replaced(kExpression, from, to)));
  }
  CHECK_FALSE(world.accepts_expression("7"));
  CHECK_FALSE(world.accepts_expression("NULL"));
}

TEST_CASE("a tree that shows nothing keeps the number 0") {
  World world;
  world.version->tree.nodes = {{std::nullopt, 0, 0, 9, 9}};
  const auto expression = stored_expression(world.version->tree, world.people).value();
  CHECK(expression.text == "0");
  world.column.name = expression.column;
  world.version->stored->column = expression.column;
  CHECK(world.accepts(*world.mask(), "0"));
  CHECK_FALSE(world.accepts(*world.mask(), "1"));
}

TEST_CASE("the SQL for the owner adds the version's column and drops the others") {
  World world;
  const std::string add = "ALTER TABLE public.people\n  ADD COLUMN \"" + world.column.name +
                          "\" integer GENERATED ALWAYS AS (\n    " + kExpression + "\n  ) STORED;\n";
  const auto sql = [&] { return stored_column_sql(*world.version, world.people).value(); };
  CHECK(sql() == "-- policy people_k2, version 7: the table has its column, and no outdated one.\n");
  world.people.stored.clear();
  CHECK(sql().find(add) != std::string::npos);
  CHECK(sql().find("ACCESS EXCLUSIVE") != std::string::npos);
  const std::string statistics =
      "CREATE STATISTICS public.\"" + world.column.name + "." + std::to_string(world.people.oid) + ".";
  CHECK(sql().find(statistics) != std::string::npos);
  CHECK(sql().find("ON (CASE WHEN (\"" + world.column.name + "\" OPERATOR(pg_catalog.&) ") !=
        std::string::npos);
  CHECK(sql().find("ANALYZE public.people;\n-- The table is closed") != std::string::npos);
  CHECK(sql().ends_with("-- The table is closed then until\n--   pgveil policy build people_k2\n"));
  world.people.stored = {{6, "pgveil shown 0", kDigest, 1}, world.column};
  CHECK(sql() ==
        "-- policy people_k2, version 7: what each row of public.people shows, kept in the row. Run it as "
        "the table's "
        "owner.\nALTER TABLE public.people\n  DROP COLUMN \"pgveil shown 0\";\n");
  world.people.stored = {{6, "pgveil shown 0", kDigest, 1}, world.column};
  world.people.stored[1].digest[0] = 'e';
  CHECK(sql().find("DROP COLUMN \"" + world.column.name + "\",\n  ADD COLUMN \"" + world.column.name +
                   "\"") != std::string::npos);
  world.people.stored = {{6, "pgveil shown 0", kDigest, 1}, {8, "pgveil shown 1", kDigest, 2}};
  const auto beside =
      stored_column_sql(*world.version, world.people, {.policies = {"other"}, .columns = {"pgveil shown 1"}})
          .value();
  CHECK(beside.find("DROP COLUMN \"pgveil shown 0\",\n  ADD COLUMN") != std::string::npos);
  CHECK(beside.find("pgveil shown 1") == std::string::npos);
  CHECK(beside.ends_with("build people_k2\n--   pgveil policy build other\n"));
  world.version->stored->column = "pgveil shown of another release";
  CHECK_FALSE(stored_column_sql(*world.version, world.people).has_value());
}

}  // namespace pgveil::rewriter::stored_mask_test
