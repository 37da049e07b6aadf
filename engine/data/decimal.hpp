#pragma once
// Decimal numbers as texts write them, exactly: no double, no rounding.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pgveil::engine {

// Holds 18 digits scaled by up to 10^18, and sums of a few such numbers.
__extension__ using Wide = __int128;

// digits · 10^−scale.
struct Decimal {
  std::int64_t digits = 0;
  unsigned scale = 0;
};

// Reads a sign, digits, and after a dot more digits; at most 18 digits in all. No exponent.
[[nodiscard]] std::optional<Decimal> decimal_of(std::string_view text);

// The number in units of 10^−scale. REQUIRES: number.scale ≤ scale ≤ 18.
[[nodiscard]] Wide scaled(const Decimal& number, unsigned scale);

// number · 10^−scale as text, without zeros at the end of a fraction.
[[nodiscard]] std::string decimal_text(Wide number, unsigned scale);

}  // namespace pgveil::engine
