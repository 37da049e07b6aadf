// Values in masks: whatever a table holds becomes a constant, alone or in an array.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "fixture.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/verify/verify_mask.hpp"

namespace pgveil::rewriter::mask_values_test {

namespace {

constexpr std::size_t kOccupation = 1;  // of public.people

// A version of the worked example's policy whose tree releases just these occupations.
struct World {
  std::shared_ptr<Catalog> catalog = rewriter::test::demo_catalog();
  policy::PolicySpec spec = rewriter::test::worked_example_policy();
  const Relation& people = *catalog->find("public", "people");
  policy::PolicyVersion version =
      rewriter::test::version_of(spec, rewriter::test::worked_example_counts(), people);

  explicit World(const std::vector<std::string>& values) {
    auto& nodes = version.tree.nodes;
    nodes.clear();
    for (const std::string& value : values) {
      const auto at = static_cast<policy::NodeIndex>(nodes.size());
      nodes.push_back({policy::Split{0, value}, at + 1, at + 2, 0, 0});
      nodes.emplace_back();
    }
    nodes.emplace_back();
  }

  [[nodiscard]] std::shared_ptr<CompiledMask> mask() const {
    return compile_mask(spec, version, people, VersionGuard::absent).value();
  }
  [[nodiscard]] bool accepts(const CompiledMask& mask) const {
    return verify_mask(mask, spec, version, people, VersionGuard::absent).has_value();
  }
};

// As a compiler with a fault would have made it.
std::shared_ptr<CompiledMask> with_constant(const World& world, const char* text) {
  auto mask = world.mask();
  pg::Node* choice = mask->select->target_list[kOccupation]->res_target->val;
  PgQuery__AExpr& test = *choice->case_expr->args[0]->case_when->expr->a_expr;
  test.rexpr->type_cast->arg->a_const->sval->sval = mask->arena->copy(text);
  mask->parts = print_mask(*mask->select, mask->left_out);
  mask->text = whole_text(mask->parts);
  return mask;
}

}  // namespace

TEST_CASE("values of every spelling stand in one array constant, and alone") {
  const std::vector<std::string> values{"plain", "a\"b", "c\\d", "{e,f}", "NULL", "", "it's", " g ", "ü\n"};
  const World world(values);
  const auto mask = world.mask();
  CHECK(mask->text.find(R"(ANY (E'{"plain","a\\"b","c\\\\d","{e,f}","NULL","","it''s"," g ","ü)") !=
        std::string::npos);
  CHECK(world.accepts(*mask));
  for (const std::string& value : values) {
    const World alone({value});
    CHECK(alone.accepts(*alone.mask()));
    CHECK_FALSE(alone.accepts(*mask));
    CHECK_FALSE(world.accepts(*alone.mask()));
  }
}

TEST_CASE("an array with one value more or less, or written in another way, is not used") {
  const World world({"a", "b\"", "c"});
  CHECK(world.accepts(*with_constant(world, R"({"a","b\"","c"})")));
  CHECK(world.accepts(*with_constant(world, R"({"c","b\"","a"})")));
  for (const char* text :
       {R"({"a","b\""})", R"({"a","b\"","c","d"})", R"({"a","b"","c"})", R"({a,"b\"","c"})",
        R"({"a","b\"","c"} )", R"({"a","b\"","c")", R"("a","b\"","c"})", R"({"a" "b\"","c"})",
        R"({"a","b\"","c",})", R"({"a","b\"","c\)", R"({})", ""}) {
    CAPTURE(text);
    CHECK_FALSE(world.accepts(*with_constant(world, text)));
  }
}

TEST_CASE("an array constant without ANY, or ANY of one constant, is not used") {
  const World one({"a"});
  auto mask = one.mask();
  pg::Node* choice = mask->select->target_list[kOccupation]->res_target->val;
  PgQuery__AExpr& test = *choice->case_expr->args[0]->case_when->expr->a_expr;
  test.kind = PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY;
  mask->parts = print_mask(*mask->select, mask->left_out);
  mask->text = whole_text(mask->parts);
  CHECK_FALSE(one.accepts(*mask));
}

}  // namespace pgveil::rewriter::mask_values_test
