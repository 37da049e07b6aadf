#include "engine/data/hierarchy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "common/separated_text.hpp"
#include "common/sqlstate.hpp"
#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {
namespace {

using RowOfValue = std::unordered_map<std::string_view, std::size_t>;

Error hierarchy_error(std::string message, std::string hint, const std::vector<std::string>& values = {}) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message),
               .hint = std::move(hint),
               .private_detail = fmt::format("{}", fmt::join(values, ", "))};
}

Result<void> check_shape(std::string_view name, const Hierarchy& hierarchy) {
  if (hierarchy.rows.empty()) {
    return hierarchy_error(fmt::format("the hierarchy of {} is empty", name),
                           "it needs a row for each value");
  }
  const std::size_t width = hierarchy.rows.front().size();
  for (std::size_t row = 0; row < hierarchy.rows.size(); ++row) {
    if (hierarchy.rows[row].size() == width && width > 0) continue;
    return hierarchy_error(fmt::format("the hierarchy of {} has {} columns in row {}, {} in row 1", name,
                                       hierarchy.rows[row].size(), row + 1, width),
                           "all rows have the same levels; repeat a value to skip a level");
  }
  if (width > kMaxHeight + 1) {
    return hierarchy_error(
        fmt::format("the hierarchy of {} has {} levels, {} are possible", name, width, kMaxHeight + 1),
        "leave levels out");
  }
  return {};
}

bool begins_with_header(const Hierarchy& hierarchy) {
  const auto& rows = hierarchy.rows;
  if (rows.size() < 3 || rows.front().size() < 2) return false;
  const auto& top = rows.back().back();
  return std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
    return row.back() == top &&
           std::ranges::mismatch(row, rows.front(), std::ranges::not_equal_to()).in1 == row.end();
  });
}

Result<RowOfValue> index_values(std::string_view name, const Hierarchy& hierarchy) {
  RowOfValue row_of;
  std::vector<std::string> repeated;
  for (std::size_t row = 0; row < hierarchy.rows.size(); ++row) {
    const auto& value = hierarchy.rows[row].front();
    if (!row_of.emplace(value, row).second) repeated.push_back(value);
  }
  if (repeated.empty()) return row_of;
  return hierarchy_error(
      fmt::format("the hierarchy of {} has {} values more than once", name, repeated.size()),
      "each value has one row", repeated);
}

// Each level must be a function of the one below; otherwise a generalization could split a class.
Result<void> check_functions(std::string_view name, const Hierarchy& hierarchy) {
  std::vector<std::string> contradictory;
  for (std::size_t level = 1; level < hierarchy.rows.front().size(); ++level) {
    std::unordered_map<std::string_view, std::string_view> parent_of;
    for (const auto& row : hierarchy.rows) {
      const auto [known, is_new] = parent_of.emplace(row[level - 1], row[level]);
      if (is_new || known->second == row[level]) continue;
      contradictory.push_back(
          fmt::format("{} at level {}: {} and {}", row[level - 1], level - 1, known->second, row[level]));
    }
  }
  if (contradictory.empty()) return {};
  return hierarchy_error(
      fmt::format("the hierarchy of {} generalizes {} values in two ways", name, contradictory.size()),
      "one value has one generalization", contradictory);
}

// A file that was read with the wrong separator has one column, whose labels have the right one.
bool may_have_another_separator(const Hierarchy& hierarchy) {
  return hierarchy.rows.front().size() == 1 && std::ranges::any_of(hierarchy.rows, [](const auto& row) {
           return row.front().find_first_of(";,\t|") != std::string::npos;
         });
}

Result<std::vector<std::size_t>> rows_of_values(const Column& column, const Hierarchy& hierarchy,
                                                const RowOfValue& row_of) {
  std::vector<std::size_t> rows;
  std::vector<std::string> missing;
  for (const auto& value : column.values) {
    const auto found = row_of.find(value);
    if (found == row_of.end()) {
      missing.push_back(value);
    } else {
      rows.push_back(found->second);
    }
  }
  if (missing.empty()) return rows;
  return hierarchy_error(
      fmt::format("the hierarchy of {} has no row for {} values of the column", column.name, missing.size()),
      may_have_another_separator(hierarchy)
          ? "add a row for each, or name the separator if it is another one: separator in the hierarchy's "
            "section"
          : "add a row for each",
      missing);
}

void add_level(LevelTables& tables, const Hierarchy& hierarchy, const std::vector<std::size_t>& rows,
               std::size_t level) {
  std::unordered_map<std::string_view, Code> code_of;
  auto& codes = tables.code_at.emplace_back();
  auto& values = tables.values.emplace_back();
  for (const auto row : rows) {
    const auto& value = hierarchy.rows[row][level];
    const auto [entry, is_new] = code_of.emplace(value, static_cast<Code>(values.size()));
    if (is_new) values.push_back(value);
    codes.push_back(entry->second);
  }
  auto& counts = tables.hierarchy_rows.emplace_back(values.size(), 0);
  for (const auto& row : hierarchy.rows) {
    const auto used = code_of.find(row[level]);
    if (used != code_of.end()) ++counts[used->second];
  }
}

}  // namespace

Result<Hierarchy> read_hierarchy(std::string_view bytes, char separator, HierarchyHeader header,
                                 std::span<const std::string> values) {
  RecordReader reader(bytes, separator);
  Hierarchy hierarchy;
  std::vector<std::string_view> fields;
  std::size_t width = 0;
  bool is_header = header == HierarchyHeader::first_record;
  while (true) {
    const auto more = reader.next(fields);
    if (more.has_error()) return more.error();
    if (!*more) break;
    if (width == 0) width = fields.size();
    if (width > 1 && fields.size() == 1 && fields.front().empty()) continue;
    if (!std::exchange(is_header, false)) hierarchy.rows.emplace_back(fields.begin(), fields.end());
  }
  if (const auto shape = check_shape("the file", hierarchy); shape.has_error()) return shape.error();
  const bool is_value = std::ranges::find(values, hierarchy.rows.front().front()) != values.end();
  if (header == HierarchyHeader::not_said && !is_value && begins_with_header(hierarchy))
    return hierarchy_error(
        "the first record of the hierarchy looks like a header: it shares no label with the others",
        "if it is a header, remove it, or write header: true in the hierarchy's section; if it is a value, "
        "write header: false, or move it below the others");
  return hierarchy;
}

Result<LevelTables> make_level_tables(const Column& column, const Hierarchy& hierarchy) {
  if (const auto shape = check_shape(column.name, hierarchy); shape.has_error()) return shape.error();
  const auto row_of = index_values(column.name, hierarchy);
  if (row_of.has_error()) return row_of.error();
  if (const auto functions = check_functions(column.name, hierarchy); functions.has_error())
    return functions.error();
  const auto rows = rows_of_values(column, hierarchy, *row_of);
  if (rows.has_error()) return rows.error();

  LevelTables tables;
  tables.name = column.name;
  tables.domain = hierarchy.rows.size();
  for (std::size_t level = 0; level < hierarchy.rows.front().size(); ++level) {
    add_level(tables, hierarchy, *rows, level);
  }
  tables.spans = tables.hierarchy_rows;
  tables.range = tables.domain;
  return tables;
}

}  // namespace pgveil::engine
