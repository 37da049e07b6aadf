#pragma once
// Turns the tree into one decision for a whole row: which of its attributes are released? It says the same as
// one decision per attribute (decision.hpp), but in one go, which pays off where a statement shows many
// attributes.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

struct RowDecision;

struct RowArm {
  std::uint32_t attribute = 0;      // index into DisclosureTree::attributes
  std::vector<std::string> values;  // non-empty
  std::uint64_t rows = 0;           // of the data that built the tree: for estimates only
  std::vector<RowDecision> then;    // exactly one: decide further, within this arm (no fall-through)
};

// Is read like this: the first arm whose attribute is (known to be) equal to one of its values decides; if no
// arm does, `released` applies.
struct RowDecision {
  std::uint64_t released = 0;  // bit a: attribute a
  std::vector<RowArm> arms;
};

// The result equals the tree on every row. Tests are reordered as in compile_decisions, and not otherwise.
[[nodiscard]] RowDecision compile_row_decision(const DisclosureTree& tree);

// For tests: evaluates it on a row.
[[nodiscard]] std::uint64_t released_attributes(const RowDecision& decision,
                                                std::span<const std::optional<std::string_view>> values);

}  // namespace pgveil::policy
