#include "db/exporter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/sqlstate.hpp"
#include "db/counted_columns.hpp"
#include "db/export_target.hpp"
#include "db/failure.hpp"
#include "db/row_stream.hpp"
#include "db/visible_tuples.hpp"
#include "rewriter/export_select.hpp"
#include "rewriter/snapshot.hpp"

namespace pgveil::db {
namespace {

constexpr std::array<std::string_view, 7> kNumericTypes{"int2",   "int4",    "int8", "float4",
                                                        "float8", "numeric", "oid"};

// What is exported, decided before anything is written.
struct Plan {
  std::string select;  // all columns, masked
  Tallies expected;
  std::vector<CountedColumn> quasi_identifiers;  // tree order
  ExportReport report;
};

Result<Plan> plan_export(TableReading& reading, const policy::PolicyVersion& version,
                         const Progress& progress) {
  if (rewriter::shape_of(reading.relation()) != version.shape) {
    return Error{ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
                 fmt::format("policy {}: the table changed since version {}", version.policy, version.number),
                 "BUILD POLICY first"};
  }
  auto columns = quasi_identifiers(reading.spec(), reading.relation());
  if (!columns) return columns.error();
  const auto counts = reading.counts(progress);
  if (!counts) return counts.error();
  const policy::PolicySpec& spec = reading.spec();
  auto repaired = policy::repair(version.tree, *counts, policy::side_rules(spec, *counts));
  if (!repaired) return repaired.error();
  const auto constrained = reading.constrained_columns(progress);
  if (!constrained) return constrained.error();
  if (auto kept = policy::check_constraints(spec, repaired->tree, *constrained); !kept) return kept.error();
  auto select = rewriter::export_select_sql(reading.spec(), repaired->tree, reading.relation());
  if (!select) return select.error();
  return Plan{std::move(*select),
              expected_tuples(repaired->tree, *counts),
              std::move(*columns),
              {policy::measure(repaired->tree, *counts), repaired->collapsed}};
}

std::string sort_keys(const rewriter::Relation& relation) {
  std::string keys;
  for (const auto& column : relation.columns) {
    keys += fmt::format("{}x.{}::pg_catalog.text COLLATE pg_catalog.\"C\"", keys.empty() ? "" : ", ",
                        quoted_name(column.name));
  }
  return keys;
}

VisibleTuple tuple_of(const pqxx::row& row, std::size_t first, std::size_t size) {
  VisibleTuple tuple(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto field = row[static_cast<int>(first + i)];
    if (!field.is_null()) tuple[i].emplace(field.c_str(), field.size());
  }
  return tuple;
}

// The output counted where it lies, by the same canonical texts as the tree's values.
std::map<VisibleTuple, std::uint64_t> recount_table(TableReading& reading, const Plan& plan,
                                                    const std::string& schema, const std::string& table) {
  rewriter::Relation output = reading.relation();
  output.schema = schema;
  output.name = table;
  std::map<VisibleTuple, std::uint64_t> written;
  stream_rows(reading.connection(), group_query(plan.quasi_identifiers, output), [&](const pqxx::row& row) {
    const std::size_t size = plan.quasi_identifiers.size();
    written[tuple_of(row, 0, size)] += row[static_cast<int>(size)].as<std::uint64_t>();
  });
  return written;
}

Result<ExportReport> write_table(TableReading& reading, const Plan& plan, const std::string& schema,
                                 const std::string& table, std::uint64_t k) {
  Connection& connection = reading.connection();
  if (auto free = check_export_target(connection, schema, table); !free) return free.error();
  connection.run(fmt::format("CREATE TABLE {} AS SELECT * FROM ({}) AS x ORDER BY {}",
                             qualified_name(schema, table), plan.select, sort_keys(reading.relation())));
  if (auto made = check_exported_table(connection, schema, table); !made) return made.error();
  const auto written = recount_table(reading, plan, schema, table);
  if (auto checked = check_output(plan.expected, written, k); !checked) return checked.error();
  connection.run("COMMIT");
  return plan.report;
}

std::vector<ExportColumn> export_columns(const rewriter::Relation& relation) {
  std::vector<ExportColumn> columns;
  for (const auto& column : relation.columns) {
    const bool is_numeric = column.type_schema == "pg_catalog" &&
                            std::ranges::find(kNumericTypes, column.type_name) != kNumericTypes.end();
    columns.push_back({column.name, is_numeric});
  }
  return columns;
}

// Texts of all columns, then the canonical texts of the quasi-identifiers for the recount.
std::string rows_query(const rewriter::Relation& relation, const Plan& plan) {
  std::string texts;
  for (const auto& column : relation.columns) {
    texts += fmt::format("{}x.{}::pg_catalog.text", texts.empty() ? "" : ", ", quoted_name(column.name));
  }
  for (const auto& column : plan.quasi_identifiers) texts += ", " + column.text_sql;
  return fmt::format("SELECT {} FROM ({}) AS x ORDER BY {}", texts, plan.select, sort_keys(relation));
}

Result<ExportReport> write_rows(TableReading& reading, const Plan& plan, const RowSink& sink, std::uint64_t k,
                                const Progress& progress) {
  const auto columns = export_columns(reading.relation());
  if (auto started = sink.header(columns); !started) return started.error();
  std::map<VisibleTuple, std::uint64_t> written;
  std::vector<std::optional<std::string_view>> cells(columns.size());
  std::uint64_t rows = 0;
  stream_rows(reading.connection(), rows_query(reading.relation(), plan), [&](const pqxx::row& row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto field = row[static_cast<int>(i)];
      cells[i] =
          field.is_null() ? std::nullopt : std::optional(std::string_view(field.c_str(), field.size()));
    }
    if (auto taken = sink.row(cells); !taken) throw Abandon{taken.error()};
    ++written[tuple_of(row, cells.size(), plan.quasi_identifiers.size())];
    if (progress && ++rows % kRowsPerFetch == 0) progress("writing", rows);
  });
  if (auto checked = check_output(plan.expected, written, k); !checked) return checked.error();
  return plan.report;
}

}  // namespace

Result<ExportReport> export_to_table(TableReading& reading, const policy::PolicyVersion& version,
                                     const std::string& schema, const std::string& table,
                                     const Progress& progress) {
  const auto plan = plan_export(reading, version, progress);
  if (!plan) return plan.error();
  if (progress) progress("writing", 0);
  return guarded<ExportReport>(fmt::format("exporting to {}", qualified_name(schema, table)),
                               [&] { return write_table(reading, *plan, schema, table, reading.spec().k); });
}

Result<ExportReport> export_to_sink(TableReading& reading, const policy::PolicyVersion& version,
                                    const RowSink& sink, const Progress& progress) {
  const auto plan = plan_export(reading, version, progress);
  if (!plan) return plan.error();
  return guarded<ExportReport>("exporting to a file",
                               [&] { return write_rows(reading, *plan, sink, reading.spec().k, progress); });
}

}  // namespace pgveil::db
