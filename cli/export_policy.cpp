#include "cli/export_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/csv.hpp"
#include "cli/export_file.hpp"
#include "cli/lineage.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::cli {
namespace {

Error refused(std::string what, std::string hint) {
  return {ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
          "export refused: " + std::move(what), std::move(hint)};
}

// Rows of another time beside those of the copy would show what became of people in between.
Result<void> check_enforcement(const policy::PolicySpec& spec) {
  if (spec.enforcement != policy::Enforcement::copy) return {};
  return refused(fmt::format("policy {} answers from a copy of its masked rows", spec.name),
                 "COPY (SELECT …) TO STDOUT through pgveil gives the copy");
}

Result<void> check_not_listed(const Present& present, const std::string& database, const std::string& schema,
                              const std::string& table) {
  const auto open = open_tables_of(present.config, database);
  const std::string name = schema + "." + table;
  if (std::ranges::find(open, name) != open.end()) {
    return refused(fmt::format("{} is listed in open_tables", name), "name another table");
  }
  for (const auto& spec : present.specs) {
    if (spec->database == database && spec->schema == schema && spec->table == table) {
      return refused(fmt::format("{} is the table of policy {}", name, spec->name), "name another table");
    }
  }
  return {};
}

db::RowSink csv_sink(ExportFile& file, std::vector<CellKind>& kinds, std::string& line) {
  const auto end_line = [&file, &line]() {
    line.back() = '\r';  // the separator after the last cell
    line += '\n';
    return file.append(line);
  };
  db::RowSink sink;
  sink.header = [&kinds, &line, end_line](std::span<const db::ExportColumn> columns) {
    line.clear();
    for (const auto& column : columns) {
      kinds.push_back(column.is_numeric ? CellKind::number : CellKind::text);
      append_cell(line, column.name, CellKind::text);
      line += ',';
    }
    return end_line();
  };
  sink.row = [&kinds, &line, end_line](std::span<const std::optional<std::string_view>> cells) {
    line.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      append_cell(line, cells[i], kinds[i]);
      line += ',';
    }
    return end_line();
  };
  return sink;
}

}  // namespace

Result<db::ExportReport> export_policy_to_table(const Present& present, const policy::PolicySpec& spec,
                                                const policy::PolicyVersion& version,
                                                const std::string& schema, const std::string& table) {
  if (auto allowed = check_enforcement(spec); !allowed) return allowed.error();
  if (!present.config.backend.admin_role) {
    return refused("the configuration has no backend.admin_role, and query_role may only read",
                   "add admin_role, or EXPORT … TO FILE");
  }
  if (auto alone = check_lineage(present.config, present.specs, spec, version); !alone) return alone.error();
  if (auto free = check_not_listed(present, spec.database, schema, table); !free) return free.error();
  auto reading = db::TableReading::open_for_writing(build_endpoint(present.config), spec);
  if (!reading) return reading.error();
  return db::export_to_table(*reading, version, schema, table);
}

Result<db::ExportReport> export_policy_to_file(const Present& present, const policy::PolicySpec& spec,
                                               const policy::PolicyVersion& version,
                                               const std::string& file) {
  if (auto allowed = check_enforcement(spec); !allowed) return allowed.error();
  if (auto alone = check_lineage(present.config, present.specs, spec, version); !alone) return alone.error();
  auto target = ExportFile::create(present.config.export_dir, file);
  if (!target) return target.error();
  auto reading = db::TableReading::open(build_endpoint(present.config), spec);
  if (!reading) return reading.error();
  std::vector<CellKind> kinds;
  std::string line;
  auto report = db::export_to_sink(*reading, version, csv_sink(*target, kinds, line));
  if (!report) return report;
  if (auto published = target->publish(); !published) return published.error();
  return report;
}

}  // namespace pgveil::cli
