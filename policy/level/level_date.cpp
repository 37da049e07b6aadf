#include "policy/level/level_date.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace pgveil::policy {

namespace {

struct Date {
  int year = 0;
  int month = 1;
  int day = 1;
};

constexpr bool is_leap(int year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr int days_in(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// For years above 0.
constexpr std::int64_t days_before(int year) {
  const std::int64_t past = year - 1;
  return past * 365 + past / 4 - past / 100 + past / 400;
}

Day day_at(const Date& date) {
  std::int64_t number = days_before(date.year) - days_before(1970);
  for (int month = 1; month < date.month; ++month) number += days_in(date.year, month);
  return {number + date.day - 1};
}

Date date_at(Day at) {
  std::int64_t left = at.number + days_before(1970);
  Date date{static_cast<int>(left * 400 / 146'097), 1, 1};  // of this year or the next one
  date.year = std::max(date.year, 1);
  while (days_before(date.year + 1) <= left) ++date.year;
  left -= days_before(date.year);
  for (; left >= days_in(date.year, date.month); ++date.month) left -= days_in(date.year, date.month);
  date.day = static_cast<int>(left) + 1;
  return date;
}

Day later(Day at, std::int64_t days) {
  return {at.number + days};
}

constexpr int kFirstYear = 1000;
constexpr int kLastYear = 9998;  // the year after it still has four digits

std::optional<int> number(std::string_view text) {
  int out = 0;
  if (text.empty() || text.front() == '-' || text.front() == '+') return std::nullopt;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return out;
}

std::optional<Day> day(std::optional<int> year, std::optional<int> month, std::optional<int> of_month) {
  if (!year || !month || !of_month || *year < kFirstYear || *year > kLastYear || *month < 1 || *month > 12 ||
      *of_month < 1 || *of_month > days_in(*year, *month)) {
    return std::nullopt;
  }
  return day_at({*year, *month, *of_month});
}

Day first_of(int year, int month) {
  return day_at({year, month, 1});
}

int year_of(Day at) {
  return date_at(at).year;
}

int month_of(Day at) {
  return date_at(at).month;
}

// 1970-01-01 was a Thursday.
Day monday_of(Day at) {
  const std::int64_t since_monday = (at.number + 3) % 7;
  return later(at, -(since_monday < 0 ? since_monday + 7 : since_monday));
}

// ISO: a week belongs to the year of its Thursday.
int week_year(Day monday) {
  return year_of(later(monday, 3));
}

Day first_monday(int year) {
  return monday_of(later(first_of(year, 1), 3));
}

Days months_from(Day first, int count) {
  const int year = year_of(first);
  const int next = month_of(first) + count;
  return {first, first_of(next > 12 ? year + 1 : year, next > 12 ? next - 12 : next)};
}

Days whole(Period period, Day at) {
  const int year = year_of(at);
  switch (period) {
    case Period::day: return {at, later(at, 1)};
    case Period::week: return {monday_of(at), later(monday_of(at), 7)};
    case Period::month: return months_from(first_of(year, month_of(at)), 1);
    case Period::quarter: return months_from(first_of(year, (month_of(at) - 1) / 3 * 3 + 1), 3);
    case Period::year: return {first_of(year, 1), first_of(year + 1, 1)};
    case Period::decade: return {first_of(year / 10 * 10, 1), first_of(year / 10 * 10 + 10, 1)};
  }
  return {at, at};
}

std::string label(Period period, Day first) {
  const int year = year_of(first);
  switch (period) {
    case Period::day: return text_of(first);
    case Period::week: {
      const int of = week_year(first);
      return fmt::format("{:04}-W{:02}", of, (first.number - first_monday(of).number) / 7 + 1);
    }
    case Period::month: return fmt::format("{:04}-{:02}", year, month_of(first));
    case Period::quarter: return fmt::format("{:04}-Q{}", year, (month_of(first) - 1) / 3 + 1);
    case Period::year: return fmt::format("{:04}", year);
    case Period::decade: return fmt::format("{:04}s", year);
  }
  return {};
}

}  // namespace

std::optional<Day> day_of(std::string_view text) {
  const bool is_dated = text.size() >= 10 && text[4] == '-' && text[7] == '-' &&
                        (text.size() == 10 || text[10] == ' ') && !text.ends_with("BC");
  if (!is_dated) return std::nullopt;
  return day(number(text.substr(0, 4)), number(text.substr(5, 2)), number(text.substr(8, 2)));
}

std::string text_of(Day at) {
  const Date date = date_at(at);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::optional<Days> days_of(Period period, Day at) {
  const Days out = whole(period, at);
  if (year_of(out.first) < kFirstYear || year_of(out.end) > kLastYear + 1) return std::nullopt;
  return out;
}

std::string show(Period period, Day first, LevelShows shows) {
  switch (shows) {
    case LevelShows::label: return label(period, first);
    case LevelShows::start: return text_of(first);
  }
  return {};
}

std::optional<Day> day_in(Period period, std::string_view shown, LevelShows shows) {
  if (shows == LevelShows::start) return shown.size() == 10 ? day_of(shown) : std::nullopt;
  const auto year = number(shown.substr(0, 4));
  const std::string_view rest = shown.substr(std::min<std::size_t>(shown.size(), 6));
  switch (period) {
    case Period::day: return shown.size() == 10 ? day_of(shown) : std::nullopt;
    case Period::week: {
      const auto week = number(rest);
      if (!day(year, 1, 1) || !week || *week < 1 || *week > 53) return std::nullopt;
      return later(first_monday(*year), 7 * (*week - 1));
    }
    case Period::month: return day(year, number(shown.substr(std::min<std::size_t>(shown.size(), 5))), 1);
    case Period::quarter: {
      const auto quarter = number(rest);
      return quarter && *quarter <= 4 ? day(year, *quarter * 3 - 2, 1) : std::nullopt;
    }
    case Period::year:
    case Period::decade: return day(year, 1, 1);
  }
  return std::nullopt;
}

}  // namespace pgveil::policy
