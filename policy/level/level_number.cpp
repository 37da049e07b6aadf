#include "policy/level/level_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "common/ascii.hpp"

namespace pgveil::policy {

namespace {

constexpr Scaled kBeyond = 2 * kLargestScaled;
// For starts, which must fit in an int4.
constexpr Scaled kLargestStart = 2'000'000'000 * kScale;

struct Digits {
  Scaled scaled = 0;      // rounded towards 0; kBeyond if it exceeds kLargestScaled
  bool has_rest = false;  // nonzero digits after the fourth place
};

std::optional<Digits> read_digits(std::string_view text) {
  Digits out;
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, dot);
  const std::string_view fraction = text.substr(std::min(dot + 1, text.size()));
  const bool is_number = !whole.empty() && std::ranges::all_of(whole, is_digit) &&
                         std::ranges::all_of(fraction, is_digit) && (dot == text.size() || !fraction.empty());
  if (!is_number) return std::nullopt;
  constexpr Scaled kLargestWhole = kLargestScaled / kScale;
  for (const char c : whole) {
    if (out.scaled <= kLargestWhole) out.scaled = out.scaled * 10 + (c - '0');
  }
  if (out.scaled > kLargestWhole) return Digits{kBeyond, false};
  for (std::size_t i = 0; i < 4; ++i)
    out.scaled = out.scaled * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  out.has_rest = fraction.size() > 4 && fraction.substr(4).find_first_not_of('0') != std::string_view::npos;
  if (out.scaled > kLargestScaled) return Digits{kBeyond, false};
  return out;
}

}  // namespace

std::optional<Scaled> scaled_of(std::string_view text) {
  if (text == "NaN" || text == "Infinity") return kBeyond;
  if (text == "-Infinity") return -kBeyond;
  const bool is_negative = text.starts_with('-');
  const auto digits = read_digits(text.substr(is_negative ? 1 : 0));
  if (!digits) return std::nullopt;
  if (!is_negative) return digits->scaled;
  return -digits->scaled - (digits->has_rest ? 1 : 0);
}

std::optional<Scaled> exactly_scaled(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const auto digits = read_digits(text.substr(is_negative ? 1 : 0));
  if (!digits || digits->has_rest || digits->scaled > kLargestScaled) return std::nullopt;
  return is_negative ? -digits->scaled : digits->scaled;
}

std::string text_of(Scaled number) {
  const Scaled size = std::abs(number);
  std::string out = fmt::format("{}{}", number < 0 ? "-" : "", size / kScale);
  if (size % kScale == 0) return out;
  out += fmt::format(".{:04}", size % kScale);
  while (out.back() == '0') out.pop_back();
  return out;
}

std::optional<Interval> interval_of(const Bins& bins, Scaled at) {
  if (std::abs(at) > kLargestScaled) return std::nullopt;
  const Scaled offset = at - bins.origin;
  const Scaled below = offset % bins.width;
  const Scaled lower = at - (below < 0 ? below + bins.width : below);
  if (lower < -kLargestScaled || lower > kLargestScaled - bins.width) return std::nullopt;
  return Interval{lower, lower + bins.width};
}

std::optional<Interval> interval_of(const Bounds& bounds, Scaled at) {
  const auto upper = std::ranges::upper_bound(bounds.cuts, at);
  Interval out;
  if (upper != bounds.cuts.begin()) out.lower = *(upper - 1);
  if (upper != bounds.cuts.end()) out.upper = *upper;
  return out;
}

std::optional<std::string> show(const Interval& interval, LevelShows shows) {
  switch (shows) {
    case LevelShows::label:
      return (interval.lower ? "[" + text_of(*interval.lower) : "(") + "," +
             (interval.upper ? text_of(*interval.upper) : "") + ")";
    case LevelShows::start:
      if (!interval.lower || std::abs(*interval.lower) > kLargestStart) return std::nullopt;
      return text_of(*interval.lower);
  }
  return std::nullopt;
}

std::optional<Scaled> number_in(std::string_view shown, LevelShows shows) {
  if (shows == LevelShows::start) return exactly_scaled(shown);
  const std::size_t comma = shown.find(',');
  if (shown.size() < 3 || comma == std::string_view::npos || shown.back() != ')') return std::nullopt;
  if (shown.front() == '[') return exactly_scaled(shown.substr(1, comma - 1));
  const auto upper = exactly_scaled(shown.substr(comma + 1, shown.size() - comma - 2));
  return upper ? std::optional(*upper - kScale) : std::nullopt;
}

}  // namespace pgveil::policy
