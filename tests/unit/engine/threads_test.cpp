// Threads make no difference: classes, their order and rows, summaries, what is checked and found, are the
// same.
#include "common/workers.hpp"
#include "engine/check/source_grouper.hpp"
#include "random_tables.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

constexpr std::size_t kThreads[] = {2, 3, 8};

// Counts the parts, so that a test knows that it tested something.
struct Divided {
  pgveil::Workers workers{8};
  std::size_t runs = 0;

  Parallel among(std::size_t threads, std::size_t least_rows = 1) {
    return {threads,
            [this](std::size_t parts, const auto& work) {
              ++runs;
              workers.run(parts, work);
            },
            least_rows};
  }
};

std::vector<unsigned> random_levels(const PreparedTable& table, std::mt19937_64& random) {
  std::vector<unsigned> levels;
  for (const auto j : table.given_order)
    levels.push_back(static_cast<unsigned>(random() % (table.attributes[j].height() + 1)));
  return levels;
}

// Groups all rows at random levels, then the classes once more at higher ones, in place, as a roll-up does.
void compare_classes(const RandomTable& random, std::uint64_t seed, Divided& divided) {
  const auto table = value_of(prepare(random.table, random.columns));
  for (const auto threads : kThreads) {
    CAPTURE(threads);
    SourceGrouper one(table.distinct, {}), many(table.distinct, divided.among(threads));
    CodeTables tables(table.distinct, table.attributes);
    Classes expected, classes;
    std::mt19937_64 generator(seed);
    for (int step = 0; step < 24; ++step) {
      CAPTURE(step);
      auto levels =
          step == 0 ? std::vector<unsigned>(random.columns.size()) : random_levels(table, generator);
      tables.set_levels(table.from_given(levels), std::bitset<kMaxAttributes>().set());
      one.group(tables, table.distinct.classes, expected);
      many.group(tables, table.distinct.classes, classes);
      REQUIRE(classes.rows == expected.rows);
      REQUIRE(classes.counts == expected.counts);
      for (std::size_t i = 0; i < levels.size(); ++i)
        levels[i] = std::max(levels[i], static_cast<unsigned>(generator() % 2) *
                                            table.attributes[table.given_order[i]].height());
      tables.set_levels(table.from_given(levels), std::bitset<kMaxAttributes>().set());
      one.group(tables, expected, expected);
      many.group(tables, classes, classes);
      REQUIRE(classes.rows == expected.rows);
      REQUIRE(classes.counts == expected.counts);
    }
  }
}

SearchResult found(const PreparedTable& table, SearchOptions options, const Parallel& parallel) {
  options.parallel = parallel;
  options.record = Switch::on;
  return value_of(search(table, options));
}

void compare_results(const SearchResult& result, const SearchResult& expected) {
  REQUIRE(result.optimum.has_value() == expected.optimum.has_value());
  if (expected.optimum) {
    CHECK(result.optimum->levels == expected.optimum->levels);
    CHECK(result.optimum->score == expected.optimum->score);
    CHECK(result.optimum->summary.entropy == expected.optimum->summary.entropy);
    CHECK(result.optimum->summary.suppressed_rows == expected.optimum->summary.suppressed_rows);
  }
  CHECK(result.counts.checks == expected.counts.checks);
  CHECK(result.counts.roll_ups == expected.counts.roll_ups);
  CHECK(result.counts.snapshot_hits == expected.counts.snapshot_hits);
  CHECK(result.counts.snapshots_stored == expected.counts.snapshots_stored);
  CHECK(result.counts.rows_grouped == expected.counts.rows_grouped);
  REQUIRE(result.checked.size() == expected.checked.size());
  for (std::size_t i = 0; i < expected.checked.size(); ++i) {
    REQUIRE(result.checked[i].levels == expected.checked[i].levels);
    REQUIRE(result.checked[i].is_anonymous == expected.checked[i].is_anonymous);
    REQUIRE(result.checked[i].score == expected.checked[i].score);
  }
}

}  // namespace

TEST_CASE("any number of threads makes the same classes in the same order, of few keys and of many") {
  Divided divided;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    compare_classes(random_table(seed), seed, divided);
  }
  // By place; in windows; by hash; past 64 bits.
  for (const auto& [attributes, values, rows] :
       {std::tuple{2, 5, 3000}, {2, 600, 3000}, {3, 90, 3000}, {8, 20, 1500}, {24, 10, 800}}) {
    CAPTURE(attributes);
    const std::size_t before = divided.runs;
    compare_classes(wide_table(static_cast<std::size_t>(attributes), static_cast<std::size_t>(values),
                               static_cast<std::size_t>(rows)),
                    7, divided);
    CHECK(divided.runs > before);
  }
}

