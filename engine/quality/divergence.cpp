// The Kullback–Leibler divergence of what is published from the input (Kifer and Gehrke, Injecting Utility
// into Anonymized Datasets, 2006). It is the number of additional bits that somebody needs to describe a
// record who only knows the published table and assumes that the records of a class are spread evenly over
// everything that the class could stand for.
//
// p(x) is the share of the records that equal x. A class of n records stands for A_c combinations of values,
// the product of the hierarchy rows of the values that it shows. Suppressed records are one class that stands
// for everything.
//
//   Σ_x p(x) · log2(p(x) ÷ (n_c ÷ N ÷ A_c))
//     = Σ_c n_c ÷ N · Σ_j log2(rows_j)                      a look-up, but for what is suppressed
//       + entropy of the classes − entropy of the records
//
// Merging classes never lowers it, by the log-sum inequality (their areas are disjoint), and neither does
// suppressing them. So the divergence of a transformation without suppression is a lower bound for all its
// generalizations. The entropy of the classes is at least that of any single attribute's values, which gives
// a bound without classes.
#include <algorithm>
#include <cmath>

#include "engine/quality/quality.hpp"

namespace pgveil::engine {
namespace {

// Sums of logarithms differ slightly even if two transformations are equally good. This step is far above
// that error.
constexpr double kStep = 1e-10;
constexpr double kDivergenceBelowRounding = 2e-9;

double rounded(double bits) {
  return std::max(0.0, std::round(bits / kStep) * kStep);
}

double lowered(double bits) {
  return std::max(0.0, bits - kDivergenceBelowRounding);
}

}  // namespace

void Quality::fill_log_rows() {
  const auto rows = static_cast<double>(table_.rows);
  for (std::size_t j = 0; j < table_.attributes.size(); ++j) {
    const auto& attribute = table_.attributes[j];
    for (unsigned level = 0; level <= attribute.height(); ++level) {
      std::vector<std::uint64_t> counts(attribute.distinct(level), 0);
      for (std::size_t code = 0; code < table_.histograms[j].size(); ++code)
        counts[attribute.code_at[level][code]] += table_.histograms[j][code];
      double log_rows = 0, bits = 0;
      for (std::size_t code = 0; code < counts.size(); ++code) {
        if (counts[code] == 0) continue;
        const auto count = static_cast<double>(counts[code]);
        log_rows += count * std::log2(static_cast<double>(attribute.hierarchy_rows[level][code]));
        bits -= count / rows * std::log2(count / rows);
      }
      tables_[j].log_rows.push_back(log_rows);
      tables_[j].value_bits.push_back(bits);
    }
  }
}

void Quality::fill_divergence_tables() {
  fill_log_rows();
  const auto rows = static_cast<double>(table_.rows);
  Checker checker(table_, {{1, 0}, SuppressedSums::divergence, {}, {}, {}});
  input_bits_ = std::log2(rows) - checker.check(Transformation{}).class_logs / rows;
}

double Quality::unsuppressed_divergence(const Transformation& transformation, const Summary& summary) const {
  const auto rows = static_cast<double>(table_.rows);
  double bits = std::log2(rows) - summary.class_logs / rows - input_bits_;
  for (std::size_t j = 0; j < tables_.size(); ++j)
    bits += tables_[j].log_rows[transformation.level(j)] / rows;
  return bits;
}

double Quality::divergence(const Transformation& transformation, const Summary& summary) const {
  double bits = unsuppressed_divergence(transformation, summary);
  if (summary.suppressed_rows == 0) return rounded(bits);
  const auto rows = static_cast<double>(table_.rows);
  const auto suppressed = static_cast<double>(summary.suppressed_rows);
  // One class, which stands for everything, replaces the suppressed ones.
  bits += (summary.suppressed_logs - suppressed * std::log2(suppressed)) / rows;
  for (std::size_t j = 0; j < tables_.size(); ++j) {
    const auto domain = static_cast<double>(table_.attributes[j].domain);
    bits += (suppressed * std::log2(domain) - summary.entropy[j]) / rows;
  }
  return rounded(bits);
}

double Quality::divergence_bound(const Transformation& transformation) const {
  double most = 0, areas = 0;
  for (std::size_t j = 0; j < tables_.size(); ++j) {
    most = std::max(most, tables_[j].value_bits[transformation.level(j)]);
    areas += tables_[j].log_rows[transformation.level(j)];
  }
  return lowered(most + areas / static_cast<double>(table_.rows) - input_bits_);
}

double Quality::divergence_above(const Transformation& transformation, const Summary& summary,
                                 std::uint64_t) const {
  return lowered(unsuppressed_divergence(transformation, summary));
}

}  // namespace pgveil::engine
