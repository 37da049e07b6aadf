#pragma once
// The decision for a whole row (row_decision.hpp) as bitmaps, which a server starts in the same time however
// large the tree is. Reading few rows is faster this way, and reading many is slower.
//
// A region is a path of the decision that releases something. Each attribute excludes some regions by its
// value, independently of the other attributes. So the AND of one bitmap for each attribute has at most one
// bit, which is that of the row's region (bit vectors, Lakshman and Stiliadis 1998). Without a bit the row
// releases nothing. Plain values; pure.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/decision/row_decision.hpp"

namespace pgveil::policy {

// The regions that the values of one attribute leave possible: one bitmap, with a bit for each region, for
// each value.
struct AttributeBitmaps {
  std::uint32_t attribute = 0;             // index into DisclosureTree::attributes
  std::vector<std::string> values;         // that the decision tests, in the order of their first test
  std::vector<std::vector<bool>> bitmaps;  // by value
  std::vector<bool> otherwise;             // of NULL and of all other values
};

struct RegionBitmaps {
  std::vector<AttributeBitmaps> attributes;  // that the decision tests, ascending
  std::vector<std::uint64_t> released;       // by region: bit a for attribute a, never 0
};

// Finding a value takes time in proportion to the values of its attribute.
inline constexpr std::size_t kMostBitmapValues = 64;

// nullopt: nothing is ever released or tested, an attribute has more than kMostBitmapValues values, or there
// are more than `most_bits` bits.
[[nodiscard]] std::optional<RegionBitmaps> region_bitmaps(const RowDecision& decision, std::size_t most_bits);

// For tests: evaluates them on a row.
[[nodiscard]] std::uint64_t released_attributes(const RegionBitmaps& bitmaps,
                                                std::span<const std::optional<std::string_view>> values);

}  // namespace pgveil::policy
