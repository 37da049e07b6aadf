#pragma once
// The pre-image of a level's value: conditions on the raw column, which a mask asks for
// (rewriter/mask/mask_level.hpp). That both agree is tested against PostgreSQL, and by the verifier of each
// mask, which computes no pre-image but asks level_value at its ends.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/level/level.hpp"

namespace pgveil::policy {

// The texts whose level has one value. Ends of a range are numbers or ISO dates; lower ≤ x < upper.
struct RangeOf {
  std::optional<std::string> lower;
  std::optional<std::string> upper;
  bool operator==(const RangeOf&) const = default;
};
// Its first `length` characters (all, if it has fewer) are `start`.
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
