#pragma once
// Dates as levels see them: days of the years 1000 to 9998, which have one way of being written. Inside of
// policy.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/level/level.hpp"

namespace pgveil::policy {

struct Day {
  std::int64_t number = 0;  // from 1970-01-01 on, in the Gregorian calendar, as PostgreSQL counts
};

// "1987-05-04", or a timestamp that begins so ("1987-05-04 13:00:00+00"); nullopt: anything else, infinity
// and years BC included.
[[nodiscard]] std::optional<Day> day_of(std::string_view text);
[[nodiscard]] std::string text_of(Day day);

struct Days {
  Day first;
  Day end;  // not in it
};
[[nodiscard]] std::optional<Days> days_of(Period period, Day day);

[[nodiscard]] std::string show(Period period, Day first, LevelShows shows);
// The first day of a period that show() gave this text, or some other day where it gave none.
[[nodiscard]] std::optional<Day> day_in(Period period, std::string_view shown, LevelShows shows);

}  // namespace pgveil::policy
