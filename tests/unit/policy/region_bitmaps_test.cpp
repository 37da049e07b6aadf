// The form of the bitmaps of a decision; that they equal the tree is in tree_property_test.cpp.
#include "policy/decision/region_bitmaps.hpp"

#include <doctest/doctest.h>

#include <string>

namespace pgveil::policy {
namespace {

// a=x: (b=1,2: a and b, else a); b=3: b; else nothing.
RowDecision example() {
  const RowDecision both{3, {}}, second{2, {}};
  const RowDecision within{1, {{1, {"1", "2"}, 4, {both}}}};
  return {0, {{0, {"x"}, 9, {within}}, {1, {"3"}, 5, {second}}}};
}

using Bits = std::vector<bool>;

}  // namespace

TEST_CASE("each value of an attribute leaves the regions possible that its path allows") {
  const auto made = region_bitmaps(example(), 1'000);
  REQUIRE(made);
  CHECK(made->released == std::vector<std::uint64_t>{3, 1, 2});
  REQUIRE(made->attributes.size() == 2);
  CHECK(made->attributes[0].values == std::vector<std::string>{"x"});
  CHECK(made->attributes[0].bitmaps == std::vector<Bits>{{true, true, false}});
  CHECK(made->attributes[0].otherwise == Bits{false, false, true});
  CHECK(made->attributes[1].values == std::vector<std::string>{"1", "2", "3"});
  CHECK(made->attributes[1].bitmaps ==
        std::vector<Bits>{{true, false, false}, {true, false, false}, {false, true, true}});
  CHECK(made->attributes[1].otherwise == Bits{false, true, false});
}

TEST_CASE("paths that no row can take, and those that release nothing, are no regions") {
  RowDecision decision = example();
  decision.arms.push_back({0, {"x"}, 1, {{1, {}}}});  // the first arm has taken x
  decision.arms.push_back({0, {"y"}, 1, {{0, {}}}});
  CHECK(region_bitmaps(decision, 1'000)->released == std::vector<std::uint64_t>{3, 1, 2});
}

TEST_CASE("an attribute of very many values has no bitmaps") {
  RowDecision decision;
  for (std::size_t i = 0; i < kMostBitmapValues; ++i)
    decision.arms.push_back({0, {std::to_string(i)}, 1, {{1, {}}}});
  CHECK(region_bitmaps(decision, 1'000'000));
  decision.arms.push_back({0, {"one more"}, 1, {{1, {}}}});
  CHECK_FALSE(region_bitmaps(decision, 1'000'000));
}

TEST_CASE("a decision without tests, without releases, or with too many bits has no bitmaps") {
  CHECK_FALSE(region_bitmaps({0, {}}, 1'000));
  CHECK_FALSE(region_bitmaps({0, {{0, {"x"}, 1, {{0, {}}}}}}, 1'000));
  // Six places (x, 1, 2, 3, and one for the other values of each attribute) times three regions.
  CHECK(region_bitmaps(example(), 18));
  CHECK_FALSE(region_bitmaps(example(), 17));
}

}  // namespace pgveil::policy
