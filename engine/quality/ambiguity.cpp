// Ambiguity (Nergiz and Clifton, Thoughts on k-Anonymization, 2007): how many combinations of values the
// records could have had, by what is published of them. Σ_c n_c · Π_j rows_j of what class c shows, Π_j D_j
// of a suppressed record (check/combinations.hpp).
//
// A generalization's value stands for no fewer rows and a suppressed record for all, so what a transformation
// has with nothing suppressed is a bound of all its generalizations. Without classes: the mean of the
// products is at least their geometric mean, whose logarithm is a sum over attributes, each a look-up.
#include <cmath>

#include "engine/quality/quality.hpp"

namespace pgveil::engine {
namespace {

constexpr double kBelowRounding = 1 - 1e-9;  // of logarithms summed over records

}  // namespace

double Quality::ambiguity_bound(const Transformation& transformation) const {
  const auto rows = static_cast<double>(table_.rows);
  double logs = 0;
  for (std::size_t j = 0; j < tables_.size(); ++j)
    logs += tables_[j].log_rows[transformation.level(j)] / rows;
  return rows * std::exp2(logs) * kBelowRounding;
}

}  // namespace pgveil::engine
