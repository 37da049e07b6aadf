// Random small tables: checks equal a count by definition, all algorithms agree with brute force, and the
// order of the columns makes no difference. Seeds are fixed; a failure names its seed.
#include <algorithm>

#include "engine/search/group_bound.hpp"
#include "random_sensitive.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

constexpr Algorithm kTried[] = {Algorithm::flash,       Algorithm::ola,           Algorithm::incognito,
                                Algorithm::depth_first, Algorithm::breadth_first, Algorithm::best_first};
constexpr Aggregate kAggregates[] = {Aggregate::sum, Aggregate::arithmetic_mean, Aggregate::geometric_mean,
                                     Aggregate::maximum, Aggregate::rank};

SearchOptions random_options(std::mt19937_64& random, const PreparedTable& table) {
  SearchOptions options;
  options.anonymity.k = 1 + random() % std::min<std::uint64_t>(4, table.rows);
  options.anonymity.suppression_limit = random() % 3 == 0 ? 0 : random() % (table.rows / 2 + 1);
  options.quality.metric = static_cast<Metric>(random() % kMetrics);
  if (random() % 2 == 0) options.quality.aggregate = kAggregates[random() % std::size(kAggregates)];
  options.quality.gs = static_cast<double>(random() % 5) / 4;
  if (random() % 2 == 0) {
    for (std::size_t j = 0; j < table.attributes.size(); ++j) {
      options.quality.weights.push_back(1 + static_cast<double>(random() % 4));
    }
  }
  return options;
}

std::string text_of(const SearchResult& result) {
  if (!result.optimum) return "none";
  std::string text;
  for (const auto level : result.optimum->levels) text += fmt::format("{},", level);
  for (std::size_t i = 0; i < result.optimum->score.size; ++i)
    text += fmt::format(" {}", result.optimum->score.parts[i]);
  return text;
}

}  // namespace

TEST_CASE("every check equals a count by definition, whatever it started from") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto random = random_table(seed);
    const auto table = value_of(prepare(random.table, random.columns));
    std::mt19937_64 generator(seed);
    CheckerOptions options;
    options.anonymity = {1 + generator() % 4, generator() % 5};
    options.optimizations = {static_cast<Switch>(seed & 1), static_cast<Switch>(seed >> 1 & 1),
                             static_cast<Switch>(seed >> 2 & 1)};
    options.history = {
        .share_of_rows = 1, .share_of_source = 1, .bytes = std::size_t{1} << (4 + generator() % 10)};
    Checker checker(table, options);
    for (int step = 0; step < 30; ++step) {
      std::vector<unsigned> levels;
      for (std::size_t i = 0; i < random.columns.size(); ++i) {
        levels.push_back(
            static_cast<unsigned>(generator() % random.columns[i].hierarchy.rows.front().size()));
      }
      const auto summary = checker.check(table.from_given(levels));
      checker.keep_snapshot([](const Transformation&) { return false; });
      const auto classes = naive_classes(random, levels);
      std::uint64_t squares = 0, suppressed = 0, smallest = UINT64_MAX;
      for (const auto& [values, count] : classes) {
        squares += count * count;
        smallest = std::min(smallest, count);
        if (count < options.anonymity.k) suppressed += count;
      }
      REQUIRE(summary.classes == classes.size());
      REQUIRE(summary.squares == squares);
      REQUIRE(summary.smallest_class == smallest);
      REQUIRE(summary.suppressed_rows == suppressed);
      REQUIRE(summary.is_anonymous == (suppressed <= options.anonymity.suppression_limit));
    }
  }
}

TEST_CASE("all algorithms find what brute force finds, with every metric, pruned or not") {
  std::uint64_t found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    const auto random = random_table(seed);
    const auto table = value_of(prepare(random.table, random.columns));
    std::mt19937_64 generator(seed);
    auto options = random_options(generator, table);
    CAPTURE(name(options.quality.metric));
    options.algorithm = Algorithm::brute_force;
    options.optimizations = {Switch::off, Switch::off, Switch::off};
    const auto expected = value_of(search(table, options));
    CHECK(expected.counts.checks == expected.transformations);
    if (expected.optimum) ++found;
    for (const auto algorithm : kTried) {
      CAPTURE(name(algorithm));
      for (const auto pruning : {Pruning::none, Pruning::bounds}) {
        options.algorithm = algorithm;
        options.pruning = pruning;
        options.optimizations = {static_cast<Switch>(seed & 1), static_cast<Switch>(seed >> 1 & 1),
                                 static_cast<Switch>(seed >> 2 & 1)};
        options.history.bytes = std::size_t{1} << (6 + seed % 10);
        const auto result = value_of(search(table, options));
        REQUIRE(text_of(result) == text_of(expected));
        CHECK(result.is_proven);
        if (algorithm != Algorithm::incognito) CHECK(result.counts.checks <= expected.counts.checks);
      }
    }
  }
  CHECK(found > 200);
}

