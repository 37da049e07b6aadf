#include "engine/privacy/sensitive_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "engine/data/invalid_values.hpp"

namespace pgveil::engine {
namespace {

using Codes = std::vector<Code>;

Codes all_codes(const Column& column) {
  Codes codes(column.values.size());
  std::iota(codes.begin(), codes.end(), Code{0});
  return codes;
}

Codes by_text(const Column& column) {
  Codes codes = all_codes(column);
  std::ranges::sort(codes, {}, [&](Code code) -> const std::string& { return column.values[code]; });
  return codes;
}

// Equal numbers with different spelling are ordered by their texts.
Result<Codes> by_number(const Column& column, const std::optional<std::string>& null_text) {
  std::vector<double> numbers;
  std::vector<std::string> others;
  for (const auto& value : column.values) {
    double number = -HUGE_VAL;
    if (value != null_text) {
      const char* const end = value.data() + value.size();
      const auto [next, error] = std::from_chars(value.data(), end, number);
      if (error != std::errc{} || next != end || !std::isfinite(number)) others.push_back(value);
    }
    numbers.push_back(number);
  }
  if (!others.empty()) {
    return invalid_values(fmt::format("{} values of {} are no numbers", others.size(), column.name),
                          "order it by text, or list its values", others);
  }
  Codes codes = by_text(column);
  std::ranges::stable_sort(codes, {}, [&](Code code) { return numbers[code]; });
  return codes;
}

Result<Codes> by_list(const Column& column, const std::vector<std::string>& order) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!places.emplace(order[i], i).second)
      return invalid_values(fmt::format("the order of {} has a value twice", column.name), "name each once",
                            {order[i]});
  }
  std::vector<std::string> missing;
  for (const auto& value : column.values) {
    if (!places.contains(value)) missing.push_back(value);
  }
  if (!missing.empty()) {
    return invalid_values(fmt::format("{} values of {} are not in its order", missing.size(), column.name),
                          "add them where they belong", missing);
  }
  Codes codes = all_codes(column);
  std::ranges::sort(codes, {}, [&](Code code) { return places.at(column.values[code]); });
  return codes;
}

Result<Codes> ascending_codes(const Column& column, const SensitiveColumn& given) {
  if (!given.order) return Codes();
  if (const auto* list = std::get_if<std::vector<std::string>>(&*given.order)) return by_list(column, *list);
  switch (std::get<SortedBy>(*given.order)) {
    case SortedBy::text: return by_text(column);
    case SortedBy::number: return by_number(column, given.null_text);
  }
  return Codes();
}

Result<LevelTables> levels_of(const Column& column, const SensitiveColumn& given) {
  Hierarchy hierarchy;
  if (given.hierarchy) {
    hierarchy = *given.hierarchy;
  } else {
    for (const auto& value : column.values) hierarchy.rows.push_back({value});
  }
  auto tables = make_level_tables(column, hierarchy);
  if (!tables || !given.hierarchy || tables->distinct(tables->height()) == 1) return tables;
  return invalid_values(
      fmt::format("the highest level of the hierarchy of {} has more than one value", column.name),
      "add a level with one value for all", {});
}

}  // namespace

std::vector<SensitiveShape> shapes_of(std::span<const SensitiveValues> columns) {
  std::vector<SensitiveShape> made;
  for (const auto& it : columns) made.push_back({it.levels.name, !it.ascending.empty(), it.has_hierarchy()});
  return made;
}

Result<SensitiveValues> make_sensitive_values(const Column& column, const SensitiveColumn& given,
                                              std::span<const std::uint8_t> is_counted) {
  SensitiveValues made;
  auto levels = levels_of(column, given);
  if (!levels) return levels.error();
  made.levels = std::move(*levels);
  auto ascending = ascending_codes(column, given);
  if (!ascending) return ascending.error();
  made.ascending = std::move(*ascending);
  made.in_table.assign(column.values.size(), 0);
  column.codes.visit([&](auto codes) {
    for (std::size_t row = 0; row < codes.size(); ++row) {
      if (is_counted.empty() || is_counted[row] != 0) ++made.in_table[codes[row]];
    }
  });
  made.total = std::accumulate(made.in_table.begin(), made.in_table.end(), std::uint64_t{0});
  return made;
}

}  // namespace pgveil::engine
