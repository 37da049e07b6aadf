// The mask that decides by bitmaps: its form, that the check sees every way in which it could show more, and
// which statements get it.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify_mask.hpp"

namespace pgveil::rewriter::bitmap_mask_test {

namespace {

struct BitmapWorld {
  std::shared_ptr<Catalog> catalog = rewriter::test::demo_catalog();
  policy::PolicySpec spec = rewriter::test::worked_example_policy();
  Relation& people = catalog->relations.at({"public", "people"});
  policy::PolicyVersion version =
      rewriter::test::version_of(spec, rewriter::test::worked_example_counts(), people);

  [[nodiscard]] std::shared_ptr<CompiledMask> mask() const {
    return compile_mask(spec, version, people, VersionGuard::absent).value();
  }
  [[nodiscard]] bool accepts(const CompiledMask& mask) const {
    return verify_mask(mask, spec, version, people, VersionGuard::absent).has_value();
  }

  // Is a mask used whose compiler made this change to the decision? Its text is printed from the changed
  // tree.
  using Change = std::function<void(PgQuery__SelectStmt& outer, pg::Node*& decision, pg::Builder&)>;
  [[nodiscard]] bool accepts_changed(const Change& change) const {
    const auto made = mask();
    pg::Builder build(*made->arena);
    PgQuery__SelectStmt& outer = *made->by_bitmap_select;
    PgQuery__SelectStmt& inner = *outer.from_clause[0]->range_subselect->subquery->select_stmt;
    change(outer, inner.target_list[inner.n_target_list - 1]->res_target->val->case_expr->defresult, build);
    made->by_bitmap = print_mask(outer, made->left_out);
    return accepts(*made);
  }

  // The mask's text with one part replaced in both the text and the tree.
  [[nodiscard]] bool accepts_text(const std::string& from, const std::string& to) const {
    const auto made = mask();
    std::string text = whole_text(*made->by_bitmap);
    const auto at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, from);
    text.replace(at, from.size(), to);
    const auto read = pg::parse_own(text, 1 << 20);
    REQUIRE_MESSAGE(read.has_value(), text);
    made->by_bitmap_select = read->result->stmts[0]->stmt->select_stmt;
    made->by_bitmap = print_mask(*made->by_bitmap_select, made->left_out);
    return accepts(*made);
  }
};

constexpr const char* kDecision =
    "('{\"7\",\"6\",\"4\",\"1\"}'::pg_catalog.int4[])[pg_catalog.\"position\"("
    "(COALESCE(('{\"xA\",\"x7\"}'::pg_catalog.varbit[])[pg_catalog.array_position("
    "'{\"Farmer\",\"Accountant\"}'::pg_catalog.text[], t.occupation)], 'x6'::pg_catalog.varbit)"
    " OPERATOR(pg_catalog.&) COALESCE(('{\"xD\"}'::pg_catalog.varbit[])[pg_catalog.array_position("
    "'{\"Hamlet\"}'::pg_catalog.text[], t.city)], 'x3'::pg_catalog.varbit))"
    " OPERATOR(pg_catalog.&) COALESCE(('{\"xE\"}'::pg_catalog.varbit[])[pg_catalog.array_position("
    "'{\"OH\"}'::pg_catalog.text[], t.state)], 'x1'::pg_catalog.varbit), '1'::pg_catalog.varbit)]";

}  // namespace

TEST_CASE("the worked example's bitmaps have one bit for each path that releases something") {
  const BitmapWorld world;
  const auto mask = world.mask();
  REQUIRE(mask->by_bitmap);
  const std::string text = whole_text(*mask->by_bitmap), by_row = whole_text(*mask->by_row);
  const std::string fence = "CASE WHEN false AND (pg_catalog.clock_timestamp() IS NULL) THEN 0 ";
  const auto decision = by_row.find(fence) + fence.size();
  const auto end = by_row.find(" END AS \"pgveil shown\"");
  CHECK(text == by_row.substr(0, decision) + "ELSE " + kDecision + by_row.substr(end));
  CHECK(world.accepts(*mask));
  CHECK(world.accepts_changed([](auto&, auto&, auto&) {}));
  CHECK(world.accepts_text("AS \"pgveil shown\"", "AS \"pgveil shown\""));
}

