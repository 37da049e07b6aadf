// Sampling and k of (ε, δ)-differential privacy, against exact arithmetic and against the definition.
#include "engine/privacy/differential_privacy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pgveil::engine::differential_privacy_test {

namespace {

// C(n, j) · β^j · (1 − β)^(n − j), by products.
double chance(int n, int j, double beta) {
  double made = 1;
  for (int i = 0; i < j; ++i) made *= static_cast<double>(n - i) / (j - i) * beta;
  for (int i = j; i < n; ++i) made *= 1 - beta;
  return made;
}

}  // namespace

// The expected numbers are from Python's fractions and decimals of 60 digits, which sum a(n) of the header
// exactly (tests/integration/differential_privacy_test.py does it again).
TEST_CASE("δ of k is what exact arithmetic gives") {
  const struct {
    double epsilon;
    std::uint64_t k;
    double delta;
  } cases[] = {{1, 20, 0.011770722676538893},
               {1, 7, 0.14417647895458202},
               {2, 5, 0.48332436414736485},
               {0.5, 12, 0.018370505617274158},
               {0.6931471805599453, 40, 0.00013427005940958026}};
  for (const auto& [epsilon, k, delta] : cases) {
    CAPTURE(epsilon);
    CAPTURE(k);
    CHECK(delta_of(epsilon, k) == doctest::Approx(delta).epsilon(1e-5));
    CHECK(delta_of(epsilon, k) >= delta);
  }
}

TEST_CASE("the smallest k reaches δ, and the next smaller one does not") {
  for (const double epsilon : {0.01, 0.1, 0.5, 1.0, 1.5, 2.0, 5.0}) {
    for (const double delta : {1e-2, 1e-5, 1e-6, 1e-8, 1e-15}) {
      CAPTURE(epsilon);
      CAPTURE(delta);
      const auto k = smallest_k({epsilon, delta});
      CHECK(delta_of(epsilon, k) <= delta);
      CHECK(delta_of(epsilon, k - 1) > delta);
    }
  }
}

// With one person more, the number of taken records of the person's class is one Bernoulli trial more. For
// classes of every size below, P(S with) ≤ e^ε · P(S without) + δ, and the other way round, for the worst S:
// the sum of the positive parts of the difference. Counts below k look all the same: nothing is published.
TEST_CASE("one person more or less changes the published count of a class by no more than (ε, δ)") {
  for (const double epsilon : {0.3, 1.0, 2.0}) {
    for (const double delta : {1e-2, 1e-4}) {
      const auto k = smallest_k({epsilon, delta});
      const double beta = sampling_rate(epsilon);
      double worst = 0;
      for (int n = 1; n < 250; ++n) {
        std::map<std::uint64_t, double> with, without;
        for (int j = 0; j <= n; ++j) {
          const auto shown = static_cast<std::uint64_t>(j) < k ? 0 : static_cast<std::uint64_t>(j);
          with[shown] += chance(n, j, beta);
          if (j < n) without[shown] += chance(n - 1, j, beta);
        }
        double one_way = 0, other_way = 0;
        for (const auto& [shown, p] : with) {
          one_way += std::max(0.0, p - std::exp(epsilon) * without[shown]);
          other_way += std::max(0.0, without[shown] - std::exp(epsilon) * p);
        }
        worst = std::max({worst, one_way, other_way});
      }
      CAPTURE(epsilon);
      CHECK(worst > 0);
      CHECK(worst <= delta * (1 + 1e-6));
    }
  }
}

TEST_CASE("the rate of sampling is what ε allows") {
  CHECK(sampling_rate(std::log(2)) == doctest::Approx(0.5));
  CHECK(sampling_rate(1) == doctest::Approx(1 - std::exp(-1)));
}

TEST_CASE("records are taken independently with the rate, as the secret says") {
  const auto first = sampled_rows(20'000, 0.3, "one secret");
  CHECK(first == sampled_rows(20'000, 0.3, "one secret"));
  CHECK(first != sampled_rows(20'000, 0.3, "another secret"));
  CHECK(std::ranges::is_sorted(first));
  CHECK(std::set(first.begin(), first.end()).size() == first.size());
  CHECK(first.back() < 20'000);
  // Five standard deviations of √(n·β·(1 − β)) = 64.8.
  CHECK(std::fabs(static_cast<double>(first.size()) - 6000) < 324);
  const auto second = sampled_rows(20'000, 0.3, "another secret");
  std::size_t both = 0;
  for (const auto row : first) both += std::ranges::binary_search(second, row) ? 1 : 0;
  CHECK(std::fabs(static_cast<double>(both) - 1800) < 5 * std::sqrt(20'000 * 0.09 * 0.91));
  CHECK(sampled_rows(0, 0.3, "x").empty());
  CHECK(sampled_rows(100, 0, "x").empty());
  CHECK(sampled_rows(100, 1, "x").size() == 100);
}

}  // namespace pgveil::engine::differential_privacy_test
