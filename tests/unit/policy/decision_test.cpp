// The form of compiled decisions; that they equal the tree is in tree_property_test.cpp.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "policy/decision/decision.hpp"
#include "policy/tree/tree.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing::decision_test {

namespace {

// "b=1,2:yes c=3:(a=4:yes) d=5:no"
std::string to_text(const Decision& decision) {
  std::string text;
  for (const Arm& arm : decision.arms) {
    std::string then = "yes";
    if (!arm.then.empty()) then = arm.then[0].arms.empty() ? "no" : "(" + to_text(arm.then[0]) + ")";
    text += fmt::format("{}{}={}:{}", text.empty() ? "" : " ", static_cast<char>('a' + arm.attribute),
                        fmt::join(arm.values, ","), then);
  }
  return text;
}

struct Step {
  std::uint32_t attribute;
  std::string value;
};

// Appends a chain of splits whose `yes` children are leaves, but that of step `at`, which is `below`.
void add_chain(DisclosureTree& tree, const std::vector<Step>& steps, std::size_t at = 999,
               const std::vector<Step>& below = {}) {
  std::size_t previous = tree.nodes.size();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t index = tree.nodes.size();
    if (i > 0) tree.nodes[previous].no = static_cast<NodeIndex>(index);
    tree.nodes.push_back(
        {Split{steps[i].attribute, steps[i].value}, static_cast<NodeIndex>(index + 1), 0, 0, 0});
    if (i == at) {
      add_chain(tree, below);
    } else {
      tree.nodes.emplace_back();
    }
    previous = index;
  }
  if (!steps.empty()) tree.nodes[previous].no = static_cast<NodeIndex>(tree.nodes.size());
  tree.nodes.emplace_back();
}

std::string compiled(const DisclosureTree& tree, std::size_t attribute) {
  return to_text(compile_decisions(tree)[attribute]);
}

DisclosureTree three_attributes() {
  return {2, {{"a", 1}, {"b", 2}, {"c", 3}}, {}};
}

}  // namespace

TEST_CASE("adjacent tests of one attribute with equal outcomes become one membership test, in tree order") {
  DisclosureTree tree = three_attributes();
  add_chain(tree, {{0, "2"}, {0, "1"}, {1, "x"}, {0, "3"}});
  CHECK(compiled(tree, 0) == "a=2,1:yes b=x:no a=3:yes");
  CHECK(compiled(tree, 1) == "a=2,1:no b=x:yes");
  CHECK(compiled(tree, 2).empty());
}

TEST_CASE("equal outcomes are merged across other tests of the same attribute, and of no other") {
  DisclosureTree tree = three_attributes();
  const auto add_split = [&](std::uint32_t attribute, const std::string& value, const std::string& below) {
    const auto at = static_cast<NodeIndex>(tree.nodes.size());
    tree.nodes.push_back({Split{attribute, value}, at + 1, at + 4, 0, 0});
    add_chain(tree, {{0, below}});
  };
  add_split(1, "x", "1");
  add_split(1, "y", "2");
  add_split(1, "z", "1");
  add_split(2, "w", "1");
  add_split(1, "v", "2");
  tree.nodes.emplace_back();
  CHECK(compiled(tree, 0) == "b=x,z:(a=1:yes) b=y:(a=2:yes) c=w:(a=1:yes) b=v:(a=2:yes)");
}

TEST_CASE("an arm that releases nothing is dropped when no later arm could catch its rows") {
  DisclosureTree tree = three_attributes();
  add_chain(tree, {{1, "x"}, {0, "1"}, {1, "y"}, {2, "z"}});
  CHECK(compiled(tree, 0) == "b=x:no a=1:yes");
  CHECK(compiled(tree, 1) == "b=x:yes a=1:no b=y:yes");
  CHECK(compiled(tree, 2) == "b=x:no a=1:no b=y:no c=z:yes");
}

TEST_CASE("an arm that releases nothing is not needed before arms of its own attribute") {
  DisclosureTree tree = three_attributes();
  add_chain(tree, {{1, "x"}, {1, "y"}}, 1, {{0, "1"}});
  CHECK(compiled(tree, 0) == "b=y:(a=1:yes)");
}

TEST_CASE("arms that release nothing don't hold each other") {
  DisclosureTree tree = three_attributes();
  // b = x has to be kept from a = 1 only; c = z stands between two tests of b and is needed for nothing.
  add_chain(tree, {{1, "x"}, {2, "z"}, {1, "y"}}, 2, {{0, "1"}});
  CHECK(compiled(tree, 0) == "c=z:no b=y:(a=1:yes)");
}

TEST_CASE("equal outcomes that are decisions themselves are merged") {
  DisclosureTree tree = three_attributes();
  tree.nodes.push_back({Split{1, "x"}, 1, 4, 0, 0});
  add_chain(tree, {{0, "1"}});
  tree.nodes.push_back({Split{1, "y"}, 5, 8, 0, 0});
  add_chain(tree, {{0, "1"}});
  tree.nodes.emplace_back();
  CHECK(compiled(tree, 0) == "b=x,y:(a=1:yes)");
}

TEST_CASE("a tree of one leaf releases nothing") {
  DisclosureTree tree = three_attributes();
  tree.nodes.emplace_back();
  for (const Decision& decision : compile_decisions(tree)) CHECK(decision.arms.empty());
}

TEST_CASE("there is no fall-through out of an arm, and NULL matches nothing") {
  const Decision decision{{{1, {"x"}, {Decision{{{0, {"1"}, {}}}}}}, {0, {"2"}, {}}}};
  const auto released = [&](Row row) { return is_released(decision, view(row)); };
  CHECK(released({{"1", "x"}}));
  CHECK_FALSE(released({{"2", "x"}}));
  CHECK(released({{"2", "y"}}));
  CHECK(released({{"2", std::nullopt}}));
  CHECK_FALSE(released({{std::nullopt, "x"}}));
  CHECK_FALSE(released({{std::nullopt, std::nullopt}}));
}

}  // namespace pgveil::policy::testing::decision_test