TEST_CASE("heuristics find something anonymous wherever there is something, and claim no proof") {
  std::uint64_t found = 0, best = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const auto random = random_table(seed);
    const auto table = value_of(prepare(random.table, random.columns));
    std::mt19937_64 generator(seed);
    auto options = random_options(generator, table);
    options.algorithm = Algorithm::brute_force;
    const auto expected = value_of(search(table, options));
    for (std::size_t i = 0; i < pgveil::engine::kAlgorithms; ++i) {
      options.algorithm = static_cast<Algorithm>(i);
      if (!is_heuristic(options.algorithm)) continue;
      CAPTURE(name(options.algorithm));
      const auto result = value_of(search(table, options));
      CHECK_FALSE(result.is_proven);
      REQUIRE(result.optimum.has_value() == expected.optimum.has_value());
      if (!result.optimum) continue;
      const double least = expected.optimum->score.value();
      CHECK(result.optimum->score.value() >= least);
      REQUIRE(result.lower_bound);
      CHECK(*result.lower_bound <= least + 1e-9 * std::abs(least));
      if (options.algorithm != Algorithm::beam) continue;
      ++found;
      best += result.optimum->score == expected.optimum->score ? 1 : 0;
    }
  }
  CHECK(found > 100);
  CHECK(best * 100 > found * 99);
}

TEST_CASE("a lattice that is too large for a proof: exchanges of levels find what the beam alone misses") {
  // One attribute per column of a drawn table, with intervals of 2, 4, 8 and 16: 5^12 transformations.
  std::mt19937_64 generator(11);
  constexpr std::size_t kColumns = 12;
  std::string rows, names;
  for (std::size_t j = 0; j < kColumns; ++j) names += (j == 0 ? "c" : ";c") + std::to_string(j);
  for (int row = 0; row < 400; ++row) {
    const std::uint64_t shared = generator() % 8;
    for (std::size_t j = 0; j < kColumns; ++j)
      rows += (j == 0 ? "" : ";") + std::to_string(shared * (j % 3 + 1) + generator() % (j + 2));
    rows += "\n";
  }
  const auto read = value_of(read_table(names + "\n" + rows, ';'));
  std::vector<QuasiIdentifier> columns;
  for (const auto& column : read.columns) {
    Hierarchy hierarchy;
    for (const auto& value : column.values) {
      auto& levels = hierarchy.rows.emplace_back();
      levels.push_back(value);
      for (const int width : {2, 4, 8}) levels.push_back(std::to_string(std::stoi(value) / width));
      levels.emplace_back("*");
    }
    columns.push_back({column.name, hierarchy});
  }
  const auto table = value_of(prepare(read, columns));
  SearchOptions options;
  options.anonymity = {.k = 5, .suppression_limit = 20};
  const auto with = [&](Algorithm algorithm, std::uint64_t checks) {
    options.algorithm = algorithm;
    std::uint64_t left = checks;
    options.stop = [&] { return left-- == 0; };
    return value_of(search(table, options));
  };
  const auto beam = with(Algorithm::beam, 1'000'000);
  const auto again = with(Algorithm::beam, 1'000'000);
  const auto flash = with(Algorithm::flash, beam.counts.checks * 2);
  const auto best_first = with(Algorithm::best_first, beam.counts.checks * 2);
  REQUIRE(beam.optimum);
  REQUIRE(best_first.optimum);
  CHECK(beam.optimum->score == again.optimum->score);
  CHECK(beam.counts.checks == again.counts.checks);
  CHECK(best_first.optimum->score.value() <= beam.optimum->score.value());
  if (flash.optimum) CHECK(beam.optimum->score.value() <= flash.optimum->score.value());
}

TEST_CASE("bounds of a check hold for every anonymous generalization and specialization") {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    const auto random = random_table(seed);
    const auto table = value_of(prepare(random.table, random.columns));
    std::mt19937_64 generator(seed);
    const auto options = random_options(generator, table);
    CAPTURE(name(options.quality.metric));
    const Quality quality(table, options.quality, options.anonymity.suppression_limit);
    Checker checker(table, {options.anonymity, quality.sums(), quality.entropy_start(), {}, {}});
    std::vector<std::pair<Transformation, Summary>> all;
    for (unsigned sum = 0; sum <= table.lattice.top.level_sum(); ++sum) {
      LevelWalk walk(table.lattice.bottom, table.lattice.top, table.lattice.attributes, sum);
      while (walk.next()) all.emplace_back(walk.current(), checker.check(walk.current()));
    }
    for (const auto& [general, above] : all) {
      for (const auto& [special, below] : all) {
        if (!generalizes(general, special)) continue;
        const auto over = quality.bound_of_generalizations(special, below, options.anonymity.k);
        const auto under = quality.bound_of_specializations(above, options.anonymity.k);
        if (over && above.is_anonymous) REQUIRE(*over <= quality.score(general, above).value());
        if (under && below.is_anonymous) REQUIRE(*under <= quality.score(special, below).value());
        if (above.is_anonymous) REQUIRE(quality.bound(special) <= quality.score(general, above));
        ++compared;
      }
    }
  }
  CHECK(compared > 10000);
}

