#include <algorithm>

#include "engine/lattice/antichain.hpp"
#include "engine/lattice/lattice.hpp"
#include "tables.hpp"

using namespace pgveil::engine;

namespace {

Transformation at(std::vector<unsigned> levels) {
  Transformation made;
  for (std::size_t j = 0; j < levels.size(); ++j) made.set_level(j, levels[j]);
  return made;
}

}  // namespace

TEST_CASE("generalizes compares each level, in every byte of every word") {
  for (std::size_t j = 0; j < kMaxAttributes; ++j) {
    CAPTURE(j);
    Transformation low, high;
    for (std::size_t i = 0; i < kMaxAttributes; ++i) {
      low.set_level(i, 3);
      high.set_level(i, kMaxHeight + 1);
    }
    CHECK(generalizes(high, low));
    CHECK_FALSE(generalizes(low, high));
    CHECK(generalizes(low, low));
    CHECK_FALSE(generalizes(high.with_level(j, 2), low));
    CHECK(generalizes(high.with_level(j, 3), low));
    CHECK(low.with_level(j, 4) > low);
    CHECK(low.with_level(j, 9).level(j) == 9);
  }
  CHECK(at({0, 2}) < at({1, 0}));
  CHECK(at({1, 2, 3}).level_sum() == 6);
}

TEST_CASE("walking all levels meets every transformation once, in order") {
  const auto bottom = at({1, 0, 0, 0});
  const auto top = at({2, 0, 3, 1});
  const Lattice lattice{bottom, top, {}, 4};
  std::vector<Transformation> met;
  for (unsigned sum = 0; sum <= 8; ++sum) {
    LevelWalk walk(bottom, top, 4, sum);
    std::vector<Transformation> level;
    while (walk.next()) {
      CHECK(walk.current().level_sum() == sum);
      CHECK(contains(lattice, walk.current()));
      level.push_back(walk.current());
    }
    CHECK(std::ranges::is_sorted(level));
    met.insert(met.end(), level.begin(), level.end());
  }
  CHECK(met.size() == 16);
  CHECK(transformation_count(lattice) == 16);
  std::ranges::sort(met);
  CHECK(std::ranges::adjacent_find(met) == met.end());
}

TEST_CASE("the size of a lattice past 64 bits is not a number") {
  Lattice lattice;
  lattice.attributes = kMaxAttributes;
  for (std::size_t j = 0; j < kMaxAttributes; ++j) lattice.top.set_level(j, 3);
  CHECK(transformation_count(lattice) == std::nullopt);  // 4^32 = 2^64
  lattice.top.set_level(0, 2);
  CHECK(transformation_count(lattice) == std::uint64_t{3} << 62);
}

TEST_CASE("an antichain keeps only minimal or only maximal members") {
  Antichain minimal(Antichain::Keep::minimal);
  minimal.add(at({2, 2}));
  minimal.add(at({1, 3}));
  minimal.add(at({3, 3}));
  CHECK(minimal.members().size() == 2);
  CHECK(minimal.covers(at({2, 3})));
  CHECK_FALSE(minimal.covers(at({1, 2})));
  minimal.add(at({1, 1}));
  CHECK(minimal.members().size() == 1);
  Antichain maximal(Antichain::Keep::maximal);
  maximal.add(at({1, 1}));
  maximal.add(at({0, 2}));
  maximal.add(at({1, 2}));
  CHECK(maximal.members().size() == 1);
  CHECK(maximal.covers(at({0, 0})));
  CHECK_FALSE(maximal.covers(at({2, 0})));
}

TEST_CASE("the traversal order goes by level, mean level, distinct values, then names") {
  const std::vector<std::vector<std::uint32_t>> distinct = {{4, 2, 1}, {2, 1}, {4, 4, 1}};
  const PriorityOrder order(distinct);
  std::vector<Transformation> nodes = {at({0, 1, 0}), at({1, 0, 0}), at({0, 0, 1}), at({0, 0, 0}),
                                       at({2, 0, 0})};
  order.sort(nodes);
  // (0,0,1) and (1,0,0) have the same mean level; level 1 of the third keeps all its values, so it comes first.
  CHECK(nodes == std::vector{at({0, 0, 0}), at({0, 0, 1}), at({1, 0, 0}), at({0, 1, 0}), at({2, 0, 0})});
}
