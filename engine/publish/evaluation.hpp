#pragma once
// One transformation, looked at under every quality model: what a report says of an optimum, or of a chosen
// transformation.
#include <span>
#include <vector>

#include "engine/quality/quality.hpp"

namespace pgveil::engine {

struct MetricScore {
  Metric metric = Metric::loss;
  Score score;  // sums in the given order, as the reference prints them
};

struct Evaluation {
  Summary summary;
  std::vector<MetricScore> scores;  // in Metric's order; none when it is not anonymous
};

// `model` gives gs and weights for all, and the aggregate for its own metric; others have their default.
// REQUIRES: validate(model, …) passed; levels are within the hierarchies, one for each quasi-identifier as
// given.
[[nodiscard]] Evaluation evaluate(const PreparedTable& table, std::span<const unsigned> levels,
                                  const Anonymity& anonymity, const QualityModel& model);

}  // namespace pgveil::engine
