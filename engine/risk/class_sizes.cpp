#include "engine/risk/class_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/risk/columns_of.hpp"

namespace pgveil::engine {
namespace {

using Columns = std::vector<const Column*>;

// Writes each cell with its length, so that different rows have different keys.
std::string key_of(const Columns& columns, std::size_t row) {
  std::string key;
  for (const auto* column : columns) {
    const auto& cell = column->values[column->codes.at(row)];
    key += fmt::format("{};{}", cell.size(), cell);
  }
  return key;
}

// Sums up the risk of each class, weighted by the number of its records.
class RiskSum {
 public:
  explicit RiskSum(double threshold) : threshold_(threshold) {}
  void add(double risk, std::uint64_t records) {
    const auto count = static_cast<double>(records);
    made_.highest = std::max(made_.highest, risk);
    made_.mean += risk * count;
    made_.at_risk += risk > threshold_ * (1 + 1e-12) ? count : 0;
    records_ += count;
  }
  [[nodiscard]] AttackerRisk finish() const {
    AttackerRisk made = made_;
    made.mean /= records_;
    made.at_risk /= records_;
    return made;
  }

 private:
  double threshold_;
  double records_ = 0;
  AttackerRisk made_;
};

void measure_against(const Columns& columns, const RowGroups& groups, const Columns& population,
                     std::size_t population_rows, double threshold, RiskFigures& figures) {
  std::unordered_map<std::string, std::uint64_t> sizes;
  for (std::size_t row = 0; row < population_rows; ++row) ++sizes[key_of(population, row)];
  std::vector<std::size_t> first(groups.sizes.size(), 0);
  for (std::size_t row = groups.group_of.size(); row-- > 0;) first[groups.group_of[row]] = row;
  RiskSum sum(threshold);
  for (std::size_t group = 0; group < groups.sizes.size(); ++group) {
    const auto found = sizes.find(key_of(columns, first[group]));
    if (found == sizes.end()) {
      figures.not_in_population += groups.sizes[group];
    } else if (found->second == 1) {
      figures.unique_in_population += groups.sizes[group];
    }
    sum.add(found == sizes.end() ? 1 : 1 / static_cast<double>(found->second), groups.sizes[group]);
  }
  figures.journalist = sum.finish();
}

}  // namespace

RowGroups group_rows(std::span<const Column* const> columns, std::size_t rows) {
  RowGroups groups{std::vector<std::uint32_t>(rows, 0), {}};
  std::size_t count = rows == 0 ? 0 : 1;
  for (const auto* column : columns) {
    std::unordered_map<std::uint64_t, std::uint32_t> refined;
    column->codes.visit([&](auto codes) {
      for (std::size_t row = 0; row < rows; ++row) {
        const std::uint64_t key = std::uint64_t{groups.group_of[row]} << 32 | codes[row];
        const auto next = static_cast<std::uint32_t>(refined.size());
        groups.group_of[row] = refined.emplace(key, next).first->second;
      }
    });
    count = refined.size();
  }
  groups.sizes.assign(count, 0);
  for (const auto group : groups.group_of) ++groups.sizes[group];
  return groups;
}

SizeHistogram histogram_of(const RowGroups& groups) {
  SizeHistogram made;
  for (const auto size : groups.sizes) ++made[size];
  return made;
}

Result<RiskFigures> figures_of(SizeHistogram histogram, double threshold) {
  if (!(threshold > 0 && threshold <= 1))
    return not_measurable("the threshold is outside 0 to 1",
                          "give the highest risk that is accepted, such as 0.2");
  if (histogram.empty()) return not_measurable("the table has no rows", "there is nothing to measure");
  RiskFigures figures;
  RiskSum sum(threshold);
  for (const auto& [size, classes] : histogram) {
    sum.add(1 / static_cast<double>(size), size * classes);
    figures.rows += size * classes;
    figures.classes += classes;
    if (size == 1) figures.unique_rows = classes;
  }
  figures.smallest = histogram.begin()->first;
  figures.largest = histogram.rbegin()->first;
  figures.prosecutor = sum.finish();
  figures.marketer = figures.prosecutor.mean;
  figures.histogram = std::move(histogram);
  return figures;
}

Result<RiskFigures> measure_risk(const Table& table, const std::vector<std::string>& columns,
                                 double threshold, const Table* population) {
  const auto own = columns_of(table, columns, "table");
  if (!own) return own.error();
  const auto groups = group_rows(*own, table.rows());
  auto figures = figures_of(histogram_of(groups), threshold);
  if (!figures || population == nullptr) return figures;
  const auto others = columns_of(*population, columns, "population");
  if (!others) return others.error();
  measure_against(*own, groups, *others, population->rows(), threshold, *figures);
  figures->marketer = figures->journalist->mean;
  return figures;
}

}  // namespace pgveil::engine
