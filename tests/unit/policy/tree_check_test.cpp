#include <doctest/doctest.h>

#include <functional>

#include "policy/spec/spec.hpp"
#include "policy/tree/tree_check.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

TEST_CASE("every kind of broken tree is found") {
  // Nodes of the worked example: 0 OH, 1 Hamlet, 2 Farmer, 3 4 leaves, 5 leaf (D12), 6 Accountant, 7 8
  // leaves.
  struct Case {
    std::string name;
    std::function<void(DisclosureTree&)> breaking;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {"k", [](auto& t) { t.k = 1; }, "k is below 2"},
      {"no attributes", [](auto& t) { t.attributes.clear(); }, "no attributes"},
      {"too many attributes",
       [](auto& t) {
         for (int i = 0; i < static_cast<int>(kMaxQuasiIdentifiers); ++i)
           t.attributes.push_back({"x", 10 + i});
       },
       "too many attributes"},
      {"attribute number", [](auto& t) { t.attributes[0].number = 0; }, "an attribute's number is below 1"},
      {"attribute order", [](auto& t) { t.attributes[1].number = 2; },
       "attributes are not ascending by number"},
      {"no nodes", [](auto& t) { t.nodes.clear(); }, "no nodes"},
      {"yes elsewhere", [](auto& t) { t.nodes[1].yes = 3; }, "node 1: its yes child is not the next node"},
      {"a cycle", [](auto& t) { t.nodes[6].no = 0; }, "node 6: its no child is out of range"},
      {"no child too far", [](auto& t) { t.nodes[6].no = 9; }, "node 6: its no child is out of range"},
      {"shared child", [](auto& t) { t.nodes[1].no = 6; }, "node 5: it is not the child its place makes it"},
      {"attribute out of range", [](auto& t) { t.nodes[6].split->attribute = 3; },
       "node 6: its attribute is out of range"},
      {"a leaf with children", [](auto& t) { t.nodes[8].no = 3; }, "node 8: a leaf with children"},
      {"an orphan", [](auto& t) { t.nodes.push_back(t.nodes[8]); }, "node 9: no split leads to it"},
      {"the end is missing", [](auto& t) { t.nodes.resize(1); }, "node 0: its no child is out of range"},
      {"a split at the end",
       [](auto& t) {
         t.nodes.resize(2);
         t.nodes[0] = {Split{2, "OH"}, 1, 1, 11, 11};
       },
       "node 0: its no child is out of range"},
      {"below k", [](auto& t) { t.k = 3; }, "node 3: fewer than k units"},
      {"units over rows", [](auto& t) { t.nodes[3].units = 3; }, "node 3: more units than rows"},
      {"rows don't add up", [](auto& t) { t.nodes[3].rows = 3; }, "node 2: its sides' rows don't add up"},
      {"rows wrap around", [](auto& t) { t.nodes[1].rows = ~std::uint64_t{0}; },
       "node 0: its sides' rows don't add up"},
      {"side with more units", [](auto& t) { t.nodes[0].units = 5; },
       "node 0: a side has more units than it"},
      {"units on neither side", [](auto& t) { t.nodes[1].units = t.nodes[6].units = 5; },
       "node 0: its units are on neither side"},
      {"released twice",
       [](auto& t) {
         t.nodes[1].split = Split{2, "MA"};
       },
       "node 1: its attribute is already released on the path"},
      {"asked twice",
       [](auto& t) {
         t.nodes[6].split = Split{2, "OH"};
       },
       "node 6: its value was asked before on the path"}};
  const DisclosureTree good = build_tree(count(worked_example()), 2, kGreedy).value();
  REQUIRE(good.nodes.size() == 9);
  CHECK(!find_flaw(good));
  for (const Case& c : cases) {
    CAPTURE(c.name);
    DisclosureTree tree = good;
    c.breaking(tree);
    CHECK(find_flaw(tree).value_or("nothing") == c.expected);
  }
}

TEST_CASE("a value may be asked again where its exclusion does not hold") {
  // state = OH → city = Hamlet; no → city = Hamlet: two paths, no clash.
  DisclosureTree tree{2, {{"city", 1}, {"state", 2}}, {}};
  tree.nodes = {{Split{1, "OH"}, 1, 4, 8, 8},
                {Split{0, "Hamlet"}, 2, 3, 4, 4},
                {{}, 0, 0, 2, 2},
                {{}, 0, 0, 2, 2},
                {Split{0, "Hamlet"}, 5, 6, 4, 4},
                {{}, 0, 0, 2, 2},
                {{}, 0, 0, 2, 2}};
  CHECK(!find_flaw(tree));
}

}  // namespace pgveil::policy::testing
