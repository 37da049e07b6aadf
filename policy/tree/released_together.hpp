#pragma once
// What a split releases: its attribute, and the coarser levels of the same column, which follow from it.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// Per attribute, bit b: a split on it releases attribute b. At most kMaxQuasiIdentifiers (64) attributes.
[[nodiscard]] std::vector<std::uint64_t> released_together(const std::vector<TreeAttribute>& attributes);

// The value that `attribute` shows where this split is taken. nullopt: the split does not release the
// attribute, or its level has no value there.
[[nodiscard]] std::optional<std::string> released_value(const DisclosureTree& tree, const Split& split,
                                                        std::uint32_t attribute);

// All values of the attribute that some split of the tree releases, ascending.
[[nodiscard]] std::vector<std::string> values_released(const DisclosureTree& tree, std::uint32_t attribute);

// What rows at the end of this path show, per attribute of the tree; nullopt where it is hidden.
[[nodiscard]] std::vector<std::optional<std::string>> shown_by(const DisclosureTree& tree,
                                                               const std::vector<PathStep>& path);

// Per node: bit b is set if the path to the node has released attribute b.
[[nodiscard]] std::vector<std::uint64_t> released_on_path(const DisclosureTree& tree);

// 0: exact, or the only form of its column. 1, 2, …: a level beside the exact value, from fine to coarse.
template <class AnyAttribute>
[[nodiscard]] std::uint32_t coarseness_of(const AnyAttribute& attribute) {
  return attribute.level && attribute.level->source_number != attribute.number ? attribute.level->step : 0;
}

// The number of the column that the attribute is a function of.
template <class AnyAttribute>
[[nodiscard]] int source_of(const AnyAttribute& attribute) {
  return attribute.level ? attribute.level->source_number : attribute.number;
}

}  // namespace pgveil::policy
