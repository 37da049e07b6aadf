// Ambiguity (Nergiz and Clifton, Thoughts on k-Anonymization, 2007): how many combinations of values the
// records could have had, judging by what is published. The sum is n_c · Π_j rows_j for each class c, and Π_j
// D_j for each suppressed record (check/combinations.hpp).
//
// A generalized value stands for at least as many rows, and a suppressed record for all. So the sum of a
// transformation without suppression is a lower bound for all its generalizations. Without classes there is
// another bound: the mean of the products is at least their geometric mean, whose logarithm is a sum over
// attributes, each found by look-up.
#include <cmath>

#include "engine/quality/quality.hpp"

namespace pgveil::engine {
namespace {

constexpr double kBelowRounding = 1 - 1e-9;  // allows for rounding in logarithms summed over records
constexpr double kProductsBelowRounding = 1 - 1e-12;

}  // namespace

double Quality::ambiguity(const Transformation&, const Summary& summary) const {
  return summary.shown_combinations;
}

double Quality::ambiguity_above(const Transformation&, const Summary& summary, std::uint64_t) const {
  return summary.combinations * kProductsBelowRounding;
}

double Quality::ambiguity_bound(const Transformation& transformation) const {
  const auto rows = static_cast<double>(table_.rows);
  double logs = 0;
  for (std::size_t j = 0; j < tables_.size(); ++j)
    logs += tables_[j].log_rows[transformation.level(j)] / rows;
  return rows * std::exp2(logs) * kBelowRounding;
}

}  // namespace pgveil::engine