TEST_CASE("bitmaps are held against the tree, whose rows may fall back") {
  const BitmapWorld plain;
  BitmapWorld closed;  // who is in OH but not in Hamlet falls back, and no longer shows the state
  closed.version.tree.nodes[closed.version.tree.nodes[1].no].falls_back = true;
  CHECK(closed.accepts(*closed.mask()));
  const auto with_bitmaps_of = [](const BitmapWorld& one, const BitmapWorld& other) {
    const auto mask = one.mask();
    const auto foreign = other.mask();
    mask->by_bitmap = foreign->by_bitmap;
    mask->by_bitmap_select = foreign->by_bitmap_select;
    return one.accepts(*mask);
  };
  CHECK(with_bitmaps_of(plain, plain));
  CHECK_FALSE(with_bitmaps_of(plain, closed));
  CHECK_FALSE(with_bitmaps_of(closed, plain));
}

TEST_CASE("bitmaps that show more, or that can't be read, are not used") {
  const BitmapWorld world;
  const auto is_refused = [&](const std::string& from, const std::string& to) {
    CAPTURE(from);
    CAPTURE(to);
    CHECK_FALSE(world.accepts_text(from, to));
  };
  SUBCASE("other bits") {
    for (const char* to : {"xB", "x8", "x0", "xF", "x", "xA0", "xa", "A", "1010", "xG", "bA"})
      is_refused("xA\"", std::string(to) + "\"");
    is_refused("x6", "x7");
    is_refused("x6", "x60");
    is_refused("x3", "xB");
    is_refused("x1'", "x3'");
    is_refused("xD", "xF");  // a second bit behind the first one
    is_refused("xE", "xF");
    is_refused("xD", "x5");
    is_refused("xE", "x6");
    is_refused("xE", "x1");
    is_refused("{\"xA\",\"x7\"}", "{\"x7\",\"xA\"}");
    is_refused("{\"xA\",\"x7\"}", "{\"xA\"}");
    is_refused("{\"xE\"}", "{\"xE\",\"xE\"}");
  }
  SUBCASE("other numbers") {
    for (const char* to : {"6", "0", "3", "15", "-1", "x", "99999999999"})
      is_refused("{\"7\"", "{\"" + std::string(to) + "\"");
    is_refused("{\"7\",\"6\"", "{\"6\",\"7\"");
    is_refused("\"4\",\"1\"}", "\"4\"}");
  }
  SUBCASE("other values and columns") {
    is_refused("{\"OH\"}", "{\"DC\"}");
    is_refused("{\"OH\"}", "{\"OH\",\"DC\"}");
    is_refused("{\"Farmer\",\"Accountant\"}", "{\"Accountant\",\"Farmer\"}");
    is_refused("{\"Farmer\",\"Accountant\"}", "{\"Farmer\",\"Farmer\"}");
    is_refused("{\"Hamlet\"}", "{Hamlet}");
    for (const char* type :
         {"pg_catalog.\"varchar\"(3)[]", "pg_catalog.\"varchar\"[]", "pg_catalog.name[]", "public.text[]",
          "pg_catalog.text", "pg_catalog.text[][]", "pg_catalog.bpchar[]"})
      is_refused("'{\"Hamlet\"}'::pg_catalog.text[]", "'{\"Hamlet\"}'::" + std::string(type));
    is_refused("[], t.state)", "[], t.city)");
    is_refused("[], t.state)", "[], u.state)");
    is_refused("[], t.state)", "[], t.visits)");
    is_refused("[], t.state)", "[], pg_catalog.upper(t.state))");
  }
  SUBCASE("other functions, operators and types") {
    is_refused("pg_catalog.array_position", "public.array_position");
    is_refused("pg_catalog.array_position", "pg_catalog.array_positions");
    is_refused("pg_catalog.\"position\"", "pg_catalog.bit_position");
    is_refused("pg_catalog.\"position\"", "public.\"position\"");
    is_refused("t.state)]", "t.state, 2)]");
    is_refused("'1'::pg_catalog.varbit)]", "'0'::pg_catalog.varbit)]");
    is_refused("'1'::pg_catalog.varbit)]", "'x1'::pg_catalog.varbit)]");
    is_refused("'1'::pg_catalog.varbit)]", "'1'::pg_catalog.text)]");
    is_refused("OPERATOR(pg_catalog.&)", "OPERATOR(pg_catalog.|)");
    is_refused("OPERATOR(pg_catalog.&) COALESCE", "OPERATOR(public.&) COALESCE");
    is_refused("pg_catalog.int4[]", "pg_catalog.int8[]");
    is_refused("pg_catalog.int4[]", "public.int4[]");
    is_refused("pg_catalog.varbit[]", "pg_catalog.varbit[][]");
    is_refused("pg_catalog.varbit[]", "pg_catalog.text[]");
    is_refused("'x6'::pg_catalog.varbit", "'x6'::pg_catalog.varbit(3)");
  }
  SUBCASE("slices, other subscripts, and no COALESCE") {
    is_refused("t.state)]", "t.state):1]");
    is_refused("t.state)], 'x1'::pg_catalog.varbit)", "t.state)], 'x1'::pg_catalog.varbit, NULL)");
    is_refused(
        "COALESCE(('{\"xE\"}'::pg_catalog.varbit[])[pg_catalog.array_position('{\"OH\"}'::pg_catalog."
        "text[], t.state)], 'x1'::pg_catalog.varbit)",
        "('{\"xE\"}'::pg_catalog.varbit[])[pg_catalog.array_position('{\"OH\"}'::pg_catalog.text[], "
        "t.state)]");
  }
  SUBCASE("another arm, or no fence") {
    is_refused("THEN 0 ELSE (", "THEN 7 ELSE (");
    is_refused("THEN 0 ELSE (", "THEN 0 WHEN true THEN 7 ELSE (");
    is_refused("WHEN false AND", "WHEN true OR");
    CHECK_FALSE(world.accepts_changed(
        [](auto&, pg::Node*& decision, pg::Builder& b) { decision = b.integer_constant(7); }));
    CHECK_FALSE(world.accepts_changed([](auto&, pg::Node*& decision, pg::Builder&) { decision = nullptr; }));
  }
  SUBCASE("a column without a look at its bit") {
    CHECK_FALSE(world.accepts_changed([](PgQuery__SelectStmt& outer, auto&, pg::Builder& b) {
      outer.target_list[3]->res_target->val = b.column({"t", "state"});
    }));
    is_refused("t.\"pgveil shown\" OPERATOR(pg_catalog.&) 4) OPERATOR(pg_catalog.=) 4",
               "t.\"pgveil shown\" OPERATOR(pg_catalog.&) 1) OPERATOR(pg_catalog.=) 1");
  }
}

