#pragma once
// Estimates how many records a transformation suppresses, from those that were checked before. Use it to
// choose what to check next, and for nothing else: an estimate tags nothing and bounds nothing.
//
// The estimate is y = b + Σ_j w_j(level of attribute j), where y is the logarithm of (suppressed + 1) ÷
// (limit + 1). The weights are fitted by recursive least squares (Plackett 1950), so each check costs the
// square of the number of weights. Before the first check, the number of values of each level stands in for
// the weights.
#include <cstdint>
#include <span>
#include <vector>

#include "engine/lattice/lattice.hpp"

namespace pgveil::engine {

class SuppressionEstimate {
 public:
  // distinct[j][l]: number of values of attribute j at level bottom[j] + l, at least 1.
  SuppressionEstimate(const Lattice& lattice, std::span<const std::vector<std::uint32_t>> distinct,
                      std::uint64_t suppression_limit);

  // Above 0 if more records than the limit are likely to be suppressed. REQUIRES: a member of the lattice.
  [[nodiscard]] double of(const Transformation& transformation) const;
  // What one level more adds to that; mostly below 0. REQUIRES: the level is below the attribute's top.
  [[nodiscard]] double change(std::size_t attribute, unsigned level) const;

  void learn(const Transformation& transformation, std::uint64_t suppressed);

  [[nodiscard]] std::size_t bytes() const { return (weights_.size() + covariance_.size()) * sizeof(double); }

 private:
  struct Steps {
    std::size_t first;  // weight of the lowest level
    unsigned bottom;
    unsigned levels;
    unsigned weights;  // at most one for each level
  };
  [[nodiscard]] std::size_t weight_of(std::size_t attribute, unsigned level) const;

  std::vector<Steps> steps_;  // [attribute]
  double log_limit_;
  std::vector<double> weights_;     // the first is b
  std::vector<double> covariance_;  // [weight][weight]
};

}  // namespace pgveil::engine
