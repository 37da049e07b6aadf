#pragma once
// Days of the calendar as numbers, for ordering and computing with dates. The Gregorian calendar, years 1 to
// 9999, no time zones.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pgveil::engine {

struct CalendarDay {
  unsigned year = 0, month = 0, day = 0;
};

// Reads exactly YYYY-MM-DD. nullopt: anything else, or a day that the calendar does not have.
[[nodiscard]] std::optional<CalendarDay> calendar_day(std::string_view text);

// Consecutive numbers, above 0.
[[nodiscard]] std::int64_t day_number(const CalendarDay& day);
// REQUIRES: number is from day_number().
[[nodiscard]] CalendarDay day_of_number(std::int64_t number);

// YYYY-MM-DD
[[nodiscard]] std::string date_text(const CalendarDay& day);

}  // namespace pgveil::engine
