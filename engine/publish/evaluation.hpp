#pragma once
// Scores one transformation under every quality model. Reports use it for an optimum or a chosen
// transformation.
#include <span>
#include <vector>

#include "engine/quality/quality.hpp"

namespace pgveil::engine {

struct MetricScore {
  Metric metric = Metric::loss;
  Score score;  // sums are taken in the given order, as the reference prints them
};

struct Evaluation {
  Summary summary;
  std::vector<MetricScore> scores;  // in Metric's order; empty if it is not anonymous
};

// `model` gives gs and the weights for all metrics, and the aggregate for its own metric; others use their
// default. REQUIRES: validate(model, …) passed; levels are within the hierarchies, one per quasi-identifier
// in the given order.
[[nodiscard]] Evaluation evaluate(const PreparedTable& table, std::span<const unsigned> levels,
                                  const Anonymity& anonymity, const QualityModel& model);

}  // namespace pgveil::engine