TEST_CASE("types whose equality is not known to array_position have no bitmaps") {
  BitmapWorld world;
  REQUIRE(world.mask()->by_bitmap);
  world.people.columns[3].type_name = "inet";
  CHECK(world.mask()->by_row);
  CHECK_FALSE(world.mask()->by_bitmap);
}

namespace {

// The demo's mask, as if its decisions were long. Its readers see `visits`.
std::shared_ptr<const Snapshot> snapshot_with_key(std::vector<int> primary_key, double written = 100,
                                                  MaskChoice choice = MaskChoice::cheapest) {
  BitmapWorld world;
  world.people.primary_key = std::move(primary_key);
  const auto spec = std::make_shared<policy::PolicySpec>(world.spec);
  const auto version = std::make_shared<policy::PolicyVersion>(world.version);
  auto snapshot = make_snapshot({.catalog = world.catalog,
                                 .policies = {{spec, version, {}}},
                                 .open_tables = {"public.cities"},
                                 .generation = 1,
                                 .mask_choice = choice})
                      .value();
  auto& mask = const_cast<Mask&>(*snapshot->protected_tables().front().mask);
  mask.costs.written = {0, written, written, written, 0, 0};
  return snapshot;
}

bool has_bitmaps(const std::string& sql, const Snapshot& snapshot) {
  const auto verdict = rewrite(sql, {"analyst"}, snapshot);
  REQUIRE_MESSAGE(std::holds_alternative<Rewritten>(verdict), sql);
  return std::get<Rewritten>(verdict).statements.front().sql.find("varbit[]") != std::string::npos;
}

constexpr int kVisits = 5;  // its number

}  // namespace

