#pragma once
// EXPORT POLICY: writes the anonymized table of one REPEATABLE READ state, under the current version's tree
// repaired on that very state. It is sorted by all columns, so the order of the input is gone, and it is
// recounted before it counts as written.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "db/catalog/table_reading.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/version/version.hpp"

namespace pgveil::db {

struct ExportReport {
  policy::Disclosure disclosure;  // of what was exported
  std::size_t collapsed = 0;      // splits that the live data no longer supports
};

// Called once before anything is written, with the tree that is going to be shown.
using TreeCheck = std::function<Result<void>(const policy::DisclosureTree&)>;

struct ExportColumn {
  std::string name;
  bool is_numeric = false;  // one of PostgreSQL's number types: never quoted against formulas
};

// Receives the rows of a file export, in order. The first Error ends the export.
struct RowSink {
  std::function<Result<void>(std::span<const ExportColumn>)> header;
  std::function<Result<void>(std::span<const std::optional<std::string_view>>)> row;
};

// Inspects a table before it is committed; an Error rolls it back. Both members may be empty.
struct TableWitness {
  RowSink rows;  // as they are stored, in no order, as texts
  std::function<Result<void>(const ExportReport&)> before_commit;
};

// All or nothing: one transaction. REQUIRES: reading was opened with open_for_writing (admin_role), and
// version is the policy's current one. Errors: ErrorKind::policy (root below k, l-diversity, target refused,
// shape changed), ::connection, ::server. If the connection is lost during the commit, the error says that
// the outcome is not known.
[[nodiscard]] Result<ExportReport> export_to_table(TableReading& reading,
                                                   const policy::PolicyVersion& version,
                                                   const std::string& schema, const std::string& table,
                                                   const TreeCheck& may_show,
                                                   const TableWitness& witness = {},
                                                   const Progress& progress = {});

// The caller may publish what the sink received only if this returns a report.
[[nodiscard]] Result<ExportReport> export_to_sink(TableReading& reading, const policy::PolicyVersion& version,
                                                  const TreeCheck& may_show, const RowSink& sink,
                                                  const Progress& progress = {});

}  // namespace pgveil::db
