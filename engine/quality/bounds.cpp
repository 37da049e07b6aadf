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

// There are at most Π distinct classes, and at most one for each record.
double Quality::most_classes(const Transformation& transformation) const {
  double classes = 1;
  for (std::size_t j = 0; j < table_.attributes.size(); ++j) {
    classes *= static_cast<double>(table_.attributes[j].distinct(transformation.level(j)));
  }
  return std::min(classes, static_cast<double>(table_.rows));
}

// By Cauchy–Schwarz Σ n² is at least N² ÷ classes.
double Quality::squares_bound(const Transformation& transformation) const {
  const auto rows = static_cast<double>(table_.rows);
  return rows * rows / most_classes(transformation) * kBoundBelowRounding;
}

// At best, one of the groups counts gF instead of sF.
double Quality::class_size_bound(const Transformation& transformation) const {
  const double groups = factors_.suppression * most_classes(transformation) +
                        std::max(0.0, factors_.generalization - factors_.suppression);
  return static_cast<double>(table_.rows) / groups * kBoundBelowRounding;
}

Score Quality::bound(const Transformation& transformation) const {
  if (is_class_based()) return single((this->*facts_.class_bound)(transformation));
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
  if (!facts_.is_always_monotonic) {
    for (std::size_t i = 0; i < made.size; ++i) made.parts[i] -= std::abs(made.parts[i]) * 1e-12;
  }
  return made;
}

// With gs < ½ an attribute's precision can fall when more records are suppressed.
bool Quality::is_combined() const {
  return !is_class_based() && !(facts_.may_gain_by_suppressing && factors_.suppression < 1);
}

double Quality::combined_bound(std::span<const double> scores) const {
  double combined = 0;
  switch (aggregate_) {
    case Aggregate::sum:
    case Aggregate::arithmetic_mean:
      for (const double score : scores) combined += score;
      break;
    case Aggregate::geometric_mean:
      combined = 1;
      for (const double score : scores) combined *= 1 + score;
      combined -= 1;
      break;
    case Aggregate::maximum:
    case Aggregate::rank:
      for (const double score : scores) combined = std::max(combined, score);
      break;
  }
  // More than the truncation to ten decimals and the rounding of all sums.
  return std::max(0.0, combined - 1e-8 * (1 + combined));
}

std::optional<double> Quality::bound_of_generalizations(const Transformation& transformation,
                                                        const Summary& summary, std::uint64_t k) const {
  if (facts_.bound_of_generalizations == nullptr) return std::nullopt;
  return (this->*facts_.bound_of_generalizations)(transformation, summary, k);
}

std::optional<double> Quality::bound_of_specializations(const Summary& summary, std::uint64_t k) const {
  if (facts_.bound_of_specializations == nullptr) return std::nullopt;
  return (this->*facts_.bound_of_specializations)(summary, k);
}

double Quality::class_size_above(const Transformation&, const Summary& summary, std::uint64_t k) const {
  return static_cast<double>(table_.rows) / most_groups(summary, factors_, k) * kBoundBelowRounding;
}

double Quality::squares_above(const Transformation&, const Summary& summary, std::uint64_t) const {
  return static_cast<double>(summary.squares);
}

// A record of a suppressed class either stays suppressed and costs N, or gets into a class of at least k.
double Quality::discernibility_above(const Transformation&, const Summary& summary, std::uint64_t k) const {
  return static_cast<double>(summary.squares - summary.suppressed_squares + k * summary.suppressed_rows);
}

// Records that stay suppressed cost N each; the others are in classes of at least k.
double Quality::discernibility_below(const Summary& summary, std::uint64_t k) const {
  return static_cast<double>(table_.rows * summary.stays_suppressed +
                             k * (table_.rows - summary.stays_suppressed));
}

}  // namespace pgveil::engine
