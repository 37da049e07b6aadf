#pragma once
// From the tree to one decision per attribute: is this row's value of attribute a released? Simplified: equal
// outcomes are merged, tests of one attribute that follow each other and have equal outcomes become one
// membership test, and nothing else is reordered, so the decision equals the tree on every combination,
// unseen values and NULL included.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// Read as: the first arm whose attribute is (known to be) equal to one of its values decides; no arm: not
// released. This is SQL's CASE WHEN … ELSE NULL END, positive conditions only.
struct Decision;

struct Arm {
  std::uint32_t attribute = 0;      // index into DisclosureTree::attributes
  std::vector<std::string> values;  // non-empty, in tree order; `attribute = ANY (values)`
  // Empty: released. One element: decide further, within this arm (no fall-through).
  std::vector<Decision> then;
  std::uint64_t rows = 0;  // of the data that built the tree: for estimates only
  std::string shows = {};  // where released and the decision is of a level: its value; else empty
};

struct Decision {
  std::vector<Arm> arms;  // empty: not released for any row
};

// One Decision per tree attribute, in tree.attributes order. A level that has no value where it is released
// (level.hpp) is not released. An arm that can never release anything is kept only where a later arm would
// otherwise catch its rows.
[[nodiscard]] std::vector<Decision> compile_decisions(const DisclosureTree& tree);

// For tests and `policy explain`: evaluates one decision on a row.
[[nodiscard]] bool is_released(const Decision& decision,
                               std::span<const std::optional<std::string_view>> values);

// The same for one of a level: what it shows; nullopt: it is not released.
[[nodiscard]] std::optional<std::string> shown_constant(
    const Decision& decision, std::span<const std::optional<std::string_view>> values);

}  // namespace pgveil::policy
