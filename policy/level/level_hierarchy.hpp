#pragma once
// A level out of a hierarchy file, the form in which jobs of `pgveil anonymize` take theirs: separated text
// without a header, one record for each value, the value first and then its ancestors from fine to coarse.
//
//   Kiel;coast;north
//   Ulm;hills;south
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/error.hpp"
#include "policy/level/level.hpp"

namespace pgveil::policy {

inline constexpr std::size_t kMaxHierarchyValues = 100'000;

// The values' ancestors of one step: 1 is the field next to the value. Errors, naming the record: what
// separated_text.hpp refuses, text that is not UTF-8 or has control characters, uneven records, a value
// twice, an ancestor without name, no such step, more than kMaxHierarchyValues, no record.
[[nodiscard]] Result<Groups> groups_of_hierarchy(std::string_view text, char separator, std::uint32_t step);

}  // namespace pgveil::policy
