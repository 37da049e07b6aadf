// Diversity and closeness of one cohort, by hand.
#include <doctest/doctest.h>

#include <vector>

#include "policy/spec/constraint.hpp"

namespace pgveil::policy::testing {

namespace {

using Numbers = std::vector<std::uint64_t>;

bool keeps(const ConstraintModel& model, const Numbers& cohort, const Numbers& table = {}) {
  return holds(model, cohort, table.empty() ? cohort : table);
}

}  // namespace

TEST_CASE("distinct: values that nobody has don't count") {
  CHECK(keeps(DistinctL{2}, {1, 9}));
  CHECK(!keeps(DistinctL{2}, {0, 9}));
  CHECK(keeps(DistinctL{3}, {1, 1, 0, 1}));
  CHECK(!keeps(DistinctL{4}, {1, 1, 0, 1}));
}

TEST_CASE("entropy: e^H is at least l") {
  // Equally frequent values are as many as they look.
  CHECK(keeps(EntropyL{2}, {3, 3}));
  CHECK(keeps(EntropyL{3}, {2, 2, 2}));
  CHECK(!keeps(EntropyL{3.001}, {2, 2, 2}));
  CHECK(keeps(EntropyL{7}, {5, 5, 5, 5, 5, 5, 5}));
  // 3 of 4 and 1 of 4: H = 0.5623, e^H = 1.7548.
  CHECK(keeps(EntropyL{1.75}, {3, 1}));
  CHECK(!keeps(EntropyL{1.76}, {3, 1}));
  // 2, 1, 1 of 4: H = 1.5 log 2, e^H = 2.8284.
  CHECK(keeps(EntropyL{2.82}, {1, 2, 1}));
  CHECK(!keeps(EntropyL{2.83}, {1, 2, 1}));
  CHECK(!keeps(EntropyL{1.001}, {4}));
}

TEST_CASE("recursive: the most frequent is below c times the tail, not equal to it") {
  // 4, 2, 1: from the second on 3, from the third on 1.
  CHECK(keeps(RecursiveL{2, 2}, {2, 4, 1}));
  CHECK(!keeps(RecursiveL{1, 2}, {2, 4, 1}));
  CHECK(!keeps(RecursiveL{4, 3}, {2, 4, 1}));
  CHECK(keeps(RecursiveL{4.5, 3}, {2, 4, 1}));
  CHECK(!keeps(RecursiveL{1e8, 4}, {2, 4, 1}));
  CHECK(!keeps(RecursiveL{2, 2}, {2, 0, 1}));  // 2 < 2 · 1 does not hold
  CHECK(!keeps(RecursiveL{100, 2}, {7, 0}));
}

TEST_CASE("t-closeness, equal: half of what the shares differ by") {
  const Numbers table = {50, 30, 20};
  CHECK(keeps(TCloseness{0.01, Distance::equal}, {5, 3, 2}, table));
  // 0.5, 0.5, 0 against 0.5, 0.3, 0.2: 0.2.
  CHECK(keeps(TCloseness{0.2, Distance::equal}, {5, 5, 0}, table));
  CHECK(!keeps(TCloseness{0.19, Distance::equal}, {5, 5, 0}, table));
  // All of them the rarest: 0.8.
  CHECK(keeps(TCloseness{0.8, Distance::equal}, {0, 0, 1}, table));
  CHECK(!keeps(TCloseness{0.79, Distance::equal}, {0, 0, 1}, table));
}

TEST_CASE("t-closeness, ordered: the example of salaries 3 to 11") {
  // Nine salaries, one each. {3, 4, 5} is 0.375 away, {6, 8, 11} is 0.167 away (Li, Li and Venkatasubramanian
  // 2007).
  const Numbers table(9, 1);
  const Numbers low = {1, 1, 1, 0, 0, 0, 0, 0, 0};
  const Numbers wide = {0, 0, 0, 1, 0, 1, 0, 0, 1};
  CHECK(keeps(TCloseness{0.376, Distance::ordered}, low, table));
  CHECK(!keeps(TCloseness{0.374, Distance::ordered}, low, table));
  CHECK(keeps(TCloseness{0.167, Distance::ordered}, wide, table));
  CHECK(!keeps(TCloseness{0.166, Distance::ordered}, wide, table));
  // The equal distance does not see the difference: 2/3 both.
  for (const Numbers& cohort : {low, wide}) {
    CHECK(keeps(TCloseness{0.667, Distance::equal}, cohort, table));
    CHECK(!keeps(TCloseness{0.666, Distance::equal}, cohort, table));
  }
  CHECK(keeps(TCloseness{0.1, Distance::ordered}, {4}, {9}));  // one value: nothing to learn
}

TEST_CASE("values that only the table's rows without a unit have are no distance") {
  CHECK(keeps(TCloseness{0.5, Distance::ordered}, {1, 0, 0}, {1, 0, 1}));
  CHECK(!keeps(TCloseness{0.49, Distance::ordered}, {1, 0, 0}, {1, 0, 1}));
}

TEST_CASE("a cohort without any value keeps nothing") {
  const Numbers none = {0, 0};
  const Numbers table = {1, 1};
  for (const ConstraintModel& model :
       {ConstraintModel(DistinctL{2}), ConstraintModel(EntropyL{1.1}), ConstraintModel(RecursiveL{1e6, 2}),
        ConstraintModel(TCloseness{0.99})}) {
    CHECK(!holds(model, none, table));
    CHECK(!holds(model, {}, {}));
    CHECK(measured(model, none, table) == "no value");
  }
}

TEST_CASE("what was found is said in the terms of the model") {
  const Numbers cohort = {3, 1, 0};
  const Numbers table = {2, 1, 1};
  CHECK(measured(DistinctL{3}, cohort, table) == "2");
  CHECK(measured(EntropyL{2}, cohort, table) == "log 1.755");
  CHECK(measured(RecursiveL{2, 2}, cohort, table) == "3.000 times");
  CHECK(measured(RecursiveL{2, 3}, cohort, table) == "fewer than 3 values");
  CHECK(measured(TCloseness{0.1}, cohort, table) == "0.250");
  CHECK(requirement(RecursiveL{2.5, 3}) == "the most frequent value below 2.5 times those from the 3. on");
  CHECK(requirement(TCloseness{0.1, Distance::ordered}) ==
        "a distribution within 0.1 of the table's (ordered distance)");
}

TEST_CASE("only distinct can't come back in a part") {
  CHECK(stays_broken(DistinctL{2}));
  CHECK(!stays_broken(EntropyL{2}));
  CHECK(!stays_broken(RecursiveL{2, 2}));
  CHECK(!stays_broken(TCloseness{0.2}));
}

}  // namespace pgveil::policy::testing
