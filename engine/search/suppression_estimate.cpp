#include "engine/search/suppression_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace pgveil::engine {
namespace {

constexpr std::size_t kMostWeights = 128;  // then neighbouring levels share a weight
constexpr double kBottom = 2;              // y of the lowest transformation, before any check
constexpr double kPerLogOfValues = 0.5;
constexpr double kNoise = 1;  // variance of y that the levels do not explain

}  // namespace

SuppressionEstimate::SuppressionEstimate(const Lattice& lattice,
                                         std::span<const std::vector<std::uint32_t>> distinct,
                                         std::uint64_t suppression_limit)
    : log_limit_(std::log(static_cast<double>(suppression_limit) + 1)), weights_{kBottom} {
  const auto most_each = std::max<std::size_t>(2, kMostWeights / std::max<std::size_t>(1, distinct.size()));
  for (std::size_t j = 0; j < distinct.size(); ++j) {
    const auto levels = static_cast<unsigned>(distinct[j].size());
    const auto& steps =
        steps_.emplace_back(Steps{weights_.size(), lattice.bottom.level(j), levels,
                                  static_cast<unsigned>(std::min<std::size_t>(levels, most_each))});
    const double most = std::log(static_cast<double>(distinct[j].front()));
    for (unsigned i = 0; i < steps.weights; ++i) {
      const auto values = static_cast<double>(distinct[j][i * levels / steps.weights]);
      weights_.push_back(kPerLogOfValues * (std::log(values) - most));
    }
  }
  covariance_.assign(weights_.size() * weights_.size(), 0);
  for (std::size_t i = 0; i < weights_.size(); ++i) covariance_[i * weights_.size() + i] = 1;
}

std::size_t SuppressionEstimate::weight_of(std::size_t attribute, unsigned level) const {
  const Steps& steps = steps_[attribute];
  return steps.first + (level - steps.bottom) * steps.weights / steps.levels;
}

double SuppressionEstimate::of(const Transformation& transformation) const {
  double sum = weights_[0];
  for (std::size_t j = 0; j < steps_.size(); ++j) sum += weights_[weight_of(j, transformation.level(j))];
  return sum;
}

double SuppressionEstimate::change(std::size_t attribute, unsigned level) const {
  return weights_[weight_of(attribute, level + 1)] - weights_[weight_of(attribute, level)];
}

void SuppressionEstimate::learn(const Transformation& transformation, std::uint64_t suppressed) {
  const std::size_t size = weights_.size();
  const double error = std::log(static_cast<double>(suppressed) + 1) - log_limit_ - of(transformation);
  std::vector<std::size_t> used{0};
  for (std::size_t j = 0; j < steps_.size(); ++j) used.push_back(weight_of(j, transformation.level(j)));
  std::vector<double> gain(size, 0);
  for (const auto i : used) {
    for (std::size_t j = 0; j < size; ++j) gain[j] += covariance_[i * size + j];
  }
  double variance = kNoise;
  for (const auto i : used) variance += gain[i];
  for (std::size_t i = 0; i < size; ++i) weights_[i] += error * gain[i] / variance;
  for (std::size_t i = 0; i < size; ++i) {
    const double factor = gain[i] / variance;
    for (std::size_t j = 0; j < size; ++j) covariance_[i * size + j] -= factor * gain[j];
  }
}

}  // namespace pgveil::engine