TEST_CASE("statements that read one row by its key decide by bitmaps") {
  const auto snapshot = snapshot_with_key({kVisits});
  for (const char* sql :
       {"SELECT city, state FROM people WHERE visits = 3", "SELECT city FROM people WHERE 3 = visits",
        "SELECT city FROM people p WHERE p.visits = 3 AND state = 'OH'",
        "PREPARE x AS SELECT * FROM people WHERE visits = $1",
        "SELECT 1 FROM people p JOIN cities c ON c.city = p.city WHERE p.visits = 2 + 1",
        "SELECT city FROM people WHERE visits = 3 ORDER BY city LIMIT 1",
        "SELECT v.city FROM (SELECT city FROM people WHERE visits = 3) v"}) {
    CAPTURE(sql);
    CHECK(has_bitmaps(sql, *snapshot));
  }
  for (const char* sql :
       {"SELECT city, state FROM people", "SELECT city FROM people WHERE visits > 3",
        "SELECT city FROM people WHERE visits = 3 OR state = 'OH'",
        "SELECT city FROM people WHERE visits IN (3, 4)", "SELECT city FROM people WHERE state = 'OH'",
        "SELECT p.city FROM people p JOIN cities c ON c.city = p.city AND p.visits = c.population",
        "SELECT p.city FROM cities c LEFT JOIN people p ON p.visits = 3",
        "SELECT city FROM (SELECT * FROM people) v WHERE visits = 3",
        "SELECT (SELECT p.city FROM people p WHERE p.visits = 3 AND p.state = c.city) FROM cities c",
        "SELECT 1 FROM cities c WHERE c.city IN (SELECT p.city FROM people p WHERE p.visits = 3)",
        "SELECT x.city FROM cities c, LATERAL (SELECT p.city FROM people p WHERE p.visits = 3) x",
        "WITH w AS (SELECT city FROM people WHERE visits = 3) SELECT * FROM w"}) {
    CAPTURE(sql);
    CHECK_FALSE(has_bitmaps(sql, *snapshot));
  }
}

TEST_CASE("a key that is masked or given in part, and short decisions, need no bitmaps") {
  const std::string by_visits = "SELECT city, state FROM people WHERE visits = 3";
  CHECK_FALSE(has_bitmaps(by_visits, *snapshot_with_key({})));
  CHECK_FALSE(has_bitmaps(by_visits, *snapshot_with_key({kVisits, 4})));
  CHECK_FALSE(has_bitmaps("SELECT city FROM people WHERE state = 'OH'", *snapshot_with_key({4})));
  CHECK_FALSE(has_bitmaps(by_visits, *snapshot_with_key({kVisits}, 2)));
  CHECK_FALSE(has_bitmaps("SELECT visits FROM people WHERE visits = 3", *snapshot_with_key({kVisits})));
  CHECK_FALSE(has_bitmaps(by_visits, *snapshot_with_key({kVisits}, 100, MaskChoice::by_column)));
  CHECK(has_bitmaps("SELECT city FROM people", *snapshot_with_key({}, 0, MaskChoice::by_bitmap)));
}

}  // namespace pgveil::rewriter::bitmap_mask_test
