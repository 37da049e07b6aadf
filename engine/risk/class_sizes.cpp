#include "engine/risk/class_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "common/sqlstate.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kMostSets = 10'000;

Error refused(std::string message, std::string hint) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message),
               .hint = std::move(hint)};
}

using Columns = std::vector<const Column*>;

Result<Columns> columns_of(const Table& table, const std::vector<std::string>& names, std::string_view what) {
  if (names.empty()) return refused("no column is named", "name those that an attacker may know");
  if (table.rows() == 0)
    return refused(fmt::format("the {} has no rows", what), "there is nothing to measure");
  Columns made;
  for (const auto& name : names) {
    const auto* column = table.find(name);
    if (column == nullptr) {
      return refused(fmt::format("the {} has no column {}", what, name),
                     "names are case-sensitive; is the separator right?");
    }
    if (std::ranges::find(made, column) != made.end())
      return refused(fmt::format("{} is named twice", name), "name it once");
    made.push_back(column);
  }
  return made;
}

// Each cell with its length, so that no two rows have one key.
std::string key_of(const Columns& columns, std::size_t row) {
  std::string key;
  for (const auto* column : columns) {
    const auto& cell = column->values[column->codes.at(row)];
    key += fmt::format("{};{}", cell.size(), cell);
  }
  return key;
}

// From the risk of each class and how many records have it.
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

// Sets of up to `most` of so many, smaller ones first; empty: too many.
std::vector<std::vector<std::size_t>> subsets(std::size_t columns, std::size_t most) {
  std::vector<std::vector<std::size_t>> made;
  for (std::size_t i = 0; i < columns; ++i) made.push_back({i});
  for (std::size_t next = 0; next < made.size(); ++next) {
    if (made[next].size() >= std::min(most, columns)) break;
    for (std::size_t i = made[next].back() + 1; i < columns; ++i) {
      auto larger = made[next];
      larger.push_back(i);
      made.push_back(std::move(larger));
      if (made.size() > kMostSets) return {};
    }
  }
  return made;
}

void measure_against(const Columns& columns, const RowGroups& groups, const Columns& population,
                     std::size_t population_rows, double threshold, RiskFigures& figures) {
  std::unordered_map<std::string, std::uint64_t> sizes;
  for (std::size_t row = 0; row < population_rows; ++row) ++sizes[key_of(population, row)];
  std::vector<std::size_t> first(groups.sizes.size(), 0);
  for (std::size_t row = groups.group_of.size(); row-- > 0;) first[groups.group_of[row]] = row;
  RiskSum sum(threshold);
  for (std::size_t group = 0; group < groups.sizes.size(); ++group) {
    const auto found = sizes.find(key_of(columns, first[group]));
    if (found == sizes.end()) figures.not_in_population += groups.sizes[group];
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

Result<RiskFigures> measure_risk(const Table& table, const std::vector<std::string>& columns,
                                 double threshold, const Table* population) {
  if (!(threshold > 0 && threshold <= 1))
    return refused("the threshold is outside 0 to 1", "give the highest risk that is accepted, such as 0.2");
  const auto own = columns_of(table, columns, "table");
  if (!own) return own.error();
  const auto groups = group_rows(*own, table.rows());
  RiskFigures figures;
  figures.rows = table.rows();
  figures.classes = groups.sizes.size();
  figures.histogram = histogram_of(groups);
  figures.smallest = figures.histogram.begin()->first;
  figures.largest = figures.histogram.rbegin()->first;
  RiskSum sum(threshold);
  for (const auto& [size, classes] : figures.histogram) {
    sum.add(1 / static_cast<double>(size), size * classes);
    if (size == 1) figures.unique_rows = classes;
  }
  figures.prosecutor = sum.finish();
  figures.marketer = figures.prosecutor.mean;
  if (population == nullptr) return figures;
  const auto others = columns_of(*population, columns, "population");
  if (!others) return others.error();
  measure_against(*own, groups, *others, population->rows(), threshold, figures);
  figures.marketer = figures.journalist->mean;
  return figures;
}

Result<std::vector<Identifying>> identifying_sets(const Table& table, const std::vector<std::string>& columns,
                                                  std::size_t most) {
  const auto own = columns_of(table, columns, "table");
  if (!own) return own.error();
  const auto sets = subsets(own->size(), most);
  if (sets.empty())
    return refused(fmt::format("more than {} sets of columns", kMostSets),
                   "name fewer columns, or measure smaller sets");
  const auto rows = static_cast<double>(table.rows());
  std::vector<Identifying> made;
  for (const auto& set : sets) {
    Identifying found;
    Columns chosen;
    for (const auto i : set) {
      chosen.push_back((*own)[i]);
      found.columns.push_back(columns[i]);
    }
    const auto groups = group_rows(chosen, table.rows());
    double alike = 0;  // ordered pairs
    for (const auto size : groups.sizes) alike += static_cast<double>(size) * static_cast<double>(size - 1);
    found.distinction = static_cast<double>(groups.sizes.size()) / rows;
    found.separation = rows < 2 ? 0 : 1 - alike / (rows * (rows - 1));
    made.push_back(std::move(found));
  }
  std::ranges::stable_sort(made, [](const Identifying& a, const Identifying& b) {
    if (a.separation != b.separation) return a.separation > b.separation;
    return a.columns.size() < b.columns.size();
  });
  return made;
}

}  // namespace pgveil::engine
