#include "jobs/check/check_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "engine/risk/columns_of.hpp"
#include "jobs/input/alike_values.hpp"

namespace pgveil::app {
namespace {

using Columns = std::vector<const engine::Column*>;

// The demands in the form that searches take. Errors: parameters out of range.
Result<engine::Anonymity> checked_models(const TableDemand& demand) {
  engine::Anonymity anonymity;
  std::vector<engine::SensitiveShape> shapes;
  for (const auto& column : demand.sensitive) {
    for (const auto& model : column.demanded) anonymity.sensitive.push_back({shapes.size(), model});
    shapes.push_back({column.name, column.order.has_value(), column.hierarchy.has_value()});
  }
  anonymity.risks = demand.demand.risks;
  if (auto valid = engine::validate(anonymity, shapes, false); !valid) return valid.error();
  return anonymity;
}

// The quasi-identifiers, then the sensitive columns. Empty: no quasi-identifier is named.
std::vector<std::string> names_of(const TableDemand& demand) {
  auto names = demand.quasi_identifiers;
  if (names.empty()) return names;
  for (const auto& column : demand.sensitive) names.push_back(column.name);
  return names;
}

Error no_quasi_identifier() {
  return engine::not_measurable("no quasi-identifier is named", "name them with --columns, or a job");
}

// The memory of an entry in std::unordered_map, a class and its counts of values in addition to the texts;
// measured and rounded up.
constexpr std::uint64_t kBytesOfClass = 400;

std::uint64_t bytes_of(const db::RowClass& found) {
  std::uint64_t bytes = kBytesOfClass;
  for (const auto& cell : found.cells) bytes += 3 * (cell ? cell->size() : 0) + 40;
  return bytes;
}

Error too_many_classes() {
  return {ErrorKind::policy, std::string(sqlstate::kProgramLimitExceeded),
          "the table has more different rows in these columns than may be held",
          "name fewer columns, or raise counts_bytes"};
}

Result<void> check_names(const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name)
      return engine::not_measurable(fmt::format("{} is named twice", *name), "name it once");
  }
  return {};
}

}  // namespace

Result<engine::CheckFindings> check_stored_table(const db::Endpoint& endpoint, const db::TablePlace& place,
                                                 const TableDemand& demand, const db::Progress& progress) {
  PGVEIL_ASSERT(!demand.add_population);
  const auto models = checked_models(demand);
  if (!models) return models.error();
  const auto names = names_of(demand);
  if (names.empty()) return no_quasi_identifier();
  if (auto different = check_names(names); !different) return different.error();
  const std::size_t keys = demand.quasi_identifiers.size();
  engine::TableCheck check(demand.sensitive);
  std::uint64_t records = 0, bytes = 0;
  const auto take = [&](const db::RowClass& found) -> Result<void> {
    bytes += bytes_of(found);
    if (bytes > endpoint.counts_bytes) return too_many_classes();
    check.add(found.cells.first(keys), found.cells.subspan(keys), found.shows_more, found.rows);
    records += found.rows;
    return {};
  };
  if (auto read = db::read_row_classes(endpoint, place, names, take, progress); !read) return read.error();
  if (records == 0) return engine::not_measurable("the table has no rows", "there is nothing to measure");
  if (auto valid = engine::validate_populations(*models, records); !valid) return valid.error();
  return check.finish(demand.demand);
}

std::optional<engine::Table> without_hidden_rows(const engine::Table& table,
                                                 const std::vector<std::string>& quasi_identifiers,
                                                 const std::vector<std::string>& nulls) {
  Columns keys, others;
  for (const auto& column : table.columns) {
    const bool is_key = std::ranges::find(quasi_identifiers, column.name) != quasi_identifiers.end();
    (is_key ? keys : others).push_back(&column);
  }
  std::vector<std::size_t> shown;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto text = [row](const engine::Column* it) -> const std::string& {
      return it->values[it->codes.at(row)];
    };
    if (!std::ranges::all_of(keys, [&](const auto* it) { return text(it) == engine::kSuppressed; })) {
      shown.push_back(row);
    } else if (!std::ranges::all_of(others, [&](const auto* it) {
                 return std::ranges::find(nulls, text(it)) != nulls.end();
               })) {
      return std::nullopt;
    }
  }
  if (shown.size() == table.rows()) return std::nullopt;
  auto made = engine::rows_of(table, shown);
  for (auto& column : made.columns) column = engine::with_texts(column, column.values);
  return made;
}

namespace {

enum class Numbers { joined, as_texts };

// were_joined: whether columns without an order by number have numbers that are equal and are two texts.
Result<engine::CheckFindings> check_reading(const engine::Table& table, const TableDemand& demand,
                                            Numbers numbers, bool& were_joined) {
  const auto models = checked_models(demand);
  if (!models) return models.error();
  if (auto valid = engine::validate_populations(*models, table.rows()); !valid) return valid.error();
  const auto names = names_of(demand);
  if (names.empty()) return no_quasi_identifier();
  auto columns = engine::columns_of(table, names, "table");
  if (!columns) return columns.error();
  const std::size_t keys = demand.quasi_identifiers.size();
  Columns others;
  for (const auto& column : table.columns) {
    if (std::ranges::find(*columns, &column) == columns->end()) others.push_back(&column);
  }
  std::deque<engine::Column> joined;  // keeps addresses
  for (std::size_t i = 0; i < demand.sensitive.size(); ++i) {
    const bool is_by_number = demand.sensitive[i].order == engine::ValueOrder(engine::SortedBy::number);
    if (numbers == Numbers::as_texts && !is_by_number) continue;
    auto made = with_joined_numbers(*(*columns)[keys + i], demand.null_text);
    if (!made) continue;
    (*columns)[keys + i] = &joined.emplace_back(std::move(*made));
    were_joined = were_joined || !is_by_number;
  }
  const auto cell = [&](const engine::Column& column, std::size_t row,
                        bool is_empty_null) -> std::optional<std::string_view> {
    const auto& text = column.values[column.codes.at(row)];
    if (text == demand.null_text || (is_empty_null && text.empty())) return std::nullopt;
    return std::string_view(text);
  };
  engine::TableCheck check(demand.sensitive);
  std::vector<std::optional<std::string_view>> cells(columns->size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = cell(*(*columns)[i], row, i >= keys && demand.is_empty_null);
    const bool shows_more = std::ranges::any_of(
        others, [&](const auto* it) { return cell(*it, row, demand.is_empty_null).has_value(); });
    const engine::Cells all(cells);
    check.add(all.first(keys), all.subspan(keys), shows_more);
  }
  if (demand.add_population) {
    if (auto added = demand.add_population(check); !added) return added.error();
  }
  return check.finish(demand.demand);
}

}  // namespace

// A reader who takes 1.0 for 1 sees fewer values in a class. One who sees two texts may tell classes apart by
// them, as t-closeness measures. So a demand is kept if it is kept in both readings.
Result<engine::CheckFindings> check_table(const engine::Table& table, const TableDemand& demand) {
  bool were_joined = false;
  auto joined = check_reading(table, demand, Numbers::joined, were_joined);
  if (!joined || !joined->is_kept() || !were_joined) return joined;
  auto texts = check_reading(table, demand, Numbers::as_texts, were_joined);
  return !texts || !texts->is_kept() ? texts : joined;
}

}  // namespace pgveil::app
