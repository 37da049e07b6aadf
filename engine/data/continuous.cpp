#include "engine/data/continuous.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/sqlstate.hpp"

namespace pgveil::engine {
namespace {

constexpr std::uint64_t kWhole = 1'000'000'000;

struct Interval {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool has_null = false;

  void add(const std::optional<double>& number) {
    has_null = has_null || !number;
    low = std::min(low, number.value_or(low));
    high = std::max(high, number.value_or(high));
  }
  [[nodiscard]] bool has_number() const { return low <= high; }
  [[nodiscard]] std::uint64_t span_in(double range) const {
    if (!has_number()) return 0;
    if (has_null) return kWhole;
    if (range == 0) return 0;
    return static_cast<std::uint64_t>(std::llround((high - low) / range * static_cast<double>(kWhole)));
  }
};

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
  return is_number ? std::optional(number) : std::nullopt;
}

Error no_numbers(const std::string& name, const std::vector<std::string>& values) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = fmt::format(
                   "{} is continuous, and {} values of its hierarchy are no numbers", name, values.size()),
               .hint = "correct them, or leave continuous out",
               .private_detail = fmt::format("{}", fmt::join(values, ", "))};
}

}  // namespace

Result<void> measure_spans(const Hierarchy& hierarchy, const std::optional<std::string>& null_text,
                           LevelTables& tables) {
  std::vector<std::optional<double>> numbers;
  std::vector<std::string> others;
  Interval all;
  for (const auto& row : hierarchy.rows) {
    numbers.push_back(row.front() == null_text ? std::nullopt : number_of(row.front()));
    if (!numbers.back() && row.front() != null_text) others.push_back(row.front());
    all.add(numbers.back());
  }
  if (!others.empty()) return no_numbers(tables.name, others);
  const double range = all.has_number() ? all.high - all.low : 0;
  for (std::size_t level = 0; level < tables.values.size(); ++level) {
    std::unordered_map<std::string_view, Interval> intervals;
    for (std::size_t row = 0; row < numbers.size(); ++row)
      intervals[hierarchy.rows[row][level]].add(numbers[row]);
    for (std::size_t code = 0; code < tables.values[level].size(); ++code)
      tables.spans[level][code] = intervals[tables.values[level][code]].span_in(range);
  }
  tables.range = kWhole;
  tables.is_continuous = true;
  return {};
}

}  // namespace pgveil::engine
