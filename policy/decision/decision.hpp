#pragma once
// Turns the tree into one decision per attribute: is this row's value of attribute a released? The decisions
// are simplified. Equal outcomes are merged: consecutive tests of one attribute with equal outcomes become
// one membership test. Nothing else is reordered, so a decision equals the tree on every combination of
// values, including NULL and values that no row has had.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// A decision is read like this: the first arm whose attribute is (known to be) equal to one of the arm's
// values decides; if no arm does, the value is not released. This is SQL's CASE WHEN … ELSE NULL END with
// positive conditions only.
struct Decision;

struct Arm {
  std::uint32_t attribute = 0;      // index into DisclosureTree::attributes
  std::vector<std::string> values;  // non-empty, in tree order; `attribute = ANY (values)`
  // Empty: released. One element: that decision decides, and later arms are not tried (no fall-through).
  std::vector<Decision> then;
  std::uint64_t rows = 0;  // of the data that built the tree: for estimates only
  std::string shows = {};  // the level's value, where one is released; else empty
};

struct Decision {
  std::vector<Arm> arms;  // empty: not released for any row
};

// One Decision per tree attribute, in tree.attributes order. A level that has no value where it is released
// (level.hpp) counts as not released. An arm that can never release anything is kept only where a later arm
// would otherwise catch its rows.
[[nodiscard]] std::vector<Decision> compile_decisions(const DisclosureTree& tree);

// For tests and `policy explain`: evaluates one decision on a row.
[[nodiscard]] bool is_released(const Decision& decision,
                               std::span<const std::optional<std::string_view>> values);

// The same for a decision about a level: the value that is shown; nullopt: none is released.
[[nodiscard]] std::optional<std::string> shown_constant(
    const Decision& decision, std::span<const std::optional<std::string_view>> values);

}  // namespace pgveil::policy
