#include "db/policy_table/row_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/readable_table.hpp"
#include "db/server/connection.hpp"
#include "db/server/copy_line.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

constexpr std::uint64_t kClassesPerLook = 10'000;

// c1, c2 …: the columns as texts, which are compared byte by byte, whatever the column's collation is.
std::string texts_of(const std::vector<std::string>& columns) {
  std::string texts;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    texts += fmt::format("{}{}::pg_catalog.text COLLATE \"C\" AS c{}", i == 0 ? "" : ", ",
                         quoted_name(columns[i]), i + 1);
  }
  return texts;
}

std::string names_of(std::size_t columns) {
  std::string names;
  for (std::size_t i = 1; i <= columns; ++i) names += fmt::format("{}c{}", i == 1 ? "" : ", ", i);
  return names;
}

std::string shows_more_of(const std::vector<ReadableColumn>& all, const std::vector<std::string>& columns) {
  std::string others;
  for (const auto& column : all) {
    if (std::ranges::find(columns, column.name) == columns.end())
      others += fmt::format("{}{}", others.empty() ? "" : ", ", quoted_name(column.name));
  }
  // Uses num_nonnulls, because IS NOT NULL of a composite value looks at its fields.
  return others.empty() ? "false" : fmt::format("pg_catalog.num_nonnulls({}) > 0", others);
}

std::uint64_t number_of(const CopyField& field) {
  std::uint64_t value = 0;
  PGVEIL_ASSERT(field.has_value());
  const auto [end, problem] = std::from_chars(field->data(), field->data() + field->size(), value);
  PGVEIL_ASSERT(problem == std::errc{} && end == field->data() + field->size());
  return value;
}

Result<void> read(Connection& connection, const TablePlace& place, const std::vector<std::string>& columns,
                  const std::function<Result<void>(const RowClass&)>& on_class, const Progress& progress) {
  const auto all = begin_reading(connection, place.schema, place.table);
  if (!all) return all.error();
  if (auto there = require_columns(*all, columns, place.schema, place.table); !there) return there;
  const auto names = names_of(columns.size());
  const auto query = fmt::format(
      "SELECT {0}, more, pg_catalog.count(*) FROM (SELECT {1}, {2} AS more FROM {3}) AS rows GROUP BY {0}, "
      "more",
      names, texts_of(columns), shows_more_of(*all, columns), qualified_name(place.schema, place.table));
  std::vector<CopyField> fields;
  std::uint64_t classes = 0;
  connection.copy_out(query, [&](std::string& line) {
    split_copy_line(line, fields);
    PGVEIL_ASSERT(fields.size() == columns.size() + 2);
    const RowClass found{std::span(fields).first(columns.size()), fields[columns.size()] == "t",
                         number_of(fields.back())};
    if (auto taken = on_class(found); !taken) throw Abandon{taken.error()};
    if (progress && ++classes % kClassesPerLook == 0) progress("counting", classes);
  });
  return {};
}

// The value of GROUPING(c1, …, cn) for a set: one bit for each column that is not in it; the last column has
// the lowest bit.
std::uint64_t grouping_of(const std::vector<std::size_t>& set, std::size_t columns) {
  std::uint64_t bits = (std::uint64_t{1} << columns) - 1;
  for (const auto i : set) bits &= ~(std::uint64_t{1} << (columns - 1 - i));
  return bits;
}

std::string sizes_query(const TablePlace& place, const std::vector<std::string>& columns,
                        const std::vector<std::vector<std::size_t>>& sets) {
  std::string written;
  for (const auto& set : sets) {
    std::string names;
    for (const auto i : set) names += fmt::format("{}c{}", names.empty() ? "" : ", ", i + 1);
    written += fmt::format("{}({})", written.empty() ? "" : ", ", names);
  }
  return fmt::format(
      "SELECT looks, size, pg_catalog.count(*) FROM (SELECT GROUPING({}) AS looks, pg_catalog.count(*) AS "
      "size "
      "FROM (SELECT {} FROM {}) AS rows GROUP BY GROUPING SETS ({})) AS classes GROUP BY looks, size",
      names_of(columns.size()), texts_of(columns), qualified_name(place.schema, place.table), written);
}

Result<ClassSizes> count(Connection& connection, const TablePlace& place,
                         const std::vector<std::string>& columns,
                         const std::vector<std::vector<std::size_t>>& sets) {
  const auto all = begin_reading(connection, place.schema, place.table);
  if (!all) return all.error();
  if (auto there = require_columns(*all, columns, place.schema, place.table); !there) return there.error();
  ClassSizes made;
  for (const auto& column : *all) made.table_columns.push_back(column.name);
  std::map<std::uint64_t, std::size_t> place_of;
  for (std::size_t i = 0; i < sets.size(); ++i) place_of.emplace(grouping_of(sets[i], columns.size()), i);
  PGVEIL_ASSERT(place_of.size() == sets.size());
  made.of_set.resize(sets.size());
  std::vector<CopyField> fields;
  connection.copy_out(sizes_query(place, columns, sets), [&](std::string& line) {
    split_copy_line(line, fields);
    PGVEIL_ASSERT(fields.size() == 3);
    const auto found = place_of.find(number_of(fields[0]));
    PGVEIL_ASSERT(found != place_of.end());
    made.of_set[found->second][number_of(fields[1])] = number_of(fields[2]);
  });
  return made;
}

std::string work_on(const TablePlace& place) {
  return fmt::format("counting the rows of {}", qualified_name(place.schema, place.table));
}

}  // namespace

Result<void> read_row_classes(const Endpoint& endpoint, const TablePlace& place,
                              const std::vector<std::string>& columns,
                              const std::function<Result<void>(const RowClass&)>& on_class,
                              const Progress& progress) {
  PGVEIL_ASSERT(!columns.empty());
  auto connection = Connection::open(endpoint, place.database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<void>(work_on(place),
                       [&] { return read(**connection, place, columns, on_class, progress); });
}

Result<ClassSizes> count_class_sizes(const Endpoint& endpoint, const TablePlace& place,
                                     const std::vector<std::string>& columns,
                                     const std::vector<std::vector<std::size_t>>& sets) {
  if (columns.size() > kMostCountedColumns) {
    return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
                 fmt::format("more than {} columns", kMostCountedColumns), "name fewer"};
  }
  auto connection = Connection::open(endpoint, place.database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<ClassSizes>(work_on(place), [&] { return count(**connection, place, columns, sets); });
}

}  // namespace pgveil::db
