#include "engine/publish/microaggregation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "engine/publish/judged_rows.hpp"

namespace pgveil::engine {
namespace {

// What the classes show of one quasi-identifier, and the loss over all records.
struct ShownColumn {
  std::vector<std::string> texts;  // [class]
  double penalty = 0;
  double error = 0;  // of an aggregated column, per record with a value
};

Error not_anonymous(std::uint64_t suppressed, std::uint64_t limit) {
  return Error{.kind = ErrorKind::policy,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = fmt::format("the transformation is not anonymous: {} records are in classes "
                                             "that break a model, {} may be suppressed",
                                             suppressed, limit),
               .hint = "choose another"};
}

ShownColumn generalized(const LevelColumn& column, const JudgedRows& judged) {
  ShownColumn made;
  std::uint64_t spans = 0;
  for (const auto& it : judged.classes) {
    made.texts.push_back(it.is_kept ? column.value(it.row) : std::string(kSuppressed));
    const auto span =
        it.is_kept ? column.tables->spans[column.level][column.code(it.row)] : column.tables->range;
    if (span > 1) spans += span * it.records;
  }
  made.penalty = static_cast<double>(spans) / static_cast<double>(column.tables->range);
  return made;
}

// [class]: its distinct values.
std::vector<std::vector<ValueCount>> values_of(const Column& column, const JudgedRows& judged) {
  std::vector<std::uint64_t> keys;
  keys.reserve(judged.class_of.size());
  for (std::size_t row = 0; row < judged.class_of.size(); ++row)
    keys.push_back(std::uint64_t{judged.class_of[row]} << 32 | column.codes.at(row));
  std::ranges::sort(keys);
  std::vector<std::vector<ValueCount>> made(judged.classes.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto& values = made[keys[i] >> 32];
    if (i == 0 || keys[i] != keys[i - 1]) values.push_back({static_cast<Code>(keys[i] & UINT32_MAX), 0});
    ++values.back().records;
  }
  return made;
}

Result<ShownColumn> aggregated_column(const LevelColumn& column, const MicroaggregatedColumn& how,
                                      const JudgedRows& judged, std::uint64_t least) {
  const auto aggregate = ClassAggregate::make(*column.column, how, column.tables->domain, least);
  if (!aggregate) return aggregate.error();
  ShownColumn made;
  Wide penalty = 0, error = 0;
  std::uint64_t known = 0;
  const auto values = values_of(*column.column, judged);
  for (std::size_t i = 0; i < judged.classes.size(); ++i) {
    const auto& it = judged.classes[i];
    std::uint64_t with_value = 0;
    for (const auto& value : values[i])
      with_value += column.column->values[value.code] == how.null_text ? 0 : value.records;
    known += with_value;
    auto shown = it.is_kept ? aggregate->of(values[i]) : ShownAggregate::suppressed(with_value);
    made.texts.push_back(std::move(shown.text));
    penalty += static_cast<Wide>(shown.penalty) * static_cast<Wide>(it.records);
    error += shown.error;
  }
  made.penalty = static_cast<double>(penalty) / ShownAggregate::kWhole;
  if (known > 0)
    made.error = static_cast<double>(error) / ShownAggregate::kWhole / static_cast<double>(known);
  return made;
}

// Classes that look alike count as one.
void count_classes(std::span<const ShownColumn> columns, const JudgedRows& judged, Microaggregation& made) {
  std::map<std::vector<std::string_view>, std::uint64_t> classes;
  for (std::size_t i = 0; i < judged.classes.size(); ++i) {
    const auto& it = judged.classes[i];
    if (!it.is_kept) continue;
    std::vector<std::string_view> key;
    for (const auto& column : columns) key.emplace_back(column.texts[i]);
    classes[std::move(key)] += it.records;
  }
  for (const auto& [texts, records] : classes)
    made.smallest_class = made.classes++ == 0 ? records : std::min(made.smallest_class, records);
}

Column shown_column(const std::string& name, const ShownColumn& shown, const JudgedRows& judged) {
  ColumnEncoder encoder(name);
  for (const auto number : judged.class_of) encoder.add(shown.texts[number]);
  return std::move(encoder).finish();
}

Table shown_table(const Table& table, std::span<const LevelColumn> columns,
                  std::span<const ShownColumn> shown, const JudgedRows& judged) {
  Table made;
  for (const auto& column : table.columns) {
    const auto found = std::ranges::find(columns, &column, &LevelColumn::column);
    if (found == columns.end()) {
      made.columns.push_back(column);
    } else {
      made.columns.push_back(
          shown_column(column.name, shown[static_cast<std::size_t>(found - columns.begin())], judged));
    }
  }
  return made;
}

}  // namespace

Result<Microaggregation> microaggregate(const Table& table, const PreparedTable& prepared,
                                        std::span<const unsigned> levels, const Anonymity& anonymity,
                                        std::span<const MicroaggregatedColumn> aggregated) {
  PGVEIL_ASSERT(!prepared.has_subset() && is_inherited_by_merging(anonymity));
  const auto columns = level_columns(table, prepared, levels);
  if (!columns) return columns.error();
  RowCounter counter(table, prepared, anonymity);
  const auto judged = judge_rows(*columns, prepared, table.rows(), counter, RiskTest(anonymity));
  Microaggregation made;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!judged.is_kept(row)) made.suppressed_rows.push_back(row);
  }
  if (made.suppressed() > anonymity.suppression_limit)
    return not_anonymous(made.suppressed(), anonymity.suppression_limit);
  made.errors.resize(aggregated.size());
  const auto rows = static_cast<double>(table.rows());
  std::vector<ShownColumn> shown;
  for (const auto& column : *columns) {
    const auto how = std::ranges::find(aggregated, column.tables->name, &MicroaggregatedColumn::column);
    if (how == aggregated.end()) {
      shown.push_back(generalized(column, judged));
    } else {
      auto it = aggregated_column(column, *how, judged, smallest_class(anonymity));
      if (!it) return it.error();
      made.errors[static_cast<std::size_t>(how - aggregated.begin())] = it->error;
      shown.push_back(std::move(*it));
    }
    made.certainty_penalties.push_back(shown.back().penalty / rows);
    made.certainty_penalty += shown.back().penalty / rows / static_cast<double>(columns->size());
  }
  count_classes(shown, judged, made);
  made.table = shown_table(table, *columns, shown, judged);
  return made;
}

}  // namespace pgveil::engine
