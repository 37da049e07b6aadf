// The private choice of a transformation: its noise, its score, and that it is private, each against its
// definition. Draws are seeded, so the tests that count them always count the same.
#include "engine/search/private_choice.hpp"

#include <cmath>

#include "engine/privacy/differential_privacy.hpp"
#include "engine/privacy/expected_records.hpp"
#include "engine/privacy/geometric_noise.hpp"
#include "random_tables.hpp"

namespace pgveil::engine::private_choice_test {

using namespace pgveil::engine::test;

namespace {

// P(B(n) = j), by products.
double chance(std::uint64_t n, std::uint64_t j, double rate) {
  double made = 1;
  for (std::uint64_t i = 0; i < j; ++i)
    made *= static_cast<double>(n - i) / static_cast<double>(j - i) * rate;
  for (std::uint64_t i = j; i < n; ++i) made *= 1 - rate;
  return made;
}

// n records of one value, which the only level above hides.
PreparedTable one_value(std::uint64_t records) {
  std::string text = "a\n";
  for (std::uint64_t i = 0; i < records; ++i) text += "v\n";
  const std::vector<QuasiIdentifier> columns{quasi_identifier("a", "v;*\n")};
  return value_of(prepare(value_of(read_table(text, ';')), columns));
}

}  // namespace

TEST_CASE("noise is as likely as its formula says") {
  const struct { std::uint64_t numerator, denominator; } cases[] = {{1, 1}, {3, 7}, {1, 40}, {5, 2}};
  constexpr int kDraws = 6'000;
  for (const auto& [numerator, denominator] : cases) {
    CAPTURE(numerator);
    SecretDraws draws("noise");
    std::map<std::uint64_t, int> drawn;
    for (int i = 0; i < kDraws; ++i) ++drawn[geometric_noise(numerator, denominator, draws)];
    for (std::uint64_t x = 0; x < 2 * denominator; x += 1 + denominator / 5) {
      CAPTURE(x);
      const double expected =
          std::exp(-static_cast<double>(x * numerator) / static_cast<double>(denominator));
      int at_least = 0;
      for (const auto& [noise, times] : drawn) at_least += noise >= x ? times : 0;
      const double deviation = std::sqrt(expected * (1 - expected) / kDraws);
      CHECK(std::abs(static_cast<double>(at_least) / kDraws - expected) <= 4 * deviation);
    }
  }
}

TEST_CASE("what a class gives is the mean of what a sample publishes of it") {
  const struct {
    double rate;
    std::uint64_t k;
  } cases[] = {{0.5, 1}, {0.5, 3}, {0.63, 20}, {0.1, 5}, {0.95, 2}};
  for (const auto& [rate, k] : cases) {
    CAPTURE(rate);
    CAPTURE(k);
    const ExpectedRecords expected(rate, k);
    std::uint64_t most = 0;
    for (std::uint64_t n = 0; n <= 400; ++n) {
      double mean = 0;
      for (std::uint64_t j = k; j <= n; ++j) mean += static_cast<double>(j) * chance(n, j, rate);
      const auto units = static_cast<double>(expected.of_class(n));
      // Each record's share is rounded down to a unit.
      CHECK(units <= mean * static_cast<double>(ExpectedRecords::kUnit) * (1 + 1e-8));
      CHECK(units >= mean * static_cast<double>(ExpectedRecords::kUnit) - 1.01 * static_cast<double>(n));
      if (n > 0) {
        CHECK(expected.of_class(n) >= expected.of_class(n - 1));
        most = std::max(most, expected.of_class(n) - expected.of_class(n - 1));
      }
      for (std::uint64_t part = 0; part <= n; part += 7)
        CHECK(expected.of_class(part) + expected.of_class(n - part) <= expected.of_class(n));
    }
    CHECK(expected.most_of_a_record() == most);
  }
}

// Where E of one class rises most, one record more changes the probability of the other choice by e^ε, not
// more and not less.
TEST_CASE("one record changes the probability of a choice by a factor of e^epsilon at most") {
  constexpr int kRuns = 12'000;
  PrivateChoiceOptions options{1, 0.5, 3, {0}, {1}, {}, {}, {}};
  const ExpectedRecords expected(options.sampling_rate, options.k);
  std::uint64_t steepest = 0;
  for (std::uint64_t n = 0; n < 50; ++n) {
    if (expected.of_class(n + 1) - expected.of_class(n) == expected.most_of_a_record()) steepest = n;
  }
  REQUIRE(steepest > 0);
  const auto hidden = [&](std::uint64_t records, const std::string& secret) {
    const auto table = one_value(records);
    SecretDraws draws(secret);
    int times = 0;
    for (int run = 0; run < kRuns; ++run)
      times += value_of(choose_privately(table, options, draws))->levels.front() == 1 ? 1 : 0;
    return static_cast<double>(times);
  };
  for (const double epsilon : {0.5, 1.0}) {
    options.epsilon = epsilon;
    const double without = hidden(steepest, "without"), with = hidden(steepest + 1, "with");
    REQUIRE(with > 150);
    const double deviation = std::sqrt(1 / without + 1 / with);
    CHECK(std::abs(std::log(without / with) - epsilon) <= 4 * deviation);
  }
}

TEST_CASE("what cannot win is left out, and the choice is the same") {
  int left_out = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto random = random_table(seed);
    const auto table = value_of(prepare(random.table, random.columns));
    PrivateChoiceOptions options;
    options.epsilon = seed % 2 == 0 ? 0.5 : 400;  // with much noise, and nearly without
    options.k = 1 + seed % 3;
    std::mt19937_64 generator(seed);
    for (const auto attribute : table.given_order) {
      const unsigned height = table.attributes[attribute].height();
      options.min_levels.push_back(static_cast<unsigned>(generator() % (height + 1)));
      options.max_levels.push_back(height);
      options.weights.push_back(1 + static_cast<double>(generator() % 3));
    }
    SecretDraws draws(std::to_string(seed));
    const auto chosen = *value_of(choose_privately(table, options, draws));

    const ExpectedRecords expected(options.sampling_rate, options.k);
    Lattice lattice = table.lattice;
    lattice.bottom = table.from_given(options.min_levels);
    std::vector<Transformation> all{lattice.bottom};
    for (std::size_t j = 0; j < lattice.attributes; ++j) {
      std::vector<Transformation> more;
      for (const auto& it : all) {
        for (unsigned level = it.level(j); level <= lattice.top.level(j); ++level)
          more.push_back(it.with_level(j, level));
      }
      all = std::move(more);
    }
    std::ranges::sort(all);
    const auto precision = [&](const Transformation& at) {
      double sum = 0, weights = 0;
      std::vector<double> weight_of(lattice.attributes);
      for (std::size_t i = 0; i < options.weights.size(); ++i)
        weight_of[table.given_order[i]] = options.weights[i];
      for (std::size_t j = 0; j < lattice.attributes; ++j) {
        const double height = table.attributes[j].height();
        sum += weight_of[j] * (1 - (height == 0 ? 0 : at.level(j) / height));
        weights += weight_of[j];
      }
      return static_cast<std::uint64_t>(1024 * (sum / weights));
    };
    const auto score = [&](const Transformation& at) {
      std::map<std::vector<Code>, std::uint64_t> classes;
      for (std::size_t row = 0; row < random.table.rows(); ++row) {
        std::vector<Code> shown;
        for (std::size_t i = 0; i < random.columns.size(); ++i) {
          const auto& attribute = table.attributes[table.given_order[i]];
          const auto& column = *random.table.find(random.columns[i].column);
          shown.push_back(attribute.code_at[at.level(table.given_order[i])][column.codes.at(row)]);
        }
        ++classes[shown];
      }
      std::uint64_t sum = 0;
      for (const auto& [shown, records] : classes) sum += expected.of_class(records);
      return sum * precision(at);
    };
    SecretDraws again(std::to_string(seed));
    const auto epsilon = static_cast<std::uint64_t>(options.epsilon * 1e6 * (1 - 1e-9));
    std::optional<std::pair<std::uint64_t, Transformation>> best;
    for (const auto& at : all) {
      const std::uint64_t value =
          score(at) + geometric_noise(epsilon, 1024 * expected.most_of_a_record() * 1'000'000, again);
      if (!best || value > best->first) best = {value, at};
    }
    CHECK(chosen.levels == table.to_given(best->second));
    CHECK(chosen.transformations == all.size());
    CHECK(chosen.checks <= all.size());
    left_out += chosen.checks < all.size() ? 1 : 0;
  }
  CHECK(left_out > 10);
}

