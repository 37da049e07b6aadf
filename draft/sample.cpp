#include "draft/sample.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "engine/risk/class_sizes.hpp"

namespace pgveil::draft {
namespace {

constexpr double kNearly = 0.95;

// How many rows of the sample have each value; NULL is none.
std::vector<std::size_t> frequencies_of(const engine::Column& column) {
  std::vector<std::size_t> frequencies(column.values.size(), 0);
  for (std::size_t row = 0; row < column.codes.size(); ++row) ++frequencies[column.codes.at(row)];
  for (std::size_t code = 0; code < frequencies.size(); ++code) {
    if (column.values[code] == kSampleNull) frequencies[code] = 0;
  }
  return frequencies;
}

// Haas and Stokes' estimator, which ANALYZE uses too: n·d ÷ (n − f₁ + f₁·n/N).
double estimated_distinct(const ColumnSample& sample, double rows) {
  const auto n = static_cast<double>(sample.rows);
  const auto once = static_cast<double>(sample.unique);
  if (n == 0 || rows <= n) return static_cast<double>(sample.distinct);
  return n * static_cast<double>(sample.distinct) / (n - once + once * n / rows);
}

}  // namespace

std::optional<ColumnSample> sample_of(const TableFacts& table, std::size_t column) {
  if (!table.sample || column >= table.sample->columns.size()) return std::nullopt;
  ColumnSample out;
  for (const std::size_t frequency : frequencies_of(table.sample->columns[column])) {
    out.rows += frequency;
    if (frequency > 0) ++out.distinct;
    if (frequency == 1) ++out.unique;
  }
  out.estimated = estimated_distinct(out, table.is_sample_whole ? 0 : table.rows.value_or(0));
  out.is_nearly_unique = out.rows >= kLeastRowsToJudge &&
                         static_cast<double>(out.distinct) >= kNearly * static_cast<double>(out.rows);
  return out;
}

std::optional<double> distinct_of(const TableFacts& table, std::size_t column) {
  const auto sample = sample_of(table, column);
  if (sample && table.is_sample_whole) return static_cast<double>(sample->distinct);
  if (table.columns[column].distinct) return table.columns[column].distinct;
  if (sample && sample->rows > 0) return sample->estimated;
  return std::nullopt;
}

bool is_nearly_unique(const TableFacts& table, std::size_t column) {
  const auto& facts = table.columns[column];
  if (facts.is_unique) return true;
  if (const auto sample = sample_of(table, column); sample && sample->rows >= kLeastRowsToJudge)
    return sample->is_nearly_unique;
  return facts.distinct && table.rows && *table.rows >= static_cast<double>(kLeastRowsToJudge) &&
         *facts.distinct >= kNearly * *table.rows;
}

std::optional<std::size_t> beginnings(const TableFacts& table, std::size_t column, std::size_t characters) {
  if (!table.sample || column >= table.sample->columns.size()) return std::nullopt;
  std::set<std::string_view> seen;
  for (const std::string& value : table.sample->columns[column].values) {
    if (value != kSampleNull) seen.insert(std::string_view(value).substr(0, characters));
  }
  return seen.size();
}

std::optional<double> unique_share(const TableFacts& table, const std::vector<std::size_t>& columns) {
  if (!table.sample || table.sample->rows() < kLeastRowsToJudge || columns.empty()) return std::nullopt;
  std::vector<const engine::Column*> measured;
  for (const std::size_t column : columns) measured.push_back(&table.sample->columns[column]);
  const auto histogram = engine::histogram_of(engine::group_rows(measured, table.sample->rows()));
  const auto once = histogram.find(1);
  const double unique = once == histogram.end() ? 0 : static_cast<double>(once->second);
  return unique / static_cast<double>(table.sample->rows());
}

}  // namespace pgveil::draft
