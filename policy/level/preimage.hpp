#pragma once
// The pre-image of a level's value: conditions on the raw column, which a mask tests
// (rewriter/mask/mask_level.hpp). Two checks ensure that level and pre-image agree: tests against PostgreSQL,
// and the verifier of each mask, which computes no pre-image but calls level_value at the ends of each range.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/level/level.hpp"

namespace pgveil::policy {

// A pre-image is the set of texts with one value of the level. The ends of a range are numbers or ISO dates;
// lower ≤ x < upper.
struct RangeOf {
  std::optional<std::string> lower;
  std::optional<std::string> upper;
  bool operator==(const RangeOf&) const = default;
};
// The first `length` characters of the text (all of them, if it has fewer) are `start`.
struct StartsWith {
  std::uint32_t length = 1;
  std::string start;
  bool operator==(const StartsWith&) const = default;
};
struct OneOf {
  std::vector<std::string> values;  // ascending, not empty
  bool operator==(const OneOf&) const = default;
};
using Preimage = std::variant<RangeOf, StartsWith, OneOf>;

// nullopt: the level never has this value.
[[nodiscard]] std::optional<Preimage> preimage_of(const Level& level, std::string_view value);

// Some text of the column with this level's value. REQUIRES: preimage_of has one.
[[nodiscard]] std::string sample_of(const Level& level, std::string_view value);

}  // namespace pgveil::policy