TEST_CASE("permuted columns give the same optimum and the same checks") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    auto random = random_table(seed);
    std::mt19937_64 generator(seed);
    const auto table = value_of(prepare(random.table, random.columns));
    auto options = random_options(generator, table);
    options.quality.weights.clear();
    options.record = Switch::on;
    const auto by_name = [&](const std::vector<unsigned>& levels) {
      std::map<std::string, unsigned> named;
      for (std::size_t i = 0; i < levels.size(); ++i) named[random.columns[i].column] = levels[i];
      return named;
    };
    for (const auto algorithm : kTried) {
      CAPTURE(name(algorithm));
      options.algorithm = algorithm;
      std::ranges::sort(random.columns, {}, &QuasiIdentifier::column);
      const auto first = value_of(search(value_of(prepare(random.table, random.columns)), options));
      std::vector<std::map<std::string, unsigned>> checked;
      for (const auto& check : first.checked) checked.push_back(by_name(check.levels));
      const auto optimum = first.optimum ? by_name(first.optimum->levels) : std::map<std::string, unsigned>();

      std::ranges::shuffle(random.columns, generator);
      const auto second = value_of(search(value_of(prepare(random.table, random.columns)), options));
      REQUIRE(second.checked.size() == checked.size());
      for (std::size_t i = 0; i < checked.size(); ++i)
        REQUIRE(by_name(second.checked[i].levels) == checked[i]);
      REQUIRE(second.optimum.has_value() == first.optimum.has_value());
      if (second.optimum) CHECK(by_name(second.optimum->levels) == optimum);
    }
  }
}

TEST_CASE("the share of what is decided rises to all of it, whatever the metric and the algorithm") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto random =
        seed % 10 == 0 ? wide_table(7, 12, 200) : random_table(seed);  // 16,384 transformations
    const auto table = value_of(prepare(random.table, random.columns));
    SearchOptions options;
    options.anonymity = {std::min<std::uint64_t>(table.rows, 2), table.rows * (seed % 3) / 4};
    options.quality.metric = static_cast<Metric>(seed % kMetrics);
    options.algorithm = seed % 10 == 0 ? Algorithm::flash : static_cast<Algorithm>(seed % 7);
    double last = 0;
    options.progress = [&](const Progress& progress) {
      const double share = progress.decided_share();
      REQUIRE(share >= last);
      last = share;
    };
    static_cast<void>(value_of(search(table, options)));
    CHECK(last == 1);
  }
}

TEST_CASE("a stopped search gives a bound that no score falls below, and that never falls") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto random = random_table(seed);
    const auto table = value_of(prepare(random.table, random.columns));
    SearchOptions options;
    options.anonymity = {std::min<std::uint64_t>(table.rows, 2), table.rows * (seed % 3) / 4};
    options.quality.metric = static_cast<Metric>(seed % kMetrics);
    options.algorithm = static_cast<Algorithm>(seed % 7);
    const auto proven = value_of(search(table, options));
    REQUIRE(proven.lower_bound.has_value() == proven.optimum.has_value());
    if (!proven.optimum) continue;
    const double best = proven.optimum->score.value();
    CHECK(proven.lower_bound == best);
    double last = -std::numeric_limits<double>::infinity();
    for (std::uint64_t limit = 0; limit < proven.counts.checks; ++limit) {
      std::uint64_t checks = 0;
      options.progress = [&](const Progress& progress) { checks = progress.checks; };
      options.stop = [&] { return checks == limit; };
      const auto stopped = value_of(search(table, options));
      REQUIRE(stopped.lower_bound.has_value());
      CHECK(*stopped.lower_bound <= best + 1e-9 * std::abs(best));
      CHECK(*stopped.lower_bound >= last - 1e-9 * std::abs(best));
      last = *stopped.lower_bound;
    }
  }
}

