#include "engine/publish/class_aggregate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/assert.hpp"
#include "engine/data/invalid_values.hpp"
#include "engine/publish/judged_rows.hpp"

namespace pgveil::engine {
namespace {

constexpr unsigned kMoreDigits = 2;  // additional digits of a mean
constexpr Wide kMoreParts = 100;     // 10^kMoreDigits
constexpr Wide kSignificant = 1'000'000;

// Ascending.
using Numbers = std::vector<std::pair<std::int64_t, std::uint64_t>>;

// Each number or day is divided into this many parts.
struct Parts {
  Wide each = 1;
  unsigned digits = 0;
};

Parts parts_of(MeasuredAs measured_as) {
  switch (measured_as) {
    case MeasuredAs::number: return {kMoreParts, kMoreDigits};
    case MeasuredAs::date: return {};
  }
  return {};
}

// REQUIRES: neither argument is negative.
Wide rounded_quotient(Wide number, Wide by) {
  return (2 * number + by) / (2 * by);
}

// Counts from the smallest number on, so that halves are rounded up on both sides of zero.
Wide mean_of(const Numbers& numbers, std::uint64_t known, Wide each) {
  const Wide least = numbers.front().first;
  Wide sum = 0;
  for (const auto& [number, records] : numbers) sum += (number - least) * static_cast<Wide>(records);
  return least * each + rounded_quotient(sum * each, static_cast<Wide>(known));
}

std::int64_t number_at(const Numbers& numbers, std::uint64_t place) {
  for (const auto& [number, records] : numbers) {
    if (place < records) return number;
    place -= records;
  }
  return numbers.back().first;
}

Wide median_of(const Numbers& numbers, std::uint64_t known, Wide each) {
  const Wide lower = number_at(numbers, (known - 1) / 2);
  const Wide upper = number_at(numbers, known / 2);
  return lower * each + rounded_quotient((upper - lower) * each, 2);
}

// REQUIRES: no number is negative.
Wide geometric_mean_of(const Numbers& numbers, std::uint64_t known, Wide each) {
  if (numbers.front().first == 0 || numbers.front().first == numbers.back().first)
    return numbers.front().first * each;
  double logs = 0;
  for (const auto& [number, records] : numbers)
    logs += static_cast<double>(records) * std::log(static_cast<double>(number));
  const double mean = std::exp(logs / static_cast<double>(known));
  const auto made = static_cast<Wide>(std::round(mean * static_cast<double>(each)));
  Wide unit = 1;
  while (made / unit >= kSignificant) unit *= 10;
  return rounded_quotient(made, unit) * unit;
}

std::uint64_t share_of(double part, double whole) {
  return whole == 0 ? 0 : static_cast<std::uint64_t>(std::llround(part / whole * ShownAggregate::kWhole));
}

constexpr auto kEverything = static_cast<std::uint64_t>(ShownAggregate::kWhole);

Result<void> check_geometric(const Column& column, const MeasuredValues& measured) {
  if (measured.measured_as == MeasuredAs::date)
    return invalid_values(fmt::format("{} has dates, which have no geometric mean", column.name),
                          "show the mean or the median");
  std::vector<std::string> negative;
  for (std::size_t code = 0; code < measured.exact.size(); ++code) {
    if (measured.exact[code].value_or(0) < 0) negative.push_back(column.values[code]);
  }
  if (negative.empty()) return {};
  return invalid_values(
      fmt::format("{} values of {} are negative, and have no geometric mean", negative.size(), column.name),
      "show the mean or the median", negative);
}

}  // namespace

std::string_view name(Microaggregate how) {
  switch (how) {
    case Microaggregate::mean: return "mean";
    case Microaggregate::geometric_mean: return "geometric_mean";
    case Microaggregate::median: return "median";
    case Microaggregate::mode: return "mode";
    case Microaggregate::interval: return "interval";
  }
  return "";
}

ShownAggregate ShownAggregate::suppressed(std::uint64_t known) {
  return {std::string(kSuppressed), kEverything, static_cast<Wide>(known) * kEverything};
}

Result<ClassAggregate> ClassAggregate::make(const Column& column, const MicroaggregatedColumn& how,
                                            std::uint64_t domain, std::uint64_t least) {
  PGVEIL_ASSERT(least >= 1 && domain >= 1);
  ClassAggregate made;
  made.column_ = &column;
  made.how_ = how;
  made.domain_ = domain;
  made.least_ = least;
  for (std::size_t code = 0; code < column.values.size(); ++code) {
    if (column.values[code] == how.null_text) made.null_code_ = static_cast<Code>(code);
  }
  if (how.how == Microaggregate::mode) return made;
  auto measured = measure_values(column, how.null_text);
  if (!measured) return measured.error();
  made.measured_ = std::move(*measured);
  made.range_ = made.measured_.range();
  if (how.how == Microaggregate::geometric_mean) {
    if (auto possible = check_geometric(column, made.measured_); !possible) return possible.error();
  }
  return made;
}

ShownAggregate ClassAggregate::of(std::span<const ValueCount> values) const {
  std::uint64_t known = 0;
  for (const auto& it : values) known += is_null(it.code) ? 0 : it.records;
  if (known == 0) return {*how_.null_text, 0, 0};
  if (known < least_) return ShownAggregate::suppressed(known);
  return how_.how == Microaggregate::mode ? mode_of(values, known) : number_of(values, known);
}

ShownAggregate ClassAggregate::mode_of(std::span<const ValueCount> values, std::uint64_t known) const {
  const ValueCount* most = nullptr;
  for (const auto& it : values) {
    if (is_null(it.code)) continue;
    const bool is_first = most == nullptr || column_->values[it.code] < column_->values[most->code];
    if (most == nullptr || it.records > most->records || (it.records == most->records && is_first))
      most = &it;
  }
  if (most->records < 2 && known > 1) return ShownAggregate::suppressed(known);
  const auto different = static_cast<double>(values.size());
  return {column_->values[most->code],
          values.size() == 1 ? 0 : std::min(kEverything, share_of(different, static_cast<double>(domain_))),
          static_cast<Wide>(known - most->records) * kEverything};
}

ShownAggregate ClassAggregate::number_of(std::span<const ValueCount> values, std::uint64_t known) const {
  Numbers numbers;
  bool has_null = false;
  for (const auto& it : values) {
    has_null = has_null || is_null(it.code);
    if (!is_null(it.code)) numbers.emplace_back(*measured_.exact[it.code], it.records);
  }
  std::ranges::sort(numbers);
  const auto parts = parts_of(measured_.measured_as);
  const Wide least = numbers.front().first, greatest = numbers.back().first;
  const auto text = [&](Wide number) { return measured_text(measured_, number, parts.digits); };
  Wide shown = 0;
  ShownAggregate made;
  switch (how_.how) {
    case Microaggregate::mean: shown = mean_of(numbers, known, parts.each); break;
    case Microaggregate::geometric_mean: shown = geometric_mean_of(numbers, known, parts.each); break;
    case Microaggregate::median: shown = median_of(numbers, known, parts.each); break;
    case Microaggregate::interval:
      shown = least * parts.each + (greatest - least) * parts.each / 2;
      if (least != greatest)
        made.text = fmt::format("[{},{}]", text(least * parts.each), text(greatest * parts.each));
      break;
    case Microaggregate::mode: PGVEIL_ASSERT(false);
  }
  if (made.text.empty()) made.text = text(shown);
  const auto range = static_cast<double>(range_);
  made.penalty = has_null ? kEverything : share_of(static_cast<double>(greatest - least), range);
  for (const auto& [number, records] : numbers) {
    const auto away = static_cast<double>(number * parts.each - shown) / static_cast<double>(parts.each);
    made.error += static_cast<Wide>(share_of(away * away, range * range)) * static_cast<Wide>(records);
  }
  return made;
}

}  // namespace pgveil::engine
