#pragma once
// What a check found, as a value.
#include <array>
#include <cstdint>

#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

// Everything that privacy test and scores need of the classes C and the suppressed ones S among them. Records
// are those that are published.
struct Summary {
  bool is_anonymous = false;
  std::uint64_t classes = 0;
  std::uint64_t smallest_class = 0;
  std::uint64_t suppressed_classes = 0;
  std::uint64_t suppressed_rows = 0;
  // In no specialization fewer are suppressed. More than the limit: none of them is anonymous.
  std::uint64_t stays_suppressed = 0;
  std::uint64_t squares = 0;             // Σ_C n²
  std::uint64_t suppressed_squares = 0;  // Σ_S n²
  // SuppressedSums::divergence:
  double class_logs = 0;       // Σ_C n·log2 n
  double suppressed_logs = 0;  // Σ_S n·log2 n
  // SuppressedSums::combinations, Σ n · combinations of values that the class could have:
  double combinations = 0;        // of the classes as they are
  double shown_combinations = 0;  // of what is published: suppressed ones could have all
  // Only for anonymous transformations, and as asked for:
  std::array<std::uint64_t, kMaxAttributes> suppressed_domain_rows{};  // Σ_S n · span of the value
  std::array<double, kMaxAttributes> entropy{};  // see EntropyStart; divergence: Σ_S n · log2(hierarchy rows)
};

}  // namespace pgveil::engine