// Sums of large weights are infinite, and with a large ε one record adds thousands to a class.
TEST_CASE("weights and epsilon of any size are taken") {
  const auto table = one_value(200);
  PrivateChoiceOptions options{500, 0.5, 3, {0}, {1}, {1}, {}, {}};
  for (const double weight : {1e-300, 1.0, 1e305, 1.7e308}) {
    options.weights = {weight};
    SecretDraws draws("weights");
    CHECK(value_of(choose_privately(table, options, draws))->levels == std::vector<unsigned>{0});
  }
  options.weights = {1};
  for (const double epsilon : {5.5, 9.999}) {
    options.sampling_rate = -std::expm1(-epsilon);
    options.k = smallest_k({epsilon, 1e-15});
    SecretDraws draws("large");
    CHECK(value_of(choose_privately(table, options, draws)).has_value());
  }
}

TEST_CASE("a choice ends when it is stopped, and is refused if it has too many transformations") {
  const auto table = one_value(40);
  PrivateChoiceOptions options{1, 0.5, 3, {0}, {1}, {}, {}, [] { return true; }};
  SecretDraws draws("stopped");
  CHECK(!value_of(choose_privately(table, options, draws)));
  const auto wide = wide_table(14, 4, 30);  // 3^14
  const auto prepared = value_of(prepare(wide.table, wide.columns));
  PrivateChoiceOptions of_wide;
  of_wide.min_levels.assign(14, 0);
  of_wide.max_levels.assign(14, 2);
  const auto refused = choose_privately(prepared, of_wide, draws);
  REQUIRE(refused.has_error());
  CHECK(refused.error().public_message ==
        "a private choice compares at most 1048576 transformations, and the levels have 4782969");
}

}  // namespace pgveil::engine::private_choice_test
