#pragma once
// What EXPORT and masked copies have in common: the plan of a masked table, decided before anything is
// written, and the table made of it. For db/ only; what takes a Plan throws (guarded()).
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/catalog/table_reading.hpp"
#include "db/catalog/visible_tuples.hpp"
#include "db/policy_table/counted_columns.hpp"
#include "db/server/connection.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/version/version.hpp"

namespace pgveil::db {

struct ExportPlan {
  std::string select;  // all columns, masked
  Tallies expected;
  std::vector<CountedColumn> quasi_identifiers;  // tree order
  policy::DisclosureTree tree;                   // the version's, repaired on what the reading sees
  policy::Disclosure disclosure;
  std::size_t collapsed = 0;  // splits that the reading's rows no longer carry
};

// Errors: ErrorKind::policy (root below k, l-diversity, shape changed), ::connection, ::server.
[[nodiscard]] Result<ExportPlan> plan_export(TableReading& reading, const policy::PolicyVersion& version,
                                             const Progress& progress);

// ORDER BY x.…: all columns, so that nothing of the order of input is left.
[[nodiscard]] std::string sort_keys(const rewriter::Relation& relation);

// The cells row[first] … of one tuple.
[[nodiscard]] VisibleTuple tuple_of(const pqxx::row& row, std::size_t first, std::size_t size);

// A new table of the masked rows, sorted, its owner's alone; counted again where it lies. Does not commit.
// Errors: ErrorKind::policy: the target is refused (export_target.hpp), or the output is not what the plan
// says.
[[nodiscard]] Result<void> write_masked_table(TableReading& reading, const ExportPlan& plan,
                                              const std::string& schema, const std::string& table);

}  // namespace pgveil::db
