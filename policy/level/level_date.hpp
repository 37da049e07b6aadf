#pragma once
// Dates as levels see them: days of the years 1000 to 9998, because each of these is written in exactly one
// way. For policy/ only.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/level/level.hpp"

namespace pgveil::policy {

struct Day {
  std::int64_t number = 0;  // counted from 1970-01-01 in the Gregorian calendar, as PostgreSQL does
};

// Reads "1987-05-04", or a timestamp that begins with a date ("1987-05-04 13:00:00+00"). nullopt: anything
// else, including infinity and years BC.
[[nodiscard]] std::optional<Day> day_of(std::string_view text);
[[nodiscard]] std::string text_of(Day day);

struct Days {
  Day first;
  Day end;  // exclusive
};
[[nodiscard]] std::optional<Days> days_of(Period period, Day day);

[[nodiscard]] std::string show(Period period, Day first, LevelShows shows);
// The first day of the period for which show() gives this text. If show() gives this text for no period, the
// result may be any day.
[[nodiscard]] std::optional<Day> day_in(Period period, std::string_view shown, LevelShows shows);

}  // namespace pgveil::policy
