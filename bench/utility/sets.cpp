#include "bench/utility/sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "bench/utility/must.hpp"
#include "engine/data/hierarchy_builders.hpp"

namespace pgveil::bench::utility {

namespace {

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

Dimension dimension_of(const engine::Table& table, const std::string& name, engine::Hierarchy hierarchy,
                       bool is_numeric) {
  const engine::Column& column = *table.find(name);
  Dimension dimension{name, std::move(hierarchy), is_numeric, column.values, {}, {}};
  for (std::size_t row = 0; row < table.rows(); ++row) dimension.codes.push_back(column.codes.at(row));
  const auto null = std::ranges::find(column.values, "");
  if (null != column.values.end())
    dimension.null_code = static_cast<std::uint32_t>(null - column.values.begin());
  return dimension;
}

// Each value, then `*`.
engine::Hierarchy flat(const engine::Table& table, const std::string& name) {
  engine::Hierarchy hierarchy;
  for (const std::string& value : table.find(name)->values) hierarchy.rows.push_back({value, "*"});
  return hierarchy;
}

// Each value, its value in another column, which follows from it, then `*`.
engine::Hierarchy below(const engine::Table& table, const std::string& name, const std::string& above) {
  const engine::Column& fine = *table.find(name);
  const engine::Column& coarse = *table.find(above);
  std::map<std::string, std::string> parents;
  for (std::size_t row = 0; row < table.rows(); ++row)
    parents.emplace(fine.values[fine.codes.at(row)], coarse.values[coarse.codes.at(row)]);
  engine::Hierarchy hierarchy;
  for (const std::string& value : fine.values) hierarchy.rows.push_back({value, parents.at(value), "*"});
  return hierarchy;
}

std::vector<double> numbers_of(const engine::Table& table, const std::string& name) {
  const engine::Column& column = *table.find(name);
  std::vector<double> numbers;
  for (std::size_t row = 0; row < table.rows(); ++row)
    numbers.push_back(std::strtod(column.values[column.codes.at(row)].c_str(), nullptr));
  return numbers;
}

// Is the number above the median of all?
std::vector<std::uint8_t> above_median(const std::vector<double>& numbers) {
  auto sorted = numbers;
  std::ranges::sort(sorted);
  const double median = sorted[(sorted.size() - 1) / 2];
  std::vector<std::uint8_t> out;
  for (const double number : numbers) out.push_back(number > median ? 1 : 0);
  return out;
}

bool add_from_files(Set& set, const std::string& datasets, const std::string& file, const Names& columns,
                    const std::set<std::string>& numeric) {
  for (const std::string& name : columns) {
    const auto hierarchy = read_file(fmt::format("{}/hierarchies/{}_hierarchy_{}.csv", datasets, file, name));
    if (!hierarchy) return false;
    set.dimensions.push_back(
        dimension_of(set.table, name, must(engine::read_hierarchy(*hierarchy, ';')), numeric.contains(name)));
  }
  return true;
}

}  // namespace

std::optional<Set> read_adult(const std::string& datasets, std::size_t columns) {
  const auto text = read_file(datasets + "/data/adult.csv");
  if (!text) return std::nullopt;
  Set set{
      fmt::format("ADULT, {} columns", columns), must(engine::read_table(*text, ';')), {}, {}, {}, {}, {}};
  Names names = {"sex",       "age",        "race",        "marital-status", "education", "native-country",
                 "workclass", "occupation", "salary-class"};
  names.resize(columns);
  if (!add_from_files(set, datasets, "adult", names, {"age"})) return std::nullopt;
  set.declared = {{"occupation"}, {"age"}, {"education", "sex"}};
  const engine::Column& salary = *set.table.find("salary-class");
  for (std::size_t row = 0; row < set.rows(); ++row)
    set.classes.push_back(salary.values[salary.codes.at(row)] == ">50K" ? 1 : 0);
  set.class_name = "salary-class";
  return set;
}

std::optional<Set> read_cup(const std::string& datasets) {
  const auto text = read_file(datasets + "/data/cup.csv");
  if (!text) return std::nullopt;
  Set set{"CUP, 5 columns", must(engine::read_table(*text, ';')), {}, {}, {}, {}, {}};
  if (!add_from_files(set, datasets, "cup", {"AGE", "GENDER", "INCOME", "STATE", "NGIFTALL"},
                      {"AGE", "INCOME", "NGIFTALL"}))
    return std::nullopt;
  set.declared = {{"STATE"}, {"AGE"}, {"STATE", "GENDER"}};
  set.amounts = numbers_of(set.table, "RAMNTALL");
  set.classes = above_median(set.amounts);
  set.class_name = "RAMNTALL above its median";
  return set;
}

std::optional<Set> read_clinic(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  Set set{"the clinic, 5 columns", must(engine::read_table(*text, ';')), {}, {}, {}, {}, {}};
  const engine::Table& table = set.table;
  const engine::Intervals years{"1900", {"5", "10", "20"}, std::nullopt, std::nullopt};
  set.dimensions = {
      dimension_of(table, "sex", flat(table, "sex"), false),
      dimension_of(table, "city", below(table, "city", "region"), false),
      dimension_of(table, "birth_year",
                   must(engine::build_hierarchy(years, "birth_year", table.find("birth_year")->values)),
                   true),
      dimension_of(table, "occupation", flat(table, "occupation"), false),
      dimension_of(table, "nationality", flat(table, "nationality"), false)};
  set.declared = {{"city"}, {"sex"}, {"city", "sex"}};
  set.amounts = numbers_of(table, "cost");
  set.classes = above_median(set.amounts);
  set.class_name = "cost above its median";
  return set;
}

}  // namespace pgveil::bench::utility
