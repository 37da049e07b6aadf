// Masks of trees with levels: what they say, that the check sees every way in which they could say more, and
// which types levels fit.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "policy/spec/spec_reader.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/policy_check.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/mask/stored_decision.hpp"
#include "rewriter/verify/verify_mask.hpp"

namespace pgveil::rewriter::level_mask_test {

namespace {

policy::PolicySpec spec_of(std::string_view columns) {
  const auto specs =
      policy::read_policy_text(fmt::format("version: 1\npolicies:\n  - {{name: p, database: demo, table: "
                                           "public.staff, k: 2, columns: {{{}}}}}\n",
                                           columns),
                               "p.yaml");
  REQUIRE_MESSAGE(specs.has_value(), specs.error().public_message);
  return specs->front();
}

Relation staff(std::vector<Column> columns) {
  Relation relation;
  relation.oid = 700;
  relation.relfilenode = 1'700;
  relation.schema = "public";
  relation.name = "staff";
  relation.columns = std::move(columns);
  return relation;
}

// 34 is shown exactly; of the others in their thirties those whose town begins with Ham show that too.
struct World {
  policy::PolicySpec spec = spec_of(
      "age: {class: quasi_identifier, generalize: {width: 10, column: age_range}}, "
      "seen: {class: quasi_identifier, generalize: {period: year, column: seen_year}}, "
      "town: {class: quasi_identifier, generalize: {prefix: 3}}");
  Relation relation = staff({rewriter::test::column(1, "age_range"), rewriter::test::column(2, "age", "int4"),
                             rewriter::test::column(3, "seen", "timestamptz"),
                             rewriter::test::column(4, "seen_year"), rewriter::test::column(5, "town")});
  policy::PolicyVersion version;

  World() {
    version.policy = spec.name;
    version.number = 7;
    version.spec_hash = spec.hash;
    version.shape = shape_of(relation);
    version.tree.k = 2;
    version.tree.attributes = policy::attributes_of(
        spec, {{"age_range", 1}, {"age", 2}, {"seen", 3}, {"seen_year", 4}, {"town", 5}});
    version.tree.nodes = {{policy::Split{1, "34"}, 1, 2, 8, 8},
                          {{}, 0, 0, 2, 2},
                          {policy::Split{0, "[30,40)"}, 3, 6, 6, 6},
                          {policy::Split{4, "Ham*"}, 4, 5, 4, 4},
                          {{}, 0, 0, 2, 2},
                          {{}, 0, 0, 2, 2},
                          {{}, 0, 0, 2, 2}};
  }

  [[nodiscard]] std::shared_ptr<CompiledMask> mask() const {
    return compile_mask(spec, version, relation, VersionGuard::absent).value();
  }
  // Empty: the mask is used.
  [[nodiscard]] std::string objection(const CompiledMask& mask) const {
    const auto verified = verify_mask(mask, spec, version, relation, VersionGuard::absent);
    return verified ? "" : verified.error().public_message;
  }
  // As a compiler with a fault would have made it: this text in the place of that, in both the mask's text
  // and its tree.
  [[nodiscard]] bool accepts_changed(std::string_view from, std::string_view to) const {
    auto made = mask();
    CompiledMask& changed = *made;
    std::string text = made->text;
    const auto at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, std::string(from));
    text.replace(at, from.size(), to);
    auto parsed = pg::parse_own(text, 1'000'000);
    REQUIRE(parsed.has_value());
    changed.select = parsed->result->stmts[0]->stmt->select_stmt;
    changed.parts = print_mask(*changed.select, made->left_out);
    changed.text = whole_text(made->parts);
    changed.by_row.reset();
    changed.by_row_select = nullptr;
    return objection(*made).empty();
  }
};

std::string finding(std::string_view columns, std::vector<Column> of_table) {
  auto catalog = rewriter::test::demo_catalog();
  const Relation relation = staff(std::move(of_table));
  catalog->relations.emplace(std::pair(relation.schema, relation.name), relation);
  const auto findings = check_policy(spec_of(columns), *catalog);
  return findings.errors.empty() ? "" : findings.errors.front().public_message;
}

Column with_typmod(Column column, std::int32_t typmod) {
  column.typmod = typmod;
  return column;
}

}  // namespace

TEST_CASE("the shape guard names the columns that levels are asked of, and the check agrees") {
  const World world;
  const auto guarded = compile_mask(world.spec, world.version, world.relation, VersionGuard::present).value();
  CHECK(guarded->text.find(R"('{"public","staff","age","seen","town"}'::pg_catalog.text[])") !=
        std::string::npos);
  const auto verified =
      verify_mask(*guarded, world.spec, world.version, world.relation, VersionGuard::present);
  CHECK_MESSAGE(verified.has_value(), (verified ? "" : verified.error().public_message));
}

