// The mask with one decision for the row: its form, and that the check sees every way in which it could show
// more.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "fixture.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify_mask.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

constexpr std::size_t kCity = 2;  // of public.people
constexpr std::size_t kState = 3;

struct World {
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

  // Is a mask used whose compiler made this change to the row form? Its text is printed from the changed
  // tree.
  [[nodiscard]] bool accepts_changed(
      const std::function<void(PgQuery__SelectStmt& outer, PgQuery__SelectStmt& inner, pg::Builder&)>& change)
      const {
    const auto made = mask();
    pg::Builder build(*made->arena);
    PgQuery__SelectStmt& outer = *made->by_row_select;
    change(outer, *outer.from_clause[0]->range_subselect->subquery->select_stmt, build);
    made->by_row = print_mask(outer, made->left_out);
    return accepts(*made);
  }
};

pg::Node*& value_at(PgQuery__SelectStmt& select, std::size_t position) {
  return select.target_list[position]->res_target->val;
}

PgQuery__CaseExpr& decision_in(PgQuery__SelectStmt& inner) {
  return *value_at(inner, inner.n_target_list - 1)->case_expr;
}

PgQuery__CaseWhen& arm_of(PgQuery__CaseExpr& choice, std::size_t arm) {
  return *choice.args[arm]->case_when;
}

}  // namespace

TEST_CASE("rows that fall back are held against the tree in both forms") {
  World plain;
  World closed;  // who is in OH but not in Hamlet falls back, and no longer shows the state
  const auto elsewhere_in_ohio = closed.version.tree.nodes[1].no;
  closed.version.tree.nodes[elsewhere_in_ohio].falls_back = true;
  CHECK(plain.accepts(*plain.mask()));
  CHECK(closed.accepts(*closed.mask()));
  CHECK_FALSE(closed.accepts(*plain.mask()));
  CHECK_FALSE(plain.accepts(*closed.mask()));
  World undone;  // fewer than k accountants are left elsewhere: they show nothing at once
  undone.version.tree.nodes[undone.version.tree.nodes[undone.version.tree.nodes[0].no].yes].falls_back = true;
  CHECK(undone.accepts(*undone.mask()));
  CHECK_FALSE(undone.accepts(*plain.mask()));
  CHECK_FALSE(plain.accepts(*undone.mask()));
}

TEST_CASE("the row form of the worked example decides once and looks at a bit in each column") {
  const World world;
  const auto mask = world.mask();
  REQUIRE(mask->by_row);
  const std::string text = whole_text(*mask->by_row);
  const auto where = text.find(" WHERE ");
  CHECK(
      text.substr(0, where) ==
      "SELECT NULL::pg_catalog.int4 AS id, "
      "CASE WHEN (t.\"pgveil shown\" OPERATOR(pg_catalog.&) 1) OPERATOR(pg_catalog.=) 1 THEN t.occupation "
      "ELSE NULL::pg_catalog.text END AS occupation, "
      "CASE WHEN (t.\"pgveil shown\" OPERATOR(pg_catalog.&) 2) OPERATOR(pg_catalog.=) 2 THEN t.city "
      "ELSE NULL::pg_catalog.\"varchar\"(20) END AS city, "
      "CASE WHEN (t.\"pgveil shown\" OPERATOR(pg_catalog.&) 4) OPERATOR(pg_catalog.=) 4 THEN t.state "
      "ELSE NULL::pg_catalog.text COLLATE pg_catalog.\"C\" END AS state, "
      "t.visits AS visits, NULL::pg_catalog.text AS note "
      "FROM (SELECT t.occupation AS occupation, t.city AS city, t.state AS state, t.visits AS visits, "
      "CASE WHEN false AND (pg_catalog.clock_timestamp() IS NULL) THEN 0 "
      "WHEN t.state OPERATOR(pg_catalog.=) 'OH'::pg_catalog.text THEN "
      "CASE WHEN t.city OPERATOR(pg_catalog.=) 'Hamlet'::pg_catalog.text THEN "
      "CASE WHEN t.occupation OPERATOR(pg_catalog.=) 'Farmer'::pg_catalog.text THEN 7 ELSE 6 END ELSE 4 END "
      "WHEN t.occupation OPERATOR(pg_catalog.=) 'Accountant'::pg_catalog.text THEN 1 ELSE 0 END "
      "AS \"pgveil shown\" FROM public.people AS t) AS t");
  CHECK(text.substr(where) == mask->text.substr(mask->text.find(" WHERE ")));
  CHECK(world.accepts(*mask));
}

