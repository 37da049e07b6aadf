#pragma once
// What EXPORT and masked copies have in common: the plan of a masked table, which is decided before anything
// is written, and the table made from it. For db/ only; functions that take a plan throw (guarded()).
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/catalog/table_reading.hpp"
#include "db/catalog/visible_tuples.hpp"
#include "db/policy_table/counted_columns.hpp"
#include "db/server/connection.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/utility/utility.hpp"
#include "policy/version/version.hpp"

namespace pgveil::db {

struct ExportPlan {
  std::string select;  // all columns, masked
  Tallies expected;
  std::vector<CountedColumn> quasi_identifiers;  // tree order
  policy::DisclosureTree tree;                   // the version's, repaired on what the reading sees
  policy::Disclosure disclosure;
  policy::Utility utility;
  policy::Lineage lineage;    // the version's, with the values that the reading sees
  std::size_t collapsed = 0;  // splits that these rows no longer support
};

// Errors: ErrorKind::policy (root below k, l-diversity, shape changed), ::connection, ::server.
[[nodiscard]] Result<ExportPlan> plan_export(TableReading& reading, const policy::PolicyVersion& version,
                                             const Progress& progress);

// ORDER BY x.… over all columns, so that nothing is left of the order of the input.
[[nodiscard]] std::string sort_keys(const rewriter::Relation& relation);

// The cells row[first] … of one tuple.
[[nodiscard]] VisibleTuple tuple_of(const Row& row, std::size_t first, std::size_t size);

// Writes a new table of the masked rows, sorted, which only its owner may read, and recounts it there. Does
// not commit. Errors: ErrorKind::policy: the target is refused (export_target.hpp), or the output differs
// from the plan.
[[nodiscard]] Result<void> write_masked_table(TableReading& reading, const ExportPlan& plan,
                                              const std::string& schema, const std::string& table);

}  // namespace pgveil::db
