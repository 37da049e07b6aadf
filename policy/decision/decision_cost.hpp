#pragma once
// How much work a decision is for PostgreSQL, estimated from the tree alone. Only speed depends on it.
#include <cstdint>

#include "policy/decision/decision.hpp"
#include "policy/decision/row_decision.hpp"

namespace pgveil::policy {

// The expected work per row in units of one comparison with one constant (some 15 ns, PostgreSQL 15). rows:
// of the tree's root; 0 costs nothing. Rows that an arm does not take are taken to match no later arm either,
// so this is an upper bound.
[[nodiscard]] double expected_tests(const Decision& decision, std::uint64_t rows);
[[nodiscard]] double expected_tests(const RowDecision& decision, std::uint64_t rows);

}  // namespace pgveil::policy
