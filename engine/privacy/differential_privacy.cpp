#include "engine/privacy/differential_privacy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/privacy/secret_draws.hpp"

namespace pgveil::engine {
namespace {

constexpr double kBorder = 1e-12;   // more than the rounding of γ·n and k ÷ γ
constexpr double kRounding = 1e-6;  // more than that of a(n)
constexpr double kNegligible = 1e-9;

// β and γ of ε. 1 − β and 1 − γ are kept, because the differences would lose digits.
struct Rates {
  double beta, gamma, not_beta, not_gamma;
  explicit Rates(double epsilon)
      : beta(-std::expm1(-epsilon)),
        gamma(-std::expm1(-2 * epsilon)),
        not_beta(std::exp(-epsilon)),
        not_gamma(std::exp(-2 * epsilon)) {}
  // What a(n) loses with each n at least: a(n) ≤ e^(−n · decay).
  [[nodiscard]] double decay() const {
    return gamma * std::log(gamma / beta) + not_gamma * std::log(not_gamma / not_beta);
  }
};

// a(n)
double tail(const Rates& rates, std::uint64_t n) {
  const auto all = static_cast<double>(n);
  double j = std::floor(rates.gamma * all * (1 - kBorder)) + 1;
  if (j > all) return 0;
  const double log_chosen = std::lgamma(all + 1) - std::lgamma(j + 1) - std::lgamma(all - j + 1);
  double term = std::exp(log_chosen + j * std::log(rates.beta) + (all - j) * std::log(rates.not_beta));
  double sum = 0;
  // Terms fall from j > γ·n > β·n on.
  for (; j <= all && term > sum * kNegligible / all; ++j) {
    sum += term;
    term *= (all - j) / (j + 1) * (rates.beta / rates.not_beta);
  }
  return sum * (1 + kRounding);
}

}  // namespace

double sampling_rate(double epsilon) {
  return Rates(epsilon).beta;
}

double delta_of(double epsilon, std::uint64_t k) {
  const Rates rates(epsilon);
  const double first = std::ceil(static_cast<double>(k) / rates.gamma * (1 - kBorder) - 1);
  double most = 0;
  for (auto n = static_cast<std::uint64_t>(std::max(first, 1.0));
       std::exp(-static_cast<double>(n) * rates.decay()) > most; ++n)
    most = std::max(most, tail(rates, n));
  return most;
}

std::uint64_t smallest_k(const DifferentialPrivacy& wanted) {
  const Rates rates(wanted.sampling_epsilon());
  // From here on a(n) ≤ δ.
  auto n = static_cast<std::uint64_t>(std::ceil(-std::log(wanted.delta) / rates.decay() * (1 + kBorder)));
  while (n > 1 && tail(rates, n - 1) <= wanted.delta) --n;
  // The smallest k with ⌈k ÷ γ − 1⌉ ≥ n.
  return static_cast<std::uint64_t>(std::floor(rates.gamma * static_cast<double>(n) * (1 + kBorder))) + 1;
}

std::vector<std::size_t> sampled_rows(std::size_t records, double rate, std::string secret) {
  constexpr std::uint64_t kWhole = std::uint64_t{1} << 53;
  const auto below = static_cast<std::uint64_t>(std::floor(rate * static_cast<double>(kWhole)));
  SecretDraws draws(std::move(secret));
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < records; ++row) {
    if (draws.below(kWhole) < below) rows.push_back(row);
  }
  return rows;
}

}  // namespace pgveil::engine
