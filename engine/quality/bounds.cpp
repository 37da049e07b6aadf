// Lower bounds of the scores of a transformation's neighbours. Each is exact arithmetic, or lowered by more
// than its rounding error.
#include <algorithm>
#include <cmath>

#include "engine/quality/quality.hpp"

namespace pgveil::engine {
namespace {

constexpr double kBoundBelowRounding = 1 - 1e-12;

// The largest number of groups that a generalization can have, as class size counts them: each kept class
// counts sF, all suppressed records together count as one group with gF. Each class of the generalization is
// made from a kept one, or from at least k suppressed records.
double most_groups(const Summary& summary, const Factors& factors, std::uint64_t k) {
  const auto kept = static_cast<double>(summary.classes - summary.suppressed_classes);
  const auto made_of = [&](std::uint64_t suppressed) { return static_cast<double>(suppressed / k); };
  const double all_kept = factors.suppression * (kept + made_of(summary.suppressed_rows));
  if (summary.suppressed_rows == 0) return all_kept;
  return std::max(
      all_kept, factors.suppression * (kept + made_of(summary.suppressed_rows - 1)) + factors.generalization);
}

}  // namespace

// There are at most Π distinct classes, and by Cauchy–Schwarz Σ n² is at least N² ÷ classes.
double Quality::class_bound(const Transformation& transformation) const {
  const auto rows = static_cast<double>(table_.rows);
  double classes = 1;
  for (std::size_t j = 0; j < table_.attributes.size(); ++j) {
    classes *= static_cast<double>(table_.attributes[j].distinct(transformation.level(j)));
  }
  classes = std::min(classes, rows);
  if (model_.metric != Metric::class_size) return rows * rows / classes * kBoundBelowRounding;
  // At best, one of the groups counts gF instead of sF.
  const double groups =
      factors_.suppression * classes + std::max(0.0, factors_.generalization - factors_.suppression);
  return rows / groups * kBoundBelowRounding;
}

Score Quality::bound(const Transformation& transformation) const {
  if (model_.metric == Metric::kl_divergence) return single(divergence_bound(transformation));
  if (model_.metric == Metric::ambiguity) return single(ambiguity_bound(transformation));
  if (is_class_based()) return single(class_bound(transformation));
  Score made;
  if (aggregate_ == Aggregate::geometric_mean) {
    double product = 1;
    for (std::size_t j = 0; j < tables_.size(); ++j)
      product *= tables_[j].bound_factors[transformation.level(j)];
    made = single(product - 1);
  } else {
    std::array<double, kMaxAttributes> bounds;
    for (std::size_t j = 0; j < tables_.size(); ++j) bounds[j] = tables_[j].bounds[transformation.level(j)];
    made = aggregate(aggregate_, std::span(bounds).first(tables_.size()), weights_);
  }
  if (!is_always_monotonic(model_.metric)) {
    for (std::size_t i = 0; i < made.size; ++i) made.parts[i] -= std::abs(made.parts[i]) * 1e-12;
  }
  return made;
}

std::optional<double> Quality::bound_of_generalizations(const Transformation& transformation,
                                                        const Summary& summary, std::uint64_t k) const {
  if (model_.metric == Metric::kl_divergence)
    return divergence_bound_of_generalizations(transformation, summary);
  if (model_.metric == Metric::ambiguity) return summary.combinations * kBoundBelowRounding;
  if (model_.metric == Metric::class_size) {
    return static_cast<double>(table_.rows) / most_groups(summary, factors_, k) * kBoundBelowRounding;
  }
  if (!is_class_based()) return std::nullopt;
  if (model_.metric == Metric::discernibility_monotonic) return static_cast<double>(summary.squares);
  // A record of a suppressed class either stays suppressed and costs N, or gets into a class of at least k.
  return static_cast<double>(summary.squares - summary.suppressed_squares + k * summary.suppressed_rows);
}

// Records that stay suppressed cost N each; the others are in classes of at least k.
std::optional<double> Quality::bound_of_specializations(const Summary& summary, std::uint64_t k) const {
  if (model_.metric != Metric::discernibility) return std::nullopt;
  return static_cast<double>(table_.rows * summary.stays_suppressed +
                             k * (table_.rows - summary.stays_suppressed));
}

}  // namespace pgveil::engine
