#pragma once
// Decimal numbers as texts have them, exactly: no double, no rounding.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pgveil::engine {

// 18 digits scaled by up to 10^18 fit, and so do sums of a few.
__extension__ using Wide = __int128;

// digits · 10^−scale.
struct Decimal {
  std::int64_t digits = 0;
  unsigned scale = 0;
};

// A sign, digits, and after a dot more digits; at most 18 in all. No exponent.
[[nodiscard]] std::optional<Decimal> decimal_of(std::string_view text);

// How many of 10^−scale. REQUIRES: number.scale ≤ scale ≤ 18.
[[nodiscard]] Wide scaled(const Decimal& number, unsigned scale);

// number · 10^−scale, without zeros at the end of a fraction.
[[nodiscard]] std::string decimal_text(Wide number, unsigned scale);

}  // namespace pgveil::engine
