#include "policy/tree/turns.hpp"

#include <doctest/doctest.h>

namespace pgveil::policy::testing {

TEST_CASE("an order in words names columns by rank, and those whose rare values come first") {
  DisclosureTree tree;
  tree.attributes = {{"sex", 1}, {"city", 2}, {"year", 3}};
  CHECK(describe_turns(tree).empty());
  tree.turns = {{1, 0, 0, false}, {0, 2, 4, true}, {1, 3, 0, false}};
  CHECK(describe_turns(tree) == "city (rare values first), then sex and year");
}

}  // namespace pgveil::policy::testing
