#pragma once
// Numbers as levels see them. For policy/ only.
#include <optional>
#include <string>
#include <string_view>

#include "policy/level/level.hpp"

namespace pgveil::policy {

// "-1.25" → -12500. The result is rounded down, which keeps the order relative to every bound. A number
// beyond kLargestScaled, infinity included, becomes a larger number than that, and NaN the largest of all, as
// PostgreSQL sorts them. nullopt: not a number.
[[nodiscard]] std::optional<Scaled> scaled_of(std::string_view text);
// The same for a bound that a policy names. nullopt also if it is not a whole number of ten-thousandths or is
// too large.
[[nodiscard]] std::optional<Scaled> exactly_scaled(std::string_view text);
// 12500 → "1.25"
[[nodiscard]] std::string text_of(Scaled number);

struct Interval {
  std::optional<Scaled> lower;
  std::optional<Scaled> upper;
};
[[nodiscard]] std::optional<Interval> interval_of(const Bins& bins, Scaled at);
[[nodiscard]] std::optional<Interval> interval_of(const Bounds& bounds, Scaled at);

// nullopt: such an interval cannot be shown in this way.
[[nodiscard]] std::optional<std::string> show(const Interval& interval, LevelShows shows);
// Some number of an interval for which show() gives this text; nullopt: it gives this text for none.
[[nodiscard]] std::optional<Scaled> number_in(std::string_view shown, LevelShows shows);

}  // namespace pgveil::policy
