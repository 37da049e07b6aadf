#include <algorithm>
#include <random>

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
  Antichain minimal(Antichain::Keep::minimal, 2);
  CHECK_FALSE(minimal.covers(at({2, 2})));
  minimal.add(at({2, 2}));
  minimal.add(at({1, 3}));
  minimal.add(at({3, 3}));
  CHECK(minimal.members() == std::vector{at({1, 3}), at({2, 2})});
  CHECK(minimal.covers(at({2, 3})));
  CHECK_FALSE(minimal.covers(at({1, 2})));
  minimal.add(at({1, 1}));
  CHECK(minimal.members() == std::vector{at({1, 1})});
  Antichain maximal(Antichain::Keep::maximal, 2);
  maximal.add(at({1, 1}));
  maximal.add(at({0, 2}));
  maximal.add(at({1, 2}));
  CHECK(maximal.members() == std::vector{at({1, 2})});
  CHECK(maximal.covers(at({0, 0})));
  CHECK_FALSE(maximal.covers(at({2, 0})));
}

TEST_CASE("the paper's example of a prefix tree") {
  Antichain tree(Antichain::Keep::minimal, 3);
  for (const auto& levels : {at({1, 1, 1}), at({1, 3, 0}), at({3, 2, 0})}) tree.add(levels);
  CHECK(tree.size() == 3);
  CHECK(tree.covers(at({1, 2, 2})));
  CHECK_FALSE(tree.covers(at({2, 2, 0})));
  CHECK_FALSE(tree.covers(at({1, 0, 5})));
}

TEST_CASE("an antichain answers as a plain list does, whatever was added and asked before") {
  struct Shape {
    std::size_t attributes;
    unsigned height;
    int steps;
  };
  for (const auto keep : {Antichain::Keep::minimal, Antichain::Keep::maximal}) {
    for (const auto& [attributes, height, steps] : {Shape{1, 9, 30},
                                                    {2, 5, 100},
                                                    {4, 3, 600},
                                                    {9, 4, 1200},
                                                    {15, 2, 1200},
                                                    {32, kMaxHeight + 1, 300}}) {
      CAPTURE(attributes);
      std::mt19937_64 random(attributes * 100 + height);
      Antichain tree(keep, attributes);
      std::vector<Transformation> added;
      // With levels near the middle, or almost none would be incomparable.
      const auto drawn = [&, attributes = attributes, height = height] {
        Transformation made;
        for (std::size_t j = 0; j < attributes; ++j)
          made.set_level(j, static_cast<unsigned>(random() % (height + 1) + random() % (height + 1)) / 2);
        return made;
      };
      const auto is_above = [keep](const Transformation& one, const Transformation& other) {
        return keep == Antichain::Keep::minimal ? generalizes(one, other) : generalizes(other, one);
      };
      for (int step = 0; step < steps; ++step) {
        const auto one = drawn();
        const bool is_covered =
            std::ranges::any_of(added, [&](const auto& member) { return is_above(one, member); });
        REQUIRE(tree.covers(one) == is_covered);
        if (step % 3 == 0) continue;
        tree.add(one);
        if (!is_covered) std::erase_if(added, [&](const auto& member) { return is_above(member, one); });
        if (!is_covered) added.push_back(one);
        REQUIRE(tree.size() == added.size());
      }
      std::ranges::sort(added);
      auto members = tree.members();
      std::ranges::sort(members);
      CHECK(members == added);
    }
  }
}

TEST_CASE("the traversal order goes by level, mean level, distinct values, then names") {
  const std::vector<std::vector<std::uint32_t>> distinct = {{4, 2, 1}, {2, 1}, {4, 4, 1}};
  const PriorityOrder order(distinct);
  std::vector<Transformation> nodes = {at({0, 1, 0}), at({1, 0, 0}), at({0, 0, 1}), at({0, 0, 0}),
                                       at({2, 0, 0})};
  order.sort(nodes);
  // (0,0,1) and (1,0,0) have the same mean level; level 1 of the third keeps all its values, so it comes
  // first.
  CHECK(nodes == std::vector{at({0, 0, 0}), at({0, 0, 1}), at({1, 0, 0}), at({0, 1, 0}), at({2, 0, 0})});
}
