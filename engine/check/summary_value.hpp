#pragma once
// The result of a check, as a value.
#include <array>
#include <cstdint>

#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

// Everything that the privacy test and the scores need of the classes C and the suppressed ones S among them.
// Only published records count.
struct Summary {
  bool is_anonymous = false;
  std::uint64_t classes = 0;
  std::uint64_t smallest_class = 0;
  std::uint64_t suppressed_classes = 0;
  std::uint64_t suppressed_rows = 0;
  // Every specialization suppresses at least this many. If it exceeds the limit, no specialization is
  // anonymous.
  std::uint64_t stays_suppressed = 0;
  std::uint64_t squares = 0;             // Σ_C n²
  std::uint64_t suppressed_squares = 0;  // Σ_S n²
  // SuppressedSums::divergence:
  double class_logs = 0;       // Σ_C n·log2 n
  double suppressed_logs = 0;  // Σ_S n·log2 n
  // SuppressedSums::combinations, Σ n · combinations of values that the class could have:
  double combinations = 0;        // of the classes as they are, without suppression
  double shown_combinations = 0;  // of the published classes; suppressed ones could have all
  // Set only for anonymous transformations, and only those that were asked for:
  std::array<std::uint64_t, kMaxAttributes> suppressed_domain_rows{};  // Σ_S n · span of the value
  std::array<double, kMaxAttributes> entropy{};  // see EntropyStart; divergence: Σ_S n · log2(hierarchy rows)
};

}  // namespace pgveil::engine