TEST_CASE("searches of groups of attributes bound the score of every anonymous transformation") {
  std::uint64_t compared = 0, raised = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    const auto random = sensitive_table(seed);
    const auto table = value_of(prepare(random.random.table, random.random.columns, random.privacy));
    std::mt19937_64 generator(seed);
    auto options = random_options(generator, table);
    if (seed % 2 == 0) options.anonymity.sensitive = {{0, DistinctDiversity{2}}};
    if (seed % 5 == 0) options.anonymity.risks = {HighestRisk{0.4}};
    if (seed % 5 == 1) options.anonymity.risks = {AverageRisk{0.4}};
    if (seed % 7 == 0) options.anonymity.sensitive = {{0, random_model(generator)}};
    CAPTURE(name(options.quality.metric));
    options.algorithm = Algorithm::brute_force;
    const auto expected = value_of(search(table, options));
    if (!expected.optimum) continue;
    const double best = expected.optimum->score.value();
    const Quality quality(table, options.quality, options.anonymity.suppression_limit);
    const double at_bottom = quality.bound(table.lattice.bottom).value();
    const bool has_bound = quality.is_combined() && suppressed_stay_suppressed(options.anonymity);
    for (std::size_t groups = 1; groups <= table.attributes.size(); ++groups) {
      CAPTURE(groups);
      options.pruning = Pruning::bounds;
      std::uint64_t reported = 0;
      options.progress = [&](const Progress& progress) { reported = progress.checks; };
      Explorer explorer(table, table.lattice, quality, options);
      raise_bound_by_groups(explorer, groups);
      explorer.give_up_proof();
      const auto result = std::move(explorer).result();
      REQUIRE(result.lower_bound);
      REQUIRE(*result.lower_bound <= best);
      CHECK(result.counts.checks == reported);
      if (!has_bound) CHECK(result.counts.checks == 0);
      if (has_bound && groups == 1) CHECK(*result.lower_bound >= best - 2e-8 * (1 + best));
      ++compared;
      raised += groups > 1 && *result.lower_bound > at_bottom + 1e-6 ? 1 : 0;
    }
  }
  CHECK(compared > 400);
  CHECK(raised > 40);
}

TEST_CASE("records that two groups suppress are the same ones: their costs are not added up") {
  // The last record differs in both columns. Each column alone, and both together, suppress this one record.
  std::string rows = "a;b\n";
  for (int i = 0; i < 9; ++i) rows += "x;x\n";
  rows += "y;y\n";
  const auto read = value_of(read_table(rows, ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("a", "x;*\ny;*\n"),
                                                quasi_identifier("b", "x;*\ny;*\n")};
  const auto table = value_of(prepare(read, columns));
  SearchOptions options;
  options.anonymity = {.k = 2, .suppression_limit = 1};
  options.algorithm = Algorithm::brute_force;
  const auto expected = value_of(search(table, options));
  REQUIRE(expected.optimum);
  CHECK(expected.optimum->summary.suppressed_rows == 1);
  const Quality quality(table, options.quality, 1);
  Explorer explorer(table, table.lattice, quality, options);
  raise_bound_by_groups(explorer, 2);
  explorer.give_up_proof();
  const double bound = std::move(explorer).result().lower_bound.value();
  CHECK(bound <= expected.optimum->score.value());
  CHECK(bound == doctest::Approx(expected.optimum->score.value()).epsilon(1e-6));
}

TEST_CASE("a large lattice: the lower bound of a stopped search says something, whatever the algorithm") {
  const auto random = wide_table(12, 6, 60);  // 2^24 transformations
  const auto table = value_of(prepare(random.table, random.columns));
  SearchOptions options;
  options.anonymity = {.k = 3, .suppression_limit = 3};
  const Quality quality(table, options.quality, 3);
  const double at_bottom = quality.bound(table.lattice.bottom).value();
  const auto stopped_after = [&](Algorithm algorithm, std::uint64_t checks) {
    options.algorithm = algorithm;
    std::uint64_t done = 0;
    double last = -1;
    options.progress = [&](const Progress& progress) {
      CHECK(progress.checks == done + 1);
      done = progress.checks;
      if (progress.lower_bound) CHECK(*progress.lower_bound >= last);
      last = progress.lower_bound.value_or(last);
    };
    options.stop = [&] { return done >= checks; };
    auto result = value_of(search(table, options));
    CHECK(result.counts.checks == done);
    return result;
  };
  const auto beam = stopped_after(Algorithm::beam, UINT64_MAX);
  REQUIRE(beam.optimum);
  const double best = beam.optimum->score.value();
  CHECK(*beam.lower_bound > at_bottom + best / 4);
  for (const auto algorithm : {Algorithm::best_first, Algorithm::flash}) {
    CAPTURE(name(algorithm));
    for (const std::uint64_t checks : {0, 100, 6'000}) {
      CAPTURE(checks);
      const auto result = stopped_after(algorithm, checks);
      REQUIRE(result.lower_bound);
      CHECK(*result.lower_bound <= best);
      CHECK(result.optimum.has_value() == (checks > 0));
      if (checks == 6'000) CHECK(*result.lower_bound > at_bottom + best / 4);
    }
  }
}
