#include <fmt/format.h>

#include <algorithm>

#include "common/ascii.hpp"
#include "engine/data/builder_parts.hpp"
#include "engine/data/calendar.hpp"

namespace pgveil::engine {
namespace {

// What may follow a date: nothing, or a blank or T and the characters of a time with a time zone.
bool is_time(std::string_view rest) {
  if (rest.empty()) return true;
  if ((rest[0] != ' ' && rest[0] != 'T') || rest.size() < 2) return false;
  return std::ranges::all_of(rest.substr(1), [](char c) {
    return is_digit(c) || c == ':' || c == '.' || c == '+' || c == '-' || c == 'Z';
  });
}

std::optional<CalendarDay> day_of(std::string_view text) {
  constexpr std::size_t kDate = 10;
  if (text.size() < kDate || !is_time(text.substr(kDate))) return std::nullopt;
  return calendar_day(text.substr(0, kDate));
}

std::string label(const CalendarDay& day, DateStep step) {
  switch (step) {
    case DateStep::day: return date_text(day);
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
