#pragma once
// Counts of exact values, as a tree with levels sees them.
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

// These attributes only, in this order; entries in the same order, equal combinations are not merged. An
// attribute without level is found by its number, one with a level is computed of its source's exact values.
// REQUIRES: has_sources(counts, attributes).
[[nodiscard]] Counts with_attributes(const Counts& counts, std::span<const TreeAttribute> attributes);

// The policy's quasi-identifiers of this table, as the attributes of its tree: ascending by number.
// REQUIRES: numbers has the number of each of them and of their sources.
[[nodiscard]] std::vector<TreeAttribute> attributes_of(
    const PolicySpec& spec, const std::map<std::string, int, std::less<>>& numbers);

// The same policy without levels, the columns that show one taken out: its counts have what levels are
// computed of.
[[nodiscard]] PolicySpec without_levels(PolicySpec spec);

// Has `counts` the exact values of all that these are functions of?
[[nodiscard]] bool has_sources(const Counts& counts, std::span<const TreeAttribute> attributes);

// One row's values. exact[a] is the exact value of attribute a's source; nullopt is NULL.
[[nodiscard]] std::vector<std::optional<std::string>> with_levels(
    std::span<const TreeAttribute> attributes, std::span<const std::optional<std::string_view>> exact);

}  // namespace pgveil::policy
