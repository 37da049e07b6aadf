#include "engine/data/measured_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/data/calendar.hpp"
#include "engine/data/invalid_values.hpp"

namespace pgveil::engine {
namespace {

constexpr Wide kTooLarge = 1'000'000'000'000'000'000;

bool is_date(const std::string& value) {
  return calendar_day(value).has_value();
}

// The values that differ in kind from most.
template <class IsGood>
std::vector<std::string> strange_values(const Column& column, const std::optional<std::string>& null_text,
                                        IsGood&& is_good) {
  std::vector<std::string> strange;
  for (const auto& value : column.values) {
    if (value != null_text && !is_good(value)) strange.push_back(value);
  }
  return strange;
}

MeasuredValues days_of(const Column& column, const std::optional<std::string>& null_text) {
  MeasuredValues made{MeasuredAs::date, 0, {}};
  for (const auto& value : column.values) {
    const bool is_null = value == null_text;
    made.exact.push_back(is_null ? std::nullopt : std::optional(day_number(*calendar_day(value))));
  }
  return made;
}

Result<MeasuredValues> numbers_of(const Column& column, const std::optional<std::string>& null_text) {
  MeasuredValues made;
  for (const auto& value : column.values) {
    if (value != null_text) made.scale = std::max(made.scale, decimal_of(value)->scale);
  }
  std::vector<std::string> large;
  for (const auto& value : column.values) {
    if (value == null_text) {
      made.exact.emplace_back();
      continue;
    }
    const Wide number = scaled(*decimal_of(value), made.scale);
    if (number >= kTooLarge || number <= -kTooLarge) large.push_back(value);
    made.exact.emplace_back(static_cast<std::int64_t>(number));
  }
  if (large.empty()) return made;
  return invalid_values(
      fmt::format("{} values of {} have more than 18 digits, counted with the {} decimals that "
                  "others have",
                  large.size(), column.name, made.scale),
      "round the column", large);
}

}  // namespace

std::int64_t MeasuredValues::range() const {
  std::optional<std::int64_t> least, greatest;
  for (const auto& number : exact) {
    if (!number) continue;
    least = std::min(least.value_or(*number), *number);
    greatest = std::max(greatest.value_or(*number), *number);
  }
  return least ? *greatest - *least : 0;
}

Result<MeasuredValues> measure_values(const Column& column, const std::optional<std::string>& null_text) {
  const auto no_numbers = strange_values(column, null_text, decimal_of);
  if (no_numbers.empty()) return numbers_of(column, null_text);
  const auto no_dates = strange_values(column, null_text, is_date);
  if (no_dates.empty()) return days_of(column, null_text);
  const bool are_dates = no_dates.size() < no_numbers.size();
  const auto& strange = are_dates ? no_dates : no_numbers;
  return invalid_values(
      fmt::format("{} values of {} are no {}", strange.size(), column.name,
                  are_dates ? "dates YYYY-MM-DD" : "numbers of at most 18 digits"),
      "correct them, name the text that stands for NULL, or show the mode, which takes any values", strange);
}

std::string measured_text(const MeasuredValues& values, Wide parts, unsigned digits) {
  switch (values.measured_as) {
    case MeasuredAs::number: return decimal_text(parts, values.scale + digits);
    case MeasuredAs::date: return date_text(day_of_number(static_cast<std::int64_t>(parts)));
  }
  return "";
}

}  // namespace pgveil::engine
