#pragma once
// Estimates from the tree alone how much work a decision is for PostgreSQL. Only speed depends on it.
#include <cstddef>
#include <cstdint>

#include "policy/decision/decision.hpp"
#include "policy/decision/row_decision.hpp"

namespace pgveil::policy {

// The expected work per row, in comparisons with one constant (each takes some 15 ns in PostgreSQL 15). rows:
// those of the tree's root; 0 costs nothing. This is an upper bound, because a row that one arm does not take
// is assumed to match no later arm either.
[[nodiscard]] double expected_tests(const Decision& decision, std::uint64_t rows);
[[nodiscard]] double expected_tests(const RowDecision& decision, std::uint64_t rows);

// The number of conditions that are written.
[[nodiscard]] std::size_t written_tests(const Decision& decision);

}  // namespace pgveil::policy
