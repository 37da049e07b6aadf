#pragma once
// A score: one number, or for the rank aggregate a vector compared lexicographically. Lower is better.
#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <functional>
#include <span>

#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

struct Score {
  std::array<double, kMaxAttributes> parts{};  // only parts[0], except for rank
  std::size_t size = 1;

  [[nodiscard]] double value() const { return parts[0]; }
  auto operator<=>(const Score& other) const {
    return std::lexicographical_compare_three_way(
        parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(size), other.parts.begin(),
        other.parts.begin() + static_cast<std::ptrdiff_t>(other.size));
  }
  bool operator==(const Score& other) const { return (*this <=> other) == 0; }
};

[[nodiscard]] inline Score single(double value) {
  Score score;
  score.parts[0] = value;
  return score;
}

enum class Aggregate { sum, arithmetic_mean, geometric_mean, maximum, rank };

// One attribute's factor in the geometric mean.
[[nodiscard]] inline double geometric_factor(double value, double weight, std::size_t attributes) {
  return std::pow(value * weight + 1, 1 / static_cast<double>(attributes));
}

// SUM Σxw; ARITHMETIC_MEAN Σ(x/m)w; GEOMETRIC_MEAN Π(xw+1)^(1/m) − 1; MAXIMUM; RANK: xw in descending order.
[[nodiscard]] inline Score aggregate(Aggregate how, std::span<const double> values,
                                     std::span<const double> weights) {
  const auto m = static_cast<double>(values.size());
  Score score;
  double& result = score.parts[0];
  switch (how) {
    case Aggregate::sum:
      for (std::size_t j = 0; j < values.size(); ++j) result += values[j] * weights[j];
      break;
    case Aggregate::arithmetic_mean:
      for (std::size_t j = 0; j < values.size(); ++j) result += values[j] / m * weights[j];
      break;
    case Aggregate::geometric_mean:
      result = 1;
      for (std::size_t j = 0; j < values.size(); ++j)
        result *= geometric_factor(values[j], weights[j], values.size());
      result -= 1;
      break;
    case Aggregate::maximum:
      for (std::size_t j = 0; j < values.size(); ++j) result = std::max(result, values[j] * weights[j]);
      break;
    case Aggregate::rank:
      for (std::size_t j = 0; j < values.size(); ++j) score.parts[j] = values[j] * weights[j];
      score.size = values.size();
      std::sort(score.parts.begin(), score.parts.begin() + static_cast<std::ptrdiff_t>(score.size),
                std::greater<>());
      break;
  }
  return score;
}

}  // namespace pgveil::engine
