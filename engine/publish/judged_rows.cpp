#include "engine/publish/judged_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace pgveil::engine {
namespace {

// The class of each row: refined column by column.
struct RowClasses {
  std::vector<std::uint32_t> class_of;
  std::size_t count = 0;
};

RowClasses classes_of(std::span<const LevelColumn> columns, std::size_t rows) {
  RowClasses classes{std::vector<std::uint32_t>(rows, 0), 1};
  for (const auto& column : columns) {
    std::unordered_map<std::uint64_t, std::uint32_t> refined;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint64_t key = std::uint64_t{classes.class_of[row]} << 32 | column.code(row);
      const auto next = static_cast<std::uint32_t>(refined.size());
      classes.class_of[row] = refined.emplace(key, next).first->second;
    }
    classes.count = refined.size();
  }
  return classes;
}

std::vector<JudgedClass> judge(const RowClasses& classes, RowCounter& counter) {
  std::vector<CountedClass> counted(classes.count);
  std::vector<JudgedClass> made(classes.count);
  for (std::size_t row = 0; row < classes.class_of.size(); ++row) {
    counter.add(row, counted[classes.class_of[row]]);
    made[classes.class_of[row]].row = row;
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto verdict = counter.verdict(counted[i]);
    made[i].records = counted[i].records;
    made[i].is_kept = verdict.is_kept;
    made[i].is_hopeless = verdict.stays_suppressed == ClassVerdict::kHopeless;
  }
  return made;
}

// Suppresses until the other classes keep the models of all classes together. Ties are broken by their texts,
// in the order of attribute names, as in the search.
void suppress_smallest(std::span<const LevelColumn> columns, const PreparedTable& prepared,
                       const RiskTest& test, std::vector<JudgedClass>& judged) {
  using Key = std::pair<std::uint64_t, std::vector<std::string_view>>;
  SizeHistogram sizes;
  std::vector<std::pair<Key, std::size_t>> order;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i].is_kept || judged[i].records == 0) continue;
    ++sizes[judged[i].records];
    std::vector<std::string_view> texts(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c)
      texts[prepared.given_order[c]] = columns[c].value(judged[i].row);
    order.emplace_back(Key(judged[i].records, std::move(texts)), i);
  }
  std::ranges::sort(order);
  const auto gone = test.classes_to_suppress(sizes);
  for (std::size_t i = 0; i < gone; ++i) judged[order[i].second].is_kept = false;
}

}  // namespace

Result<std::vector<LevelColumn>> level_columns(const Table& table, const PreparedTable& prepared,
                                               std::span<const unsigned> levels) {
  if (levels.size() != prepared.given_order.size()) {
    return invalid_input(
        fmt::format("{} levels for {} quasi-identifiers", levels.size(), prepared.given_order.size()),
        "give one for each");
  }
  std::vector<LevelColumn> made;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto& tables = prepared.attributes[prepared.given_order[i]];
    if (levels[i] > tables.height()) {
      return invalid_input(fmt::format("{} has no level {}", tables.name, levels[i]),
                           fmt::format("it has levels 0 to {}", tables.height()));
    }
    made.push_back({table.find(tables.name), &tables, levels[i]});
  }
  return made;
}

bool is_everything_starred(std::span<const LevelColumn> columns, std::size_t row) {
  return std::ranges::all_of(columns,
                             [row](const LevelColumn& column) { return column.value(row) == kSuppressed; });
}

RowCounter::RowCounter(const Table& table, const PreparedTable& prepared, const Anonymity& anonymity)
    : prepared_(prepared), test_(anonymity, prepared.sensitive) {
  for (const auto& it : prepared.sensitive) columns_.push_back(table.find(it.levels.name));
}

void RowCounter::add(std::size_t row, CountedClass& to) const {
  to.values.resize(columns_.size());
  ++to.population;
  if (!is_published(row)) return;
  ++to.records;
  for (std::size_t i = 0; i < columns_.size(); ++i) ++to.values[i][columns_[i]->codes.at(row)];
}

ClassVerdict RowCounter::verdict(const CountedClass& counted) {
  std::vector<std::vector<Code>> codes(columns_.size());
  std::vector<std::vector<std::uint64_t>> counts(columns_.size());
  std::vector<ClassView::Values> views;
  for (std::size_t i = 0; i < counted.values.size(); ++i) {
    for (const auto& [code, count] : counted.values[i]) {
      codes[i].push_back(code);
      counts[i].push_back(count);
    }
    views.push_back({codes[i], counts[i]});
  }
  return test_.test({counted.records, counted.population, views});
}

JudgedRows judge_rows(std::span<const LevelColumn> columns, const PreparedTable& prepared, std::size_t rows,
                      RowCounter& counter, const RiskTest& risks) {
  auto classes = classes_of(columns, rows);
  auto judged = judge(classes, counter);
  if (risks.is_needed()) suppress_smallest(columns, prepared, risks, judged);
  return {std::move(classes.class_of), std::move(judged)};
}

}  // namespace pgveil::engine
