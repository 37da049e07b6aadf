#pragma once
// Sums over equivalence classes if k-anonymity is the only model. For checker.cpp.
#include <cmath>
#include <limits>

#include "engine/check/checker.hpp"
#include "engine/risk/class_sizes.hpp"

namespace pgveil::engine {

[[nodiscard]] inline Summary count_classes(const Classes& classes, const Anonymity& anonymity) {
  Summary sums;
  sums.classes = classes.size();
  sums.smallest_class = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t count : classes.counts) {
    const std::uint64_t suppressed = count < anonymity.k ? 1 : 0;
    sums.squares += count * count;
    sums.smallest_class = std::min(sums.smallest_class, count);
    sums.suppressed_classes += suppressed;
    sums.suppressed_rows += suppressed * count;
    sums.suppressed_squares += suppressed * count * count;
  }
  sums.stays_suppressed = sums.suppressed_rows;
  sums.is_anonymous = sums.suppressed_rows <= anonymity.suppression_limit;
  return sums;
}

// Calls work(row, count) for each suppressed class.
template <class Work>
void for_each_suppressed(const Classes& classes, std::uint64_t k, Work&& work) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes.counts[i] < k) work(classes.rows[i], std::uint64_t{classes.counts[i]});
  }
}

// Σ n·log2 n
[[nodiscard]] inline double sum_of_logs(const SizeHistogram& sizes) {
  double sum = 0;
  for (const auto& [size, classes] : sizes)
    sum += static_cast<double>(classes) * static_cast<double>(size) * std::log2(static_cast<double>(size));
  return sum;
}

// start − factor · Σ_w s_w · log2(s_w ÷ total), term by term.
[[nodiscard]] inline double add_entropy(double start, double factor, std::span<const std::uint64_t> histogram,
                                        std::uint64_t total) {
  double sum = start;
  for (const auto count : histogram) {
    if (count == 0) continue;
    const auto share = static_cast<double>(count) / static_cast<double>(total);
    sum -= factor * static_cast<double>(count) * (std::log(share) / std::log(2.0));
  }
  return sum;
}

}  // namespace pgveil::engine
