#include "jobs/columnar/arrow_cells.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

#include "common/assert.hpp"
#include "common/utf8.hpp"

namespace pgveil::app {
namespace {

constexpr std::int64_t kSecondsOfDay = 86'400;
constexpr std::int64_t kNanosOfSecond = 1'000'000'000;
constexpr std::int64_t kMostDays = 4'000'000;  // beyond the year 9999, and what std::chrono can count
constexpr std::int32_t kMostScale = 1'000;     // the widest decimals have 76 digits

Error out_of_years() {
  return invalid_input("has a date that is not of the years 1 to 9999",
                       "leave such records out of the input");
}

std::int64_t floor_of(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

template <class Number>
Text add_floating(Number value, std::string& to) {
  if (std::isnan(value)) return false;
  if (value == 0) value = 0;  // without a sign
  // The point, the sign and the digits of the least number.
  std::array<char, 2 + std::numeric_limits<Number>::max_digits10 -
                       std::numeric_limits<Number>::min_exponent10 +
                       std::numeric_limits<Number>::max_digits10>
      digits;
  const auto made = std::isinf(value)
                        ? std::to_chars(digits.begin(), digits.end(), value)
                        : std::to_chars(digits.begin(), digits.end(), value, std::chars_format::fixed);
  PGVEIL_ASSERT(made.ec == std::errc{});
  to.append(digits.begin(), made.ptr);
  return true;
}

}  // namespace

std::int64_t ticks_per_second(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: return 1;
    case arrow::TimeUnit::MILLI: return 1'000;
    case arrow::TimeUnit::MICRO: return 1'000'000;
    case arrow::TimeUnit::NANO: return kNanosOfSecond;
  }
  return 1;
}

Text add_date(std::int64_t days, std::string& to) {
  if (days > kMostDays || days < -kMostDays) return out_of_years();
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  const int year = static_cast<int>(date.year());
  if (year < 1 || year > 9'999) return out_of_years();
  fmt::format_to(std::back_inserter(to), "{:04}-{:02}-{:02}", year, static_cast<unsigned>(date.month()),
                 static_cast<unsigned>(date.day()));
  return true;
}

Text add_date_of_milliseconds(std::int64_t milliseconds, std::string& to) {
  return add_date(floor_of(milliseconds, kSecondsOfDay * 1'000), to);
}

Text add_time(std::int64_t ticks, arrow::TimeUnit::type unit, std::string& to) {
  const std::int64_t scale = ticks_per_second(unit);
  if (ticks < 0 || ticks >= kSecondsOfDay * scale)
    return invalid_input("has a time that is not between 00:00 and 24:00",
                         "leave such records out of the input");
  const std::int64_t seconds = ticks / scale;
  const std::int64_t nanos = ticks % scale * (kNanosOfSecond / scale);
  fmt::format_to(std::back_inserter(to), "{:02}:{:02}:{:02}", seconds / 3'600, seconds / 60 % 60,
                 seconds % 60);
  if (nanos % 1'000 != 0) {
    fmt::format_to(std::back_inserter(to), ".{:09}", nanos);
  } else if (nanos != 0) {
    fmt::format_to(std::back_inserter(to), ".{:06}", nanos / 1'000);
  }
  return true;
}

Text add_timestamp(std::int64_t ticks, const arrow::TimestampType& type, std::string& to) {
  const std::int64_t ticks_of_day = kSecondsOfDay * ticks_per_second(type.unit());
  const std::int64_t day = floor_of(ticks, ticks_of_day);
  if (auto dated = add_date(day, to); !dated) return dated;
  std::int64_t time = ticks % ticks_of_day;
  if (time < 0) time += ticks_of_day;
  const bool has_zone = !type.timezone().empty();
  if (time == 0 && !has_zone) return true;
  to += ' ';
  auto timed = add_time(time, type.unit(), to);
  if (has_zone) to += "+00:00";
  return timed;
}

Text add_number(double value, std::string& to) {
  return add_floating(value, to);
}

Text add_number(float value, std::string& to) {
  return add_floating(value, to);
}

Text add_decimal(std::string_view digits, std::int32_t scale, std::string& to) {
  if (scale > kMostScale || scale < -kMostScale)
    return invalid_input("has a decimal of too many digits", "write its column with a smaller scale");
  if (digits.starts_with('-')) {
    to += '-';
    digits.remove_prefix(1);
  }
  std::string padded(digits);
  if (scale < 0 && padded != "0") padded.append(static_cast<std::size_t>(-scale), '0');
  const auto places = static_cast<std::size_t>(std::max(scale, 0));
  if (padded.size() <= places) padded.insert(0, places + 1 - padded.size(), '0');
  to.append(padded, 0, padded.size() - places);
  if (places > 0) to.append(".").append(padded, padded.size() - places);
  return true;
}

Text add_string(std::string_view value, std::string& to) {
  if (utf8_prefix(value) != value.size())
    return invalid_input("has a text that is not UTF-8", "write its column as UTF-8");
  to += value;
  return true;
}

bool has_texts(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY) {
    const auto& of_values = *static_cast<const arrow::DictionaryType&>(type).value_type();
    return of_values.id() != arrow::Type::DICTIONARY && has_texts(of_values);
  }
  const auto none = arrow::MakeEmptyArray(type.GetSharedPtr());
  return none.ok() && with_texts(**none, [](auto&&) {});
}

}  // namespace pgveil::app
