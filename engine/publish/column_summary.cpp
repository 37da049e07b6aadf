#include "engine/publish/column_summary.hpp"

#include <algorithm>
#include <cmath>

#include "common/assert.hpp"
#include "engine/data/calendar.hpp"

namespace pgveil::engine {
namespace {

// A value or a cell with its records that have a value of the column.
struct SummaryPoint {
  double at = 0;  // where it counts
  double least = 0, greatest = 0;
  std::uint64_t records = 0;
};

NumberSummary numbers_of_points(std::vector<SummaryPoint> points) {
  std::ranges::sort(points, {}, [](const SummaryPoint& it) { return std::pair(it.at, it.records); });
  NumberSummary made{points.front().least, 0, points.front().greatest, 0, 0};
  double records = 0;
  for (const auto& it : points) {
    made.least = std::min(made.least, it.least);
    made.greatest = std::max(made.greatest, it.greatest);
    made.mean += it.at * static_cast<double>(it.records);
    records += static_cast<double>(it.records);
  }
  made.mean /= records;
  double passed = 0;
  for (const auto& it : points) {
    const double before = passed;
    passed += static_cast<double>(it.records);
    made.variance += (it.at - made.mean) * (it.at - made.mean) * static_cast<double>(it.records) / records;
    // The places (n − 1) ÷ 2, rounded down and up, from 0 on.
    for (const double place : {std::floor((records - 1) / 2), std::ceil((records - 1) / 2)}) {
      if (place >= before && place < passed) made.median += it.at / 2;
    }
  }
  return made;
}

void take_mode(const std::string& value, std::uint64_t records, ValuesSummary& summary) {
  const bool is_more = records > summary.mode_records;
  const bool is_earlier = records == summary.mode_records && summary.mode && value < *summary.mode;
  if (records == 0 || (!is_more && !is_earlier)) return;
  summary.mode = value;
  summary.mode_records = records;
}

// The numbers of a column's raw codes; none: its values are texts.
class ColumnNumbers {
 public:
  ColumnNumbers(const Column& column, const std::optional<std::string>& null_text) {
    auto measured = measure_values(column, null_text);
    if (measured) measured_ = std::move(*measured);
  }
  [[nodiscard]] std::optional<MeasuredAs> measured_as() const {
    return measured_ ? std::optional(measured_->measured_as) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> of(Code raw) const {
    if (!measured_ || !measured_->exact[raw]) return std::nullopt;
    return static_cast<double>(*measured_->exact[raw]) * std::pow(10, -static_cast<double>(measured_->scale));
  }
  // What a cell says itself.
  [[nodiscard]] std::optional<double> in(const std::string& cell) const {
    if (!measured_) return std::nullopt;
    switch (measured_->measured_as) {
      case MeasuredAs::number: {
        const auto number = decimal_of(cell);
        if (!number) return std::nullopt;
        return static_cast<double>(number->digits) * std::pow(10, -static_cast<double>(number->scale));
      }
      case MeasuredAs::date: {
        const auto day = calendar_day(cell);
        return day ? std::optional(static_cast<double>(day_number(*day))) : std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<MeasuredValues> measured_;
};

void widen(double number, SummaryPoint& point) {
  point.least = point.records == 0 ? number : std::min(point.least, number);
  point.greatest = point.records == 0 ? number : std::max(point.greatest, number);
  ++point.records;
}

void take_numbers(std::vector<SummaryPoint> points, ValuesSummary& summary) {
  std::erase_if(points, [](const SummaryPoint& it) { return it.records == 0; });
  if (!points.empty()) summary.numbers = numbers_of_points(std::move(points));
}

ValuesSummary before_of(const Column& column, const ColumnNumbers& numbers,
                        std::span<const std::uint8_t> subset, const std::optional<std::string>& null_text) {
  std::vector<std::uint64_t> counts(column.values.size(), 0);
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    if (subset.empty() || subset[row] != 0) ++counts[column.codes.at(row)];
  }
  ValuesSummary made;
  std::vector<SummaryPoint> points;
  for (Code code = 0; code < counts.size(); ++code) {
    if (column.values[code] == null_text) continue;
    take_mode(column.values[code], counts[code], made);
    const auto number = numbers.of(code);
    if (number) points.push_back({*number, *number, *number, counts[code]});
  }
  take_numbers(std::move(points), made);
  return made;
}

ValuesSummary after_of(const PublishedColumn& published, const Column& column, const ColumnNumbers& numbers,
                       std::span<const std::uint32_t> source_rows) {
  std::vector<std::uint64_t> counts(published.values.size(), 0);
  std::vector<SummaryPoint> points(published.values.size());
  for (std::size_t row = 0; row < source_rows.size(); ++row) {
    const Code cell = published.codes[row];
    if (cell == kNullCode) continue;
    ++counts[cell];
    const auto number = numbers.of(column.codes.at(source_rows[row]));
    if (number) widen(*number, points[cell]);
  }
  ValuesSummary made;
  for (Code cell = 0; cell < counts.size(); ++cell) {
    const auto& text = published.values[cell];
    if (published.is_quasi_identifier && text == kSuppressed) {
      points[cell].records = 0;
      continue;
    }
    take_mode(text, counts[cell], made);
    points[cell].at = numbers.in(text).value_or((points[cell].least + points[cell].greatest) / 2);
  }
  take_numbers(std::move(points), made);
  return made;
}

}  // namespace

std::vector<ColumnSummary> summarize_columns(const Table& table, std::span<const std::uint8_t> subset,
                                             const std::optional<std::string>& null_text,
                                             const Publication& publication) {
  PGVEIL_ASSERT(publication.source_rows.size() == publication.rows);
  std::vector<ColumnSummary> made;
  for (const auto& published : publication.columns) {
    const Column& column = *table.find(published.name);
    const ColumnNumbers numbers(column, null_text);
    made.push_back({published.name, numbers.measured_as(), before_of(column, numbers, subset, null_text),
                    after_of(published, column, numbers, publication.source_rows)});
  }
  return made;
}

}  // namespace pgveil::engine
