#include "rewriter/verify/verify_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <variant>

namespace pgveil::rewriter {
namespace {

using policy::Level;
using policy::level_value;
using Released = std::set<std::string, std::less<>>;

int whole_number(std::string_view text) {
  int out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || text.starts_with('-'))
    fail("digits");
  return out;
}

bool is_date(std::string_view text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-';
}

std::string day_before(std::string_view date) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year = whole_number(date.substr(0, 4));
  int month = whole_number(date.substr(5, 2));
  int day = whole_number(date.substr(8, 2)) - 1;
  if (day == 0 && --month == 0) {
    month = 12;
    --year;
  }
  const bool has_leap_day = month == 2 && (year % 400 == 0 || (year % 4 == 0 && year % 100 != 0));
  if (day == 0) day = kDays.at(static_cast<std::size_t>(month - 1)) + (has_leap_day ? 1 : 0);
  return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

// One ten-thousandth less: no end of a level's value is in between.
std::string number_before(std::string_view number) {
  const bool is_negative = number.starts_with('-');
  if (is_negative) number.remove_prefix(1);
  const std::size_t dot = std::min(number.find('.'), number.size());
  std::string digits(number.substr(0, dot));
  std::string places(number.substr(std::min(dot + 1, number.size())));
  if (places.size() > 4) fail("at most four places");
  places.resize(4, '0');
  digits += places;
  std::int64_t scaled = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), scaled);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || scaled < 0) fail("a number");
  scaled = (is_negative ? -scaled : scaled) - 1;
  const std::int64_t size = scaled < 0 ? -scaled : scaled;
  return fmt::format("{}{}.{:04}", scaled < 0 ? "-" : "", size / 10'000, size % 10'000);
}

std::string value_before(std::string_view value) {
  return is_date(value) ? day_before(value) : number_before(value);
}

// The ends of timestamp ranges are midnights.
std::string plain_end(const std::string& end) {
  for (const std::string_view midnight : {" 00:00:00", " 00:00:00+00"}) {
    if (end.ends_with(midnight)) return end.substr(0, end.size() - midnight.size());
  }
  return end;
}

// The value of the level whose raw values are those in the range; nullopt: none.
std::optional<std::string> value_of(const Level& level, const MaskReader::Range& range) {
  if (!range.lower && !range.upper) return std::nullopt;
  const std::string lower = range.lower ? plain_end(*range.lower) : std::string("-Infinity");
  const std::string upper = range.upper ? plain_end(*range.upper) : std::string("Infinity");
  auto value = level_value(level, lower);
  if (!value) return std::nullopt;
  const bool ends_below = !range.lower || level_value(level, value_before(lower)) != value;
  const bool ends_above =
      range.upper ? level_value(level, value_before(upper)) == value && level_value(level, upper) != value
                  : level_value(level, upper) == value;
  return ends_below && ends_above ? value : std::nullopt;
}

bool are_ranges_of(const Level& level, const MaskReader::Test& test, const Released& released) {
  return test.values.empty() && !test.ranges.empty() &&
         std::ranges::all_of(test.ranges, [&](const MaskReader::Range& range) {
           const auto value = value_of(level, range);
           return value && released.contains(*value);
         });
}

// A test must contain all raw values of a group's value together.
bool are_values_of(const Level& level, const policy::Groups& groups, const MaskReader::Test& test,
                   const Released& released) {
  Released labels;
  for (const std::string& raw : test.values) {
    auto label = level_value(level, raw);
    if (!label || !released.contains(*label)) return false;
    labels.insert(std::move(*label));
  }
  return std::ranges::all_of(groups.labels, [&](const auto& listed) {
    return !labels.contains(listed.second) || test.values.contains(listed.first);
  });
}

std::string raw_day_in(const Level& level, std::string_view value) {
  for (std::string raw : {std::string(value), fmt::format("{}-01", value)}) {
    if (is_date(raw) && level_value(level, raw) == value) return raw;
  }
  const int year = value.size() < 4 ? 0 : whole_number(value.substr(0, 4));
  for (int month = 1; month <= 12; ++month) {
    for (int day = 1; day <= 31; ++day) {
      std::string raw = fmt::format("{:04}-{:02}-{:02}", year, month, day);
      if (level_value(level, raw) == value) return raw;
    }
  }
  fail("a period's value");
}

// Reads "30", "[30,40)" or "(,40)".
std::string raw_number_in(std::string_view value) {
  const std::size_t comma = value.find(',');
  if (comma == std::string_view::npos) return std::string(value);
  if (value.starts_with('[')) return std::string(value.substr(1, comma - 1));
  return number_before(value.substr(comma + 1, value.size() - comma - 2));
}

struct RawValue {
  const Level& level;
  std::string_view value;

  std::string operator()(const policy::Bins&) const { return raw_number_in(value); }
  std::string operator()(const policy::Bounds&) const { return raw_number_in(value); }
  std::string operator()(policy::Period) const { return raw_day_in(level, value); }
  std::string operator()(const policy::Prefix&) const {
    return std::string(value.substr(0, value.size() - 1));
  }
  std::string operator()(const policy::Groups& groups) const {
    for (const auto& [raw, label] : groups.labels) {
      if (label == value) return raw;
    }
    fail("a label of the hierarchy");
  }
};

struct AsksFor {
  const Level& level;
  const MaskReader::Test& test;
  const Released& released;

  bool operator()(const policy::Bins&) const { return !test.length && are_ranges_of(level, test, released); }
  bool operator()(const policy::Bounds&) const {
    return !test.length && are_ranges_of(level, test, released);
  }
  bool operator()(policy::Period) const { return !test.length && are_ranges_of(level, test, released); }
  bool operator()(const policy::Prefix& prefix) const {
    return test.length == prefix.length && test.ranges.empty() &&
           std::ranges::all_of(test.values, [&](const std::string& start) {
             return released.contains(start + "*") && level_value(level, start) == start + "*";
           });
  }
  bool operator()(const policy::Groups& groups) const {
    return !test.length && test.ranges.empty() && are_values_of(level, groups, test, released);
  }
};

}  // namespace

std::string raw_value_in(const Level& level, std::string_view value) {
  if (value.empty()) fail("a level's value");
  std::string raw = std::visit(RawValue{level, value}, level.method);
  if (level_value(level, raw) != value) fail("a level's value");
  return raw;
}

bool asks_for_values_of(const Level& level, const MaskReader::Test& test, const Released& released) {
  return std::visit(AsksFor{level, test, released}, level.method);
}

}  // namespace pgveil::rewriter