TEST_CASE("levels can be stored: the column has their bits, the mask their constants") {
  World world;
  const auto expression = stored_expression(world.version.tree, world.relation).value();
  CAPTURE(expression.text);
  CHECK(expression.text.find("age OPERATOR(pg_catalog.>=) '30'::pg_catalog.int8") != std::string::npos);
  CHECK(expression.text.find("t.") == std::string::npos);
  const StoredColumn column{6, expression.column, "digest", 4711};
  world.version.stored = policy::StoredDecision{column.name, column.digest};
  const auto accepts = [&](const CompiledMask& mask, const std::string& text) {
    return verify_stored_mask(mask, world.spec, world.version, world.relation, column, text).has_value();
  };
  const auto mask = compile_stored_mask(world.spec, world.version, world.relation, column).value();
  CAPTURE(mask->text);
  CHECK(accepts(*mask, expression.text));
  CHECK(mask->text.find("THEN '[30,40)'::pg_catalog.text") != std::string::npos);
  CompiledMask& changed = *mask;
  std::string text = mask->text;
  const std::string from = "'[30,40)'::pg_catalog.text";
  text.replace(text.find(from), from.size(), "'[30,50)'::pg_catalog.text");
  auto parsed = pg::parse_own(text, 1'000'000);
  REQUIRE(parsed.has_value());
  changed.select = parsed->result->stmts[0]->stmt->select_stmt;
  changed.parts = print_mask(*changed.select, mask->left_out);
  changed.text = whole_text(mask->parts);
  CHECK_FALSE(accepts(*mask, expression.text));
}

TEST_CASE("a level is asked for by its pre-image and shown as a constant of the tree") {
  const World world;
  const auto mask = world.mask();
  CAPTURE(mask->text);
  for (const char* part : {"t.age OPERATOR(pg_catalog.>=) '30'::pg_catalog.int8",
                           "t.age OPERATOR(pg_catalog.<) '40'::pg_catalog.int8",
                           "THEN '[30,40)'::pg_catalog.text", "NULL::pg_catalog.text END AS age_range",
                           "pg_catalog.\"left\"(t.town, 3) OPERATOR(pg_catalog.=) 'Ham'::pg_catalog.text",
                           "THEN 'Ham*'::pg_catalog.text", "FROM public.staff AS t"}) {
    CAPTURE(part);
    CHECK(mask->text.find(part) != std::string::npos);
  }
  // Neither column of a level is read.
  CHECK(mask->text.find("t.age_range") == std::string::npos);
  CHECK(mask->text.find("t.seen_year") == std::string::npos);
  CHECK(mask->text.find("THEN t.town") == std::string::npos);
  REQUIRE(mask->by_row.has_value());
  CHECK(world.objection(*mask) == "");
}

TEST_CASE("bounds of timestamps are midnights of one time zone") {
  World world;
  auto& nodes = world.version.tree.nodes;
  nodes = {{policy::Split{3, "1987"}, 1, 2, 4, 4}, {{}, 0, 0, 2, 2}, {{}, 0, 0, 2, 2}};
  const auto mask = world.mask();
  CHECK(mask->text.find("t.seen OPERATOR(pg_catalog.>=) '1987-01-01 00:00:00+00'::pg_catalog.timestamptz") !=
        std::string::npos);
  CHECK(mask->text.find("t.seen OPERATOR(pg_catalog.<) '1988-01-01 00:00:00+00'::pg_catalog.timestamptz") !=
        std::string::npos);
  CHECK(world.objection(*mask) == "");
}

TEST_CASE("a mask that says anything else of a level is not used") {
  const World world;
  CHECK(world.accepts_changed("'[30,40)'", "'[30,40)'"));
  for (const auto& [from, to] : std::vector<std::pair<const char*, const char*>>{
           {"'[30,40)'", "'[40,50)'"},
           {"'[30,40)'::pg_catalog.text", "t.age_range"},
           {"'[30,40)'::pg_catalog.text", "t.age::pg_catalog.text"},
           {"'[30,40)'::pg_catalog.text", "NULL::pg_catalog.text"},
           {"'30'::pg_catalog.int8", "'20'::pg_catalog.int8"},
           {"'40'::pg_catalog.int8", "'41'::pg_catalog.int8"},
           {"OPERATOR(pg_catalog.>=)", "OPERATOR(pg_catalog.>)"},
           {"OPERATOR(pg_catalog.<)", "OPERATOR(pg_catalog.<=)"},
           {"OPERATOR(pg_catalog.<)", "OPERATOR(public.<)"},
           {"t.age OPERATOR(pg_catalog.<)", "t.seen OPERATOR(pg_catalog.<)"},
           {" AND (t.age OPERATOR(pg_catalog.<) '40'::pg_catalog.int8)", ""},
           {"'Ham*'", "'Ulm*'"},
           {"'Ham*'::pg_catalog.text", "t.town"},
           {"'Ham'", "'Ulm'"},
           {"(t.town, 3)", "(t.town, 2)"},
           {"pg_catalog.\"left\"", "pg_catalog.\"right\""}}) {
    CAPTURE(from);
    CAPTURE(to);
    CHECK_FALSE(world.accepts_changed(from, to));
  }
}