TEST_CASE("a row form that shows more, or that can't be read, is not used") {
  const World world;
  using Select = PgQuery__SelectStmt;
  CHECK(world.accepts_changed([](Select&, Select&, pg::Builder&) {}));
  const auto is_refused = [&](const auto& change) { CHECK_FALSE(world.accepts_changed(change)); };

  SUBCASE("a column without a look at its bit") {
    is_refused([](Select& outer, Select&, pg::Builder& b) {
      value_at(outer, kState) = b.column({"t", "state"});
    });
    is_refused(
        [](Select& outer, Select&, pg::Builder&) { value_at(outer, kCity) = value_at(outer, kState); });
    is_refused([](Select& outer, Select&, pg::Builder& b) {
      arm_of(*value_at(outer, kCity)->case_expr, 0).expr = b.true_constant();
    });
    is_refused([](Select& outer, Select&, pg::Builder& b) {
      value_at(outer, kCity)->case_expr->defresult = b.column({"t", "city"});
    });
  }
  SUBCASE("another bit, none or two") {
    for (const int bits : {0, 1, 4, 8, 3}) {
      is_refused([&](Select& outer, Select&, pg::Builder& b) {
        PgQuery__AExpr& test = *arm_of(*value_at(outer, kCity)->case_expr, 0).expr->a_expr;
        test.rexpr = test.lexpr->a_expr->rexpr = b.integer_constant(bits);
      });
      is_refused([&](Select& outer, Select&, pg::Builder& b) {
        arm_of(*value_at(outer, kCity)->case_expr, 0).expr->a_expr->rexpr = b.integer_constant(bits);
      });
    }
  }
  SUBCASE("another operator") {
    is_refused([](Select& outer, Select&, pg::Builder& b) {
      arm_of(*value_at(outer, kCity)->case_expr, 0).expr->a_expr->lexpr->a_expr->name[1] = b.string("|");
    });
    is_refused([](Select& outer, Select&, pg::Builder& b) {
      arm_of(*value_at(outer, kCity)->case_expr, 0).expr->a_expr->name[0] = b.string("public");
    });
    is_refused([](Select&, Select& inner, pg::Builder& b) {
      arm_of(decision_in(inner), 1).expr->a_expr->name[1] = b.string("<>");
    });
  }
  SUBCASE("another number at a leaf") {
    is_refused(
        [](Select&, Select& inner, pg::Builder& b) { decision_in(inner).defresult = b.integer_constant(1); });
    is_refused([](Select&, Select& inner, pg::Builder& b) {
      arm_of(decision_in(inner), 2).result = b.integer_constant(3);
    });
    is_refused([](Select&, Select& inner, pg::Builder& b) {
      arm_of(decision_in(inner), 2).result = b.integer_constant(0);
    });
    is_refused([](Select&, Select& inner, pg::Builder& b) {
      arm_of(decision_in(inner), 2).result = b.string_constant("1");
    });
  }
  SUBCASE("a value that the tree does not have") {
    is_refused([](Select&, Select& inner, pg::Builder& b) {
      const pg::Builder::When more[] = {
          {b.equals(b.column({"t", "occupation"}),
                    b.cast(b.string_constant("Spy"), b.type_name("pg_catalog", "text"))),
           b.integer_constant(1)}};
      decision_in(inner).defresult = b.searched_case(more, b.integer_constant(0));
    });
  }
  SUBCASE("a fence that lets rows in, or is another thing") {
    is_refused([](Select&, Select& inner, pg::Builder& b) {
      arm_of(decision_in(inner), 0).expr->bool_expr->args[0] = b.true_constant();
    });
    is_refused([](Select&, Select& inner, pg::Builder&) {
      arm_of(decision_in(inner), 0).expr->bool_expr->boolop = PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR;
    });
    is_refused([](Select&, Select& inner, pg::Builder& b) {
      arm_of(decision_in(inner), 0).expr->bool_expr->args[1] = b.is_null(b.call("random", {}));
    });
    is_refused([](Select&, Select& inner, pg::Builder& b) {
      arm_of(decision_in(inner), 0).result = b.integer_constant(7);
    });
    is_refused([](Select&, Select& inner, pg::Builder&) {
      PgQuery__CaseExpr& decision = decision_in(inner);
      ++decision.args;
      --decision.n_args;
    });
  }
  SUBCASE("raw columns under other names, other tables, other clauses") {
    is_refused([](Select&, Select& inner, pg::Builder& b) { value_at(inner, 0) = b.column({"t", "city"}); });
    is_refused([](Select&, Select& inner, pg::Builder& b) {
      inner.from_clause[0] = b.relation("hr", "people", "t");
    });
    is_refused([](Select&, Select& inner, pg::Builder& b) {
      inner.from_clause[0] = b.relation("public", "people", "u");
    });
    is_refused([](Select&, Select& inner, pg::Builder& b) { inner.where_clause = b.true_constant(); });
    is_refused([](Select&, Select& inner, pg::Builder& b) { inner.limit_offset = b.integer_constant(0); });
    is_refused([](Select& outer, Select&, pg::Builder& b) { outer.limit_count = b.integer_constant(1); });
    is_refused([](Select& outer, Select&, pg::Builder&) { outer.where_clause = nullptr; });
    is_refused(
        [](Select& outer, Select&, pg::Builder&) { outer.from_clause[0]->range_subselect->lateral = 1; });
  }
}

