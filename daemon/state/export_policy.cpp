#include "daemon/state/export_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/clock.hpp"
#include "common/csv.hpp"
#include "common/files/export_file.hpp"
#include "common/sqlstate.hpp"
#include "daemon/policies/certificate.hpp"
#include "daemon/policies/lineage.hpp"
#include "jobs/check/fingerprint.hpp"

namespace pgveil::app {
namespace {

Error export_refused(std::string what, std::string hint) {
  return {ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
          "export refused: " + std::move(what), std::move(hint)};
}

// Refuses copies: current rows beside those of the copy would show what happened to people in between.
Result<void> check_enforcement(const policy::PolicySpec& spec) {
  if (spec.enforcement != policy::Enforcement::copy) return {};
  return export_refused(fmt::format("policy {} answers from a copy of its masked rows", spec.name),
                        "COPY (SELECT …) TO STDOUT through pgveil gives the copy");
}

Result<void> check_not_listed(const Present& present, const std::string& database, const std::string& schema,
                              const std::string& table) {
  const std::string name = schema + "." + table;
  if (is_in_open_tables(present.config, database, name)) {
    return export_refused(fmt::format("{} is listed in open_tables", name), "name another table");
  }
  for (const auto& spec : present.specs) {
    if (spec->database == database && spec->schema == schema && spec->table == table) {
      return export_refused(fmt::format("{} is the table of policy {}", name, spec->name),
                            "name another table");
    }
  }
  return {};
}

using Cells = std::span<const std::optional<std::string_view>>;

// A CSV file that is being written, and its data for a certificate.
class CsvExport {
 public:
  explicit CsvExport(ExportFile& file) : file_(file) {}

  db::RowSink sink() {
    return {[this](std::span<const db::ExportColumn> columns) { return begin(columns); },
            [this](Cells cells) { return add(cells); }};
  }
  [[nodiscard]] ExportPrints finish() && {
    prints_.file = std::move(bytes_).finish();
    return std::move(prints_);
  }

 private:
  Result<void> begin(std::span<const db::ExportColumn> columns) {
    line_.clear();
    for (const auto& column : columns) {
      kinds_.push_back(column.is_numeric ? CellKind::number : CellKind::text);
      prints_.columns.push_back(column.name);
      append_cell(line_, column.name, CellKind::text);
      line_ += ',';
    }
    return end_line();
  }
  Result<void> add(Cells cells) {
    line_.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      append_cell(line_, cells[i], kinds_[i]);
      line_ += ',';
    }
    ++prints_.rows;
    return end_line();
  }
  Result<void> end_line() {
    line_.back() = '\r';  // replaces the separator after the last cell
    line_ += '\n';
    bytes_.add(line_);
    return file_.append(line_);
  }

  ExportFile& file_;
  std::vector<CellKind> kinds_;
  std::string line_;
  BytesFingerprint bytes_;
  ExportPrints prints_;
};

// The rows of a table that is not yet committed.
class TablePrint {
 public:
  db::RowSink sink() {
    return {[this](std::span<const db::ExportColumn> columns) -> Result<void> {
              for (const auto& column : columns) prints_.columns.push_back(column.name);
              print_.emplace(prints_.columns, "");
              return {};
            },
            [this](Cells cells) -> Result<void> {
              print_->add({cells.begin(), cells.end()});
              ++prints_.rows;
              return {};
            }};
  }
  // REQUIRES: all rows were passed in.
  [[nodiscard]] ExportPrints finish() {
    prints_.table = std::move(*print_).finish();
    return std::move(prints_);
  }

 private:
  ExportPrints prints_;
  std::optional<TableFingerprint> print_;
};

// nullopt: no certificate is wanted.
Result<std::optional<ExportFile>> begin_certificate(const Present& present,
                                                    const std::optional<std::string>& name) {
  std::optional<ExportFile> made;
  if (!name) return made;
  auto file = ExportFile::create(present.config.export_dir, *name, ".json");
  if (!file) return file.error();
  made.emplace(std::move(*file));
  return made;
}

// An export is a release, too: of the version's tree, as far as the current rows support it.
db::TreeCheck beside_others(const Present& present, const policy::PolicySpec& spec,
                            const policy::PolicyVersion& version) {
  return [&](const policy::DisclosureTree& tree) {
    policy::PolicyVersion exported = version;
    exported.tree = tree;
    return check_lineage(present.config, present.specs, spec, exported);
  };
}

Result<void> publish_certificate(ExportFile& file, const std::string& text) {
  if (auto written = file.append(text); !written) return written;
  return file.publish();
}

}  // namespace

Result<db::ExportReport> export_policy_to_table(const Present& present, const policy::PolicySpec& spec,
                                                const policy::PolicyVersion& version,
                                                const std::string& schema, const std::string& table,
                                                const std::optional<std::string>& certificate) {
  if (auto allowed = check_enforcement(spec); !allowed) return allowed.error();
  if (!present.config.backend.admin_role) {
    return export_refused("the configuration has no backend.admin_role, and query_role may only read",
                          "add admin_role, or EXPORT … TO FILE");
  }
  if (auto free = check_not_listed(present, spec.database, schema, table); !free) return free.error();
  auto statement = begin_certificate(present, certificate);
  if (!statement) return statement.error();
  auto reading = db::TableReading::open_for_writing(build_endpoint(present.config), spec);
  if (!reading) return reading.error();
  TablePrint print;
  db::TableWitness witness;
  if (*statement) {
    witness.rows = print.sink();
    witness.before_commit = [&](const db::ExportReport& report) {
      return publish_certificate(**statement,
                                 policy_certificate_json(spec, version, report, print.finish(), utc_now()));
    };
  }
  auto report =
      db::export_to_table(*reading, version, schema, table, beside_others(present, spec, version), witness);
  if (!report && *statement) (*statement)->withdraw();
  return report;
}

Result<db::ExportReport> export_policy_to_file(const Present& present, const policy::PolicySpec& spec,
                                               const policy::PolicyVersion& version, const std::string& file,
                                               const std::optional<std::string>& certificate) {
  if (auto allowed = check_enforcement(spec); !allowed) return allowed.error();
  auto target = ExportFile::create(present.config.export_dir, file);
  if (!target) return target.error();
  auto statement = begin_certificate(present, certificate);
  if (!statement) return statement.error();
  auto reading = db::TableReading::open(build_endpoint(present.config), spec);
  if (!reading) return reading.error();
  CsvExport csv(*target);
  auto report = db::export_to_sink(*reading, version, beside_others(present, spec, version), csv.sink());
  if (!report) return report;
  if (*statement) {
    const auto text = policy_certificate_json(spec, version, *report, std::move(csv).finish(), utc_now());
    if (auto published = publish_certificate(**statement, text); !published) return published.error();
  }
  if (auto published = target->publish(); !published) {
    if (*statement) (*statement)->withdraw();
    return published.error();
  }
  return report;
}

}  // namespace pgveil::app
