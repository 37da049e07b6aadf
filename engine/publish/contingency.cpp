#include "engine/publish/contingency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace pgveil::engine {
namespace {

using Text = std::optional<std::string_view>;
using ColumnTexts = std::vector<Text>;

ColumnTexts cells_of(const Column& column, std::span<const std::uint8_t> subset,
                     const std::optional<std::string>& null_text) {
  ColumnTexts made;
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    if (!subset.empty() && subset[row] == 0) continue;
    const auto& value = column.values[column.codes.at(row)];
    made.push_back(value == null_text ? Text() : Text(value));
  }
  return made;
}

ColumnTexts cells_of(const PublishedColumn& column) {
  ColumnTexts made;
  for (const auto code : column.codes.all())
    made.push_back(code == kNullCode ? Text() : Text(column.values[code]));
  return made;
}

// The values that are shown, and where each value of the column is among them.
struct Crossed {
  CrossedValues shown;
  std::map<Text, std::size_t> places;
};

Crossed crossed(const ColumnTexts& cells) {
  std::map<Text, std::uint64_t> counts;
  for (const auto& cell : cells) ++counts[cell];
  std::vector<std::pair<Text, std::uint64_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second > b.second; });
  Crossed made;
  for (const auto& entry : order) {
    const auto place = made.shown.values.size();
    made.shown.has_others = place == kMostCrossed;
    made.places[entry.first] = place;
    if (made.shown.has_others) continue;
    made.shown.values.push_back(entry.first ? std::optional(std::string(*entry.first)) : std::nullopt);
  }
  return made;
}

CrossTable cross_table(const ColumnTexts& first, const ColumnTexts& second) {
  auto one = crossed(first), other = crossed(second);
  CrossTable made;
  made.counts.assign(one.shown.size(), std::vector<std::uint64_t>(other.shown.size(), 0));
  for (std::size_t row = 0; row < first.size(); ++row)
    ++made.counts[one.places.at(first[row])][other.places.at(second[row])];
  made.first = std::move(one.shown);
  made.second = std::move(other.shown);
  return made;
}

}  // namespace

Result<Contingency> measure_contingency(const Table& table, std::span<const std::uint8_t> subset,
                                        const std::optional<std::string>& null_text,
                                        const Publication& publication, std::string_view first,
                                        std::string_view second) {
  if (first == second) return usage_error("a column beside itself", "name two columns");
  const auto published = [&](std::string_view name) {
    const auto found = std::ranges::find(publication.columns, name, &PublishedColumn::name);
    return found == publication.columns.end() ? nullptr : &*found;
  };
  for (const auto name : {first, second}) {
    if (published(name) == nullptr || table.find(name) == nullptr)
      return usage_error(fmt::format("{} is not published", name), "name two columns that are");
  }
  return Contingency{std::string(first), std::string(second),
                     cross_table(cells_of(*table.find(first), subset, null_text),
                                 cells_of(*table.find(second), subset, null_text)),
                     cross_table(cells_of(*published(first)), cells_of(*published(second)))};
}

}  // namespace pgveil::engine