TEST_CASE("any number of threads checks and finds the same, with every metric and optimization") {
  Divided divided;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto random = seed % 10 == 0 ? wide_table(2 + seed / 20, 12, 300) : random_table(seed);
    const auto table = value_of(prepare(random.table, random.columns));
    SearchOptions options;
    options.anonymity = {std::min<std::uint64_t>(table.rows, 1 + seed % 4), table.rows * (seed % 3) / 4};
    options.quality.metric = static_cast<Metric>(seed % kMetrics);
    options.algorithm = static_cast<Algorithm>(seed % kAlgorithms);
    options.pruning = seed % 4 == 0 ? Pruning::none : Pruning::bounds;
    options.optimizations = {static_cast<Switch>(seed & 1), static_cast<Switch>(seed >> 1 & 1),
                             static_cast<Switch>(seed >> 2 & 1)};
    options.history.bytes = std::size_t{1} << (6 + seed % 10);
    const auto expected = found(table, options, {});
    for (const auto threads : kThreads) {
      CAPTURE(threads);
      compare_results(found(table, options, divided.among(threads)), expected);
    }
  }
  CHECK(divided.runs > 1000);
}

TEST_CASE(
    "any number of threads searches the same groups of a large lattice, and is stopped at the same place") {
  Divided divided;
  const auto random = wide_table(12, 6, 200);  // 2^24 transformations
  const auto table = value_of(prepare(random.table, random.columns));
  SearchOptions options;
  options.anonymity = {3, 10};
  for (const auto algorithm : {Algorithm::best_first, Algorithm::flash}) {
    CAPTURE(name(algorithm));
    options.algorithm = algorithm;
    const auto stopped = [&](const Parallel& parallel) {
      std::uint64_t checks = 0;
      options.progress = [&](const Progress& progress) { checks = progress.checks; };
      options.stop = [&] { return checks >= 3'000; };
      return found(table, options, parallel);
    };
    const auto expected = stopped({});
    const auto result = stopped(divided.among(2));
    compare_results(result, expected);
    CHECK(result.lower_bound == expected.lower_bound);
  }
  CHECK(divided.runs > 0);
}

TEST_CASE(
    "a round of checks gives what they give one after the other, and the same snapshots for any threads") {
  Divided divided;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const auto random = wide_table(3, 12, 300);
    const auto table = value_of(prepare(random.table, random.columns));
    std::optional<CheckCounts> expected;
    for (const std::size_t threads : {1, 2, 8}) {
      CAPTURE(threads);
      std::mt19937_64 generator(seed);
      CheckerOptions options;
      options.anonymity = {2 + seed % 3, 60};
      options.sums = SuppressedSums::domain_rows;
      options.history = {
          .share_of_rows = 1, .share_of_source = 0.9, .bytes = std::size_t{1} << (8 + seed % 8)};
      Checker alone(table, options);
      options.parallel = divided.among(threads);
      Checker rounds(table, options);
      for (int round = 0; round < 6; ++round) {
        std::vector<Transformation> targets;
        for (std::size_t i = 0; i < 1 + generator() % 9; ++i)
          targets.push_back(table.from_given(random_levels(table, generator)));
        rounds.check_round(targets);
        for (std::size_t i = 0; i < targets.size(); ++i) {
          const auto summary = alone.check(targets[i]);
          REQUIRE(rounds.summary_of(i).classes == summary.classes);
          REQUIRE(rounds.summary_of(i).squares == summary.squares);
          REQUIRE(rounds.summary_of(i).suppressed_domain_rows == summary.suppressed_domain_rows);
          rounds.keep_snapshot_of(i, [](const Transformation&) { return false; });
        }
        REQUIRE(rounds.check(targets.front()).squares == alone.check(targets.front()).squares);
      }
      if (!expected) expected = rounds.counts();
      CHECK(rounds.counts().snapshots_stored == expected->snapshots_stored);
      CHECK(rounds.counts().snapshot_hits == expected->snapshot_hits);
      CHECK(rounds.counts().rows_grouped == expected->rows_grouped);
    }
  }
}

TEST_CASE("a table that is too small for two threads is not divided") {
  Divided divided;
  const auto random = wide_table(2, 30, 300);
  const auto table = value_of(prepare(random.table, random.columns));
  SearchOptions options;
  static_cast<void>(found(table, options, divided.among(8, table.distinct.size() / 2 + 1)));
  CHECK(divided.runs == 0);
  static_cast<void>(found(table, options, divided.among(8, table.distinct.size() / 2)));
  CHECK(divided.runs > 0);
}
