#include "engine/data/calendar.hpp"

#include <fmt/format.h>

#include "common/ascii.hpp"

namespace pgveil::engine {
namespace {

// Years are counted from March, so the leap day is the last day. 400 years have this many days.
constexpr std::int64_t kDaysOf400Years = 146'097;

unsigned days_in(unsigned year, unsigned month) {
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && is_leap ? 29 : kDays[month - 1];
}

}  // namespace

std::optional<CalendarDay> calendar_day(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == 'd' ? !is_digit(text[i]) : text[i] != '-') return std::nullopt;
  }
  const auto number = [text](std::size_t at, std::size_t size) {
    unsigned made = 0;
    for (const char c : text.substr(at, size)) made = made * 10 + static_cast<unsigned>(c - '0');
    return made;
  };
  const CalendarDay day{number(0, 4), number(5, 2), number(8, 2)};
  if (day.year == 0 || day.month < 1 || day.month > 12) return std::nullopt;
  if (day.day < 1 || day.day > days_in(day.year, day.month)) return std::nullopt;
  return day;
}

std::int64_t day_number(const CalendarDay& day) {
  const std::int64_t year = std::int64_t{day.year} - (day.month <= 2 ? 1 : 0);
  const std::int64_t month = day.month > 2 ? day.month - 3 : day.month + 9;  // March is 0
  const std::int64_t of_year = (153 * month + 2) / 5 + day.day - 1;
  const std::int64_t in_400 = year % 400;
  return year / 400 * kDaysOf400Years + in_400 * 365 + in_400 / 4 - in_400 / 100 + of_year;
}

CalendarDay day_of_number(std::int64_t number) {
  const std::int64_t in_400 = number % kDaysOf400Years;
  const std::int64_t year = (in_400 - in_400 / 1460 + in_400 / 36'524 - in_400 / 146'096) / 365;
  const std::int64_t of_year = in_400 - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  const std::int64_t begun = number / kDaysOf400Years * 400 + year + (month >= 10 ? 1 : 0);
  return {static_cast<unsigned>(begun), static_cast<unsigned>(month < 10 ? month + 3 : month - 9),
          static_cast<unsigned>(of_year - (153 * month + 2) / 5 + 1)};
}

std::string date_text(const CalendarDay& day) {
  return fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
}

}  // namespace pgveil::engine
