#include "db/policy_table/exporter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/sql_quoting.hpp"
#include "db/policy_table/export_plan.hpp"
#include "db/policy_table/export_target.hpp"
#include "db/server/copy_line.hpp"
#include "db/server/failure.hpp"
#include "db/server/row_stream.hpp"

namespace pgveil::db {
namespace {

constexpr std::array<std::string_view, 7> kNumericTypes{"int2",   "int4",    "int8", "float4",
                                                        "float8", "numeric", "oid"};

ExportReport report_of(const ExportPlan& plan) {
  return {plan.disclosure, plan.collapsed};
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

// The texts of all columns, then the canonical texts of the quasi-identifiers for the recount.
std::string rows_query(const rewriter::Relation& relation, const ExportPlan& plan) {
  std::string texts;
  for (const auto& column : relation.columns) {
    texts += fmt::format("{}x.{}::pg_catalog.text", texts.empty() ? "" : ", ", quoted_name(column.name));
  }
  for (const auto& column : plan.quasi_identifiers) texts += ", " + column.text_sql;
  return fmt::format("SELECT {} FROM ({}) AS x ORDER BY {}", texts, plan.select, sort_keys(relation));
}

Result<ExportReport> write_rows(TableReading& reading, const ExportPlan& plan, const RowSink& sink,
                                std::uint64_t k, const Progress& progress) {
  const auto columns = export_columns(reading.relation());
  if (auto started = sink.header(columns); !started) return started.error();
  std::map<VisibleTuple, std::uint64_t> written;
  std::vector<std::optional<std::string_view>> cells(columns.size());
  std::uint64_t rows = 0;
  stream_rows(reading.connection(), rows_query(reading.relation(), plan), [&](const Row& row) {
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
  return report_of(plan);
}

Result<void> show_rows(TableReading& reading, const std::string& schema, const std::string& table,
                       const RowSink& sink) {
  const auto columns = export_columns(reading.relation());
  if (auto started = sink.header(columns); !started) return started;
  std::string texts;
  for (const auto& column : columns)
    texts += fmt::format("{}{}::pg_catalog.text", texts.empty() ? "" : ", ", quoted_name(column.name));
  std::vector<CopyField> cells;
  reading.connection().copy_out(fmt::format("SELECT {} FROM {}", texts, qualified_name(schema, table)),
                                [&](std::string& line) {
                                  split_copy_line(line, cells);
                                  if (auto taken = sink.row(cells); !taken) throw Abandon{taken.error()};
                                });
  return {};
}

}  // namespace

Result<ExportReport> export_to_table(TableReading& reading, const policy::PolicyVersion& version,
                                     const std::string& schema, const std::string& table,
                                     const TreeCheck& may_show, const TableWitness& witness,
                                     const Progress& progress) {
  const auto plan = plan_export(reading, version, progress);
  if (!plan) return plan.error();
  if (auto allowed = may_show(plan->tree); !allowed) return allowed.error();
  if (progress) progress("writing", 0);
  return guarded<ExportReport>(
      fmt::format("exporting to {}", qualified_name(schema, table)), [&]() -> Result<ExportReport> {
        if (auto written = write_masked_table(reading, *plan, schema, table); !written)
          return written.error();
        if (witness.rows.row) {
          if (auto shown = show_rows(reading, schema, table, witness.rows); !shown) return shown.error();
        }
        if (witness.before_commit) {
          if (auto ready = witness.before_commit(report_of(*plan)); !ready) return ready.error();
        }
        commit_exported_table(reading.connection(), schema, table);
        return report_of(*plan);
      });
}

Result<ExportReport> export_to_sink(TableReading& reading, const policy::PolicyVersion& version,
                                    const TreeCheck& may_show, const RowSink& sink,
                                    const Progress& progress) {
  const auto plan = plan_export(reading, version, progress);
  if (!plan) return plan.error();
  if (auto allowed = may_show(plan->tree); !allowed) return allowed.error();
  return guarded<ExportReport>("exporting to a file",
                               [&] { return write_rows(reading, *plan, sink, reading.spec().k, progress); });
}

}  // namespace pgveil::db
