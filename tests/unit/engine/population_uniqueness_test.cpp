// Estimates of population uniqueness: by hand, and against populations that were drawn once from the models
// themselves.
#include "engine/risk/population_uniqueness.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cmath>

using namespace pgveil::engine;
using namespace pgveil::engine::test;

TEST_CASE("Zayatz by hand: four of eight, two alone and one pair") {
  // h(1) = 1/2, h(2) = 2·C(6,3)/C(8,4) = 4/7; P(1|1) = 2·½ ÷ (2·½ + 4/7) = 7/11; S/N = 2·7/11 ÷ 4.
  const auto found = value_of(estimate_uniqueness({{1, 2}, {2, 1}}, 8));
  CHECK(found.zayatz == doctest::Approx(7.0 / 22));
}

TEST_CASE("a class larger than what was not drawn has lost none of its records") {
  // Of five, four were drawn: three of one class can't be drawn alone, so h(3) = 0 is left out.
  const auto found = value_of(estimate_uniqueness({{1, 1}, {3, 1}}, 5));
  CHECK(found.zayatz == doctest::Approx(0.25));
}

// 20,000 classes of 1 + a negative binomial of m = 3 and r = 5, each record drawn with π = 0.2: 79,758
// records, of which 0.0852 are unique.
const SizeHistogram kSlideNegativeBinomial = {{1, 5806}, {2, 2120}, {3, 811}, {4, 375}, {5, 180}, {6, 89},
                                              {7, 43},   {8, 18},   {9, 6},   {10, 6},  {11, 1}};

TEST_CASE("the slide negative binomial is found again in a sample of it") {
  const auto found = value_of(estimate_uniqueness(kSlideNegativeBinomial, 79'758));
  REQUIRE(found.snb);
  CHECK(*found.snb == doctest::Approx(0.0852).epsilon(0.15));
  CHECK(found.chosen == (*found.snb <= found.zayatz ? UniquenessModel::snb : UniquenessModel::zayatz));
  CHECK(found.dankar == std::min(*found.snb, found.zayatz));
}

// Of 40,000 records that a Pitman process with α = 0.5, θ = 100 made, 2,000; 0.0479 of all are unique. The
// maximum of the likelihood, by trying: α = 0.54, θ = 90, which gives 0.0606.
const SizeHistogram kPitman = {{1, 462}, {2, 110}, {3, 44}, {4, 26}, {5, 13}, {6, 15}, {7, 13},
                               {8, 6},   {9, 9},   {10, 5}, {11, 5}, {12, 1}, {13, 4}, {14, 2},
                               {15, 4},  {16, 4},  {18, 2}, {19, 1}, {22, 1}, {23, 1}, {28, 1},
                               {32, 1},  {34, 1},  {37, 1}, {38, 1}, {43, 1}, {74, 1}};

TEST_CASE("Pitman's parameters are those of the greatest likelihood") {
  const auto found = value_of(estimate_uniqueness(kPitman, 40'000));
  REQUIRE(found.pitman);
  CHECK(*found.pitman == doctest::Approx(0.0606).epsilon(0.05));
  CHECK(found.chosen == UniquenessModel::pitman);  // π = 0.05
  CHECK(found.dankar == *found.pitman);
}

TEST_CASE("estimates lie between none and all, and shrink as the population grows") {
  double last = 1;
  for (const double population : {3e3, 1e4, 1e5, 1e6, 1e9, 1e12}) {
    const auto found = value_of(estimate_uniqueness(kPitman, population));
    for (const auto share :
         {std::optional(found.zayatz), found.snb, found.pitman, std::optional(found.dankar)}) {
      if (!share) continue;
      CHECK(*share >= 0);
      CHECK(*share <= 1);
    }
    REQUIRE(found.pitman);
    CHECK(*found.pitman < last);
    last = *found.pitman;
  }
}

TEST_CASE("nobody unique in the sample, nobody in the population; a whole population is counted") {
  const auto none = value_of(estimate_uniqueness({{2, 5}}, 1000));
  CHECK(none.dankar == 0);
  const auto whole = value_of(estimate_uniqueness({{1, 3}, {2, 1}}, 5));
  CHECK(whole.dankar == doctest::Approx(0.6));
}

TEST_CASE("a sample in which all are unique says nothing of Pitman's parameters") {
  const auto found = value_of(estimate_uniqueness({{1, 50}}, 10'000));
  CHECK_FALSE(found.pitman);
  CHECK(found.chosen == UniquenessModel::zayatz);
}

TEST_CASE("populations that can't be are refused") {
  CHECK(estimate_uniqueness({{1, 5}}, 4).has_error());
  CHECK(estimate_uniqueness({{1, 5}}, std::nan("")).has_error());
  CHECK(estimate_uniqueness({{1, 5}}, 1e13).has_error());
  CHECK(estimate_uniqueness({}, 10).has_error());
}