TEST_CASE("the mask of another tree is not used") {
  const World world;
  World other;
  for (auto& node : other.version.tree.nodes) {
    if (node.split && node.split->value == "[30,40)") node.split->value = "[60,70)";
  }
  REQUIRE(other.version.tree != world.version.tree);
  CHECK(other.objection(*other.mask()) == "");
  CHECK(world.objection(*other.mask()) != "");
  CHECK(other.objection(*world.mask()) != "");
}

TEST_CASE("levels fit the types that they are of and are shown in") {
  using rewriter::test::column;
  const auto with = [](std::string_view generalize, const char* type, const char* shown_type) {
    return finding(fmt::format("a: {{class: quasi_identifier, generalize: {}}}", generalize),
                   {column(1, "a", type), column(2, "b", shown_type)});
  };
  const char* const kBins = "{width: 10, column: b}";
  for (const char* type : {"int2", "int4", "int8", "numeric"}) CHECK(with(kBins, type, "text") == "");
  for (const char* type : {"float8", "text", "date", "bool", "timestamptz"})
    CHECK(with(kBins, type, "text").find("bins are of int2, int4, int8 and numeric") != std::string::npos);
  for (const char* bins :
       {"{width: 0.5, column: b}", "{width: 1, origin: 0.5, column: b}", "{bounds: [1, 1.5], column: b}"}) {
    CHECK(with(bins, "int4", "text").find("bounds for whole numbers must be whole") != std::string::npos);
    CHECK(with(bins, "numeric", "text") == "");
  }
  for (const char* type : {"date", "timestamp", "timestamptz"})
    CHECK(with("{period: month, column: b}", type, "text") == "");
  for (const char* type : {"int4", "text", "time"})
    CHECK(with("{period: month, column: b}", type, "text").find("periods are of") != std::string::npos);
  for (const char* type : {"text", "varchar"}) CHECK(with("{prefix: 2, column: b}", type, "text") == "");
  for (const char* type : {"bpchar", "name", "int4"})
    CHECK(with("{prefix: 2, column: b}", type, "text").find("prefixes are of") != std::string::npos);
  for (const char* shown : {"int4", "varchar", "bpchar", "name", "date"})
    CHECK(with(kBins, "int4", shown).find("must be of type text without length") != std::string::npos);
  for (const char* type : {"int4", "int8", "numeric"}) {
    CHECK(with("{width: 10, column: b, show: start}", type, type) == "");
    CHECK(with("{width: 10, column: b, show: start}", type, "text").find("must be of type") !=
          std::string::npos);
    CHECK(with("{width: 10}", type, "text") == "");
  }
  CHECK(with("{period: month}", "date", "text") == "");
  for (const char* type : {"timestamp", "timestamptz"})
    CHECK(with("{period: month}", type, "text").find("the starts of such bins can't be shown") !=
          std::string::npos);
  CHECK(with("{width: 10}", "int2", "text").find("the starts of such bins can't be shown") !=
        std::string::npos);
  CHECK(with("{prefix: 2}", "text", "text") == "");
  CHECK(with("{prefix: 2}", "varchar", "text").find("must be of type text without length") !=
        std::string::npos);
  CHECK(finding("a: {class: quasi_identifier, generalize: {width: 10}}",
                {with_typmod(column(1, "a", "numeric"), 655366)}) != "");
}

TEST_CASE("a column that is to show a level and is not there is named, with the statement that adds it") {
  const std::string found =
      finding("age: {class: quasi_identifier, generalize: {width: 10, column: age_range}}",
              {rewriter::test::column(1, "age", "int4")});
  CHECK(found.find("has no column \"age_range\" to show a level in") != std::string::npos);
  CHECK(found.find("ALTER TABLE \"public\".\"staff\" ADD COLUMN \"age_range\" pg_catalog.text") !=
        std::string::npos);
}

}  // namespace pgveil::rewriter::level_mask_test
