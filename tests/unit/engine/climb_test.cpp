// The estimate learns what it is told, and a climb ends at a transformation that is worth a check.
#include "engine/search/climb.hpp"

#include "random_tables.hpp"

namespace pgveil::engine::climb_test {

using namespace pgveil::engine::test;

namespace {

Lattice lattice_of(std::size_t attributes, unsigned height) {
  Lattice made;
  made.attributes = attributes;
  for (std::size_t j = 0; j < attributes; ++j) {
    made.top.set_level(j, height);
    made.dropped.set_level(j, height + 1);
  }
  return made;
}

Transformation random_member(const Lattice& lattice, std::mt19937_64& random) {
  Transformation made = lattice.bottom;
  for (std::size_t j = 0; j < lattice.attributes; ++j) {
    const unsigned levels = lattice.top.level(j) - lattice.bottom.level(j) + 1;
    made.set_level(j, lattice.bottom.level(j) + static_cast<unsigned>(random() % levels));
  }
  return made;
}

SearchOptions options_of_five() {
  SearchOptions made;
  made.anonymity = {.k = 5, .suppression_limit = 30};
  return made;
}

struct Problem {
  RandomTable random;
  PreparedTable table;
  SearchOptions options;
  Quality quality;

  explicit Problem(std::size_t attributes, std::size_t values = 12, std::size_t rows = 600)
      : random(wide_table(attributes, values, rows)),
        table(value_of(prepare(random.table, random.columns))),
        options(options_of_five()),
        quality(table, options.quality, options.anonymity.suppression_limit) {}
};

}  // namespace

TEST_CASE("an estimate learns a function that is additive in the levels") {
  const Lattice lattice = lattice_of(5, 3);
  const std::vector<std::vector<std::uint32_t>> distinct(5, {100, 20, 5, 1});
  SuppressionEstimate estimate(lattice, distinct, 99);
  for (unsigned level = 0; level < 3; ++level) CHECK(estimate.change(2, level) < 0);  // by the values alone
  std::mt19937_64 random(1);
  const auto suppressed = [](const Transformation& at) {
    double logarithm = 9;
    for (std::size_t j = 0; j < 5; ++j) logarithm -= at.level(j) * 0.3 * static_cast<double>(j);
    return static_cast<std::uint64_t>(std::exp(logarithm) * 100);
  };
  for (int i = 0; i < 400; ++i) {
    const auto at = random_member(lattice, random);
    estimate.learn(at, suppressed(at));
  }
  for (int i = 0; i < 100; ++i) {
    const auto at = random_member(lattice, random);
    CHECK(estimate.of(at) ==
          doctest::Approx(std::log((static_cast<double>(suppressed(at)) + 1) / 100)).epsilon(0.1));
  }
  CHECK(estimate.change(4, 1) == doctest::Approx(-1.2).epsilon(0.1));
  CHECK(std::abs(estimate.change(0, 1)) < 0.1);
}

TEST_CASE("an estimate over the largest lattice stays small, because neighbouring levels share a weight") {
  const Lattice lattice = lattice_of(kMaxAttributes, kMaxHeight);
  std::vector<std::uint32_t> values;
  for (unsigned level = 0; level <= kMaxHeight; ++level) values.push_back(1000 - 7 * level);
  const std::vector<std::vector<std::uint32_t>> distinct(kMaxAttributes, values);
  SuppressionEstimate estimate(lattice, distinct, 0);
  CHECK(estimate.bytes() < 200'000);
  std::mt19937_64 random(2);
  for (int i = 0; i < 50; ++i) estimate.learn(random_member(lattice, random), random() % 1000);
  CHECK(std::isfinite(estimate.of(lattice.bottom)));
  CHECK(std::isfinite(estimate.of(lattice.top)));
}

TEST_CASE("the target of a climb is open, and sinks to the lowest member with each failure") {
  Problem problem(5);
  const Lattice& lattice = problem.table.lattice;
  Explorer explorer(problem.table, lattice, problem.quality, problem.options);
  REQUIRE(Climb::is_possible(explorer));
  Climb climb(explorer);
  std::size_t checks = 0, higher = 0;
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const auto low = random_member(lattice, random);
    if (explorer.is_settled(low) || explorer.is_tagged_anonymous(low)) continue;
    CHECK(climb.target(low, lattice.top, 100) == low);
    const auto target = climb.target(low, lattice.top, 0);
    CHECK(generalizes(target, low));
    CHECK(generalizes(lattice.top, target));
    CHECK_FALSE(explorer.is_known(target));
    higher += target != low ? 1 : 0;
    ++checks;
    explorer.check_round(std::vector{target}, [&](std::size_t, const Summary& summary, bool is_anonymous) {
      climb.learn(target, summary);
      is_anonymous ? climb.failed() : climb.succeeded();
    });
    CHECK(explorer.is_known(target));
  }
  CHECK(checks > 20);
  CHECK(higher * 2 > checks);
}

TEST_CASE("climbs prove the optimum that Flash finds, with fewer checks") {
  Problem problem(8, 6);
  const auto with = [&](Algorithm algorithm) {
    problem.options.algorithm = algorithm;
    return value_of(search(problem.table, problem.options));
  };
  const auto climbing = with(Algorithm::best_first);
  const auto flash = with(Algorithm::flash);
  REQUIRE(climbing.is_proven);
  REQUIRE(flash.is_proven);
  CHECK(climbing.optimum->levels == flash.optimum->levels);
  CHECK(climbing.counts.checks < flash.counts.checks);
}

}  // namespace pgveil::engine::climb_test
