#pragma once
// How many rows a column would keep if k persons had to share a value, as it is or generalized.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "draft/facts.hpp"

namespace pgveil::draft {

// The value that is shown in place of another one.
using Coarser = std::function<std::string(std::string_view value)>;

// The share of the sample's rows whose value is likely to belong to so many persons or more. unit: the
// column that tells persons apart; nullopt: each row is one. values: how many values the whole table has,
// if that is known. nullopt: the sample is too small to tell.
[[nodiscard]] std::optional<double> shared_share(const TableFacts& table, std::size_t column,
                                                 std::optional<std::size_t> unit, double persons,
                                                 std::optional<double> values, const Coarser& coarser);

// The first characters, and the lower end of a bin.
[[nodiscard]] Coarser prefix_of(std::size_t characters);
[[nodiscard]] Coarser bin_of(std::int64_t width);

}  // namespace pgveil::draft