TEST_CASE("there is no row form for one masked column, nor where a column has its name") {
  World world;
  CHECK(world.mask()->by_row);
  SUBCASE("the name") {
    world.people.columns[5].name = "pgveil shown";
    CHECK_FALSE(world.mask()->by_row);
  }
  SUBCASE("one column") {
    auto& nodes = world.version.tree.nodes;
    nodes = {{policy::Split{0, "Farmer"}, 1, 2, 9, 9}, {}, {}};
    const auto mask = world.mask();
    CHECK_FALSE(mask->by_row);
    CHECK(world.accepts(*mask));
  }
}

TEST_CASE("a statement with the row form is verified and sent, with the columns it uses") {
  World world;
  const auto spec = std::make_shared<policy::PolicySpec>(world.spec);
  const auto version = std::make_shared<policy::PolicyVersion>(world.version);
  const auto snapshot = make_snapshot({.catalog = world.catalog,
                                       .policies = {{spec, version, {}}},
                                       .open_tables = {},
                                       .generation = 1,
                                       .mask_choice = MaskChoice::by_row})
                            .value();
  const Mask& mask = *snapshot->protected_tables().front().mask;
  const auto is_sent_with = [&](const std::string& sql, std::vector<std::size_t> left_out) {
    const auto verdict = rewrite(sql, {"analyst"}, *snapshot);
    REQUIRE(std::holds_alternative<Rewritten>(verdict));
    return std::get<Rewritten>(verdict).statements.front().sql.find(
               "(" + text_without(*mask.by_row, left_out) + ")") != std::string::npos;
  };
  CHECK(is_sent_with("SELECT * FROM people", {}));
  CHECK(is_sent_with("SELECT city FROM people ORDER BY 1 LIMIT 3", {1, 3}));
  CHECK(is_sent_with("SELECT 1 FROM people a JOIN people b USING (state)", {1, 2}));
  CHECK(is_sent_with("COPY people TO STDOUT", {}));
}
