#include <fmt/format.h>

#include <algorithm>

#include "engine/data/builder_parts.hpp"

namespace pgveil::engine {
namespace {

struct Day {
  unsigned year = 0;
  unsigned month = 0;
  unsigned day = 0;
};

unsigned days_in(unsigned year, unsigned month) {
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && is_leap ? 29 : kDays[month - 1];
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What may follow a date: nothing, or a blank or T and the characters of a time with its zone.
bool is_time(std::string_view rest) {
  if (rest.empty()) return true;
  if ((rest[0] != ' ' && rest[0] != 'T') || rest.size() < 2) return false;
  return std::ranges::all_of(rest.substr(1), [](char c) {
    return is_digit(c) || c == ':' || c == '.' || c == '+' || c == '-' || c == 'Z';
  });
}

std::optional<Day> day_of(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  if (text.size() < kForm.size() || !is_time(text.substr(kForm.size()))) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == 'd' ? !is_digit(text[i]) : text[i] != '-') return std::nullopt;
  }
  const auto number = [text](std::size_t at, std::size_t size) {
    unsigned made = 0;
    for (const char c : text.substr(at, size)) made = made * 10 + static_cast<unsigned>(c - '0');
    return made;
  };
  const Day day{number(0, 4), number(5, 2), number(8, 2)};
  if (day.year == 0 || day.month < 1 || day.month > 12) return std::nullopt;
  if (day.day < 1 || day.day > days_in(day.year, day.month)) return std::nullopt;
  return day;
}

std::string label(const Day& day, DateStep step) {
  switch (step) {
    case DateStep::day: return fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
    case DateStep::month: return fmt::format("{:04}-{:02}", day.year, day.month);
    case DateStep::quarter: return fmt::format("{:04}-Q{}", day.year, (day.month + 2) / 3);
    case DateStep::year: return fmt::format("{:04}", day.year);
    case DateStep::decade: return fmt::format("{:04}s", day.year / 10 * 10);
  }
  return "";
}

}  // namespace

Result<BuiltRows> build(const Dates& rule, std::string_view column, std::span<const std::string> values) {
  const auto is_rising = std::ranges::adjacent_find(rule.steps, std::greater_equal<>()) == rule.steps.end();
  if (rule.steps.empty() || !is_rising) {
    return rule_error(fmt::format("the steps of the dates of {} are none, or not in order", column),
                      "list some of day, month, quarter, year, decade, in this order");
  }
  BuiltRows built{rule.steps.size() + 2, {}};
  std::vector<std::string> strange;
  for (const auto& value : values) {
    const auto day = day_of(value);
    if (!day) {
      strange.push_back(value);
      continue;
    }
    auto& row = built.rows.emplace_back(1, value);
    for (const auto step : rule.steps) row.push_back(label(*day, step));
    row.emplace_back(kEverything);
  }
  if (strange.empty()) return built;
  return values_error(fmt::format("{} values of {} are no dates YYYY-MM-DD", strange.size(), column),
                      "correct them, or use a hierarchy file", strange);
}

}  // namespace pgveil::engine
