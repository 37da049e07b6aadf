#pragma once
// Turns counts of exact values into the counts that a tree with levels sees.
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/counts/counts.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// The counts of these attributes only, in this order. The entries keep their order, and equal combinations
// are not merged. An attribute without a level is found by its number; one with a level is computed from the
// exact values of its source. REQUIRES: has_sources(counts, attributes).
[[nodiscard]] Counts with_attributes(const Counts& counts, std::span<const TreeAttribute> attributes);

// The policy's quasi-identifiers as the attributes of its tree, ascending by number.
// REQUIRES: numbers has the number of each of them and of their sources.
[[nodiscard]] std::vector<TreeAttribute> attributes_of(
    const PolicySpec& spec, const std::map<std::string, int, std::less<>>& numbers);

// The same policy without levels and without the columns that exist only to show one. Counts of this policy
// have the exact values that levels are computed from.
[[nodiscard]] PolicySpec without_levels(PolicySpec spec);

// Whether `counts` has the exact values from which all these attributes are computed.
[[nodiscard]] bool has_sources(const Counts& counts, std::span<const TreeAttribute> attributes);

// One row's values, levels included. exact[a] is the exact value of attribute a's source; nullopt is NULL.
[[nodiscard]] std::vector<std::optional<std::string>> with_levels(
    std::span<const TreeAttribute> attributes, std::span<const std::optional<std::string_view>> exact);

}  // namespace pgveil::policy
