#include "engine/privacy/expected_records.hpp"

#include <algorithm>
#include <cmath>

namespace pgveil::engine {
namespace {

constexpr double kLeastShare = 1e-9;

// P(B(m) = j)
double chance(std::uint64_t m, std::uint64_t j, double rate) {
  const auto all = static_cast<double>(m), hits = static_cast<double>(j);
  return std::exp(std::lgamma(all + 1) - std::lgamma(hits + 1) - std::lgamma(all - hits + 1) +
                  hits * std::log(rate) + (all - hits) * std::log1p(-rate));
}

}  // namespace

ExpectedRecords::ExpectedRecords(double rate, std::uint64_t k) {
  const double unit = rate * static_cast<double>(kUnit);
  const auto most = static_cast<std::uint64_t>(unit);
  shares_.assign(k, 0);
  double reached = 0;  // P(B(n − 1) ≥ k − 1)
  for (std::uint64_t n = k; k > 1; ++n) {
    // Of n − 1 records, the last one is the (k − 1)st that is taken.
    const double more =
        n == k ? std::pow(rate, static_cast<double>(k - 1)) : rate * chance(n - 2, k - 2, rate);
    if (more<kLeastShare&& static_cast<double>(n) * rate> static_cast<double>(k)) break;
    reached += more;
    shares_.push_back(std::min(most, static_cast<std::uint64_t>(unit * reached)));
  }
  shares_.push_back(most);
  for (std::uint64_t n = 1; n <= shares_.size(); ++n) most_ = std::max(most_, of_class(n) - of_class(n - 1));
}

}  // namespace pgveil::engine
