#pragma once
// Reads a level from a hierarchy file, in the form that jobs of `pgveil anonymize` use: separated text
// without a header, one record per value. The value comes first, then its ancestors from fine to coarse.
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

// The ancestors of all values at one step; step 1 is the field next to the value. Errors name the record:
// whatever separated_text.hpp refuses, text that is not UTF-8 or has control characters, records of different
// lengths, a value that occurs twice, an ancestor without a name, a step that does not exist, more than
// kMaxHierarchyValues, no record.
[[nodiscard]] Result<Groups> groups_of_hierarchy(std::string_view text, char separator, std::uint32_t step);

}  // namespace pgveil::policy
