#include "db/policy_table/export_plan.hpp"

#include <fmt/format.h>

#include <utility>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/policy_table/export_target.hpp"
#include "db/server/row_stream.hpp"
#include "policy/builder/constraint_repair.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/mask/export_select.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::db {
namespace {

// Recounts the output where it is stored, by the same canonical texts as the tree's values.
std::map<VisibleTuple, std::uint64_t> recount_table(TableReading& reading, const ExportPlan& plan,
                                                    const std::string& schema, const std::string& table) {
  rewriter::Relation output = reading.relation();
  output.schema = schema;
  output.name = table;
  std::map<VisibleTuple, std::uint64_t> written;
  stream_rows(reading.connection(), group_query(plan.quasi_identifiers, output), [&](const Row& row) {
    const std::size_t size = plan.quasi_identifiers.size();
    written[tuple_of(row, 0, size)] += row[static_cast<int>(size)].as<std::uint64_t>();
  });
  return written;
}

}  // namespace

Result<ExportPlan> plan_export(TableReading& reading, const policy::PolicyVersion& version,
                               const Progress& progress) {
  // Staged rows are those of the build that made the version.
  if (!reading.is_staged() && !rewriter::is_of(version, reading.relation())) {
    return Error{ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
                 fmt::format("policy {}: the table changed since version {}", version.policy, version.number),
                 "BUILD POLICY first"};
  }
  auto columns = quasi_identifiers(reading.spec(), reading.relation());
  if (!columns) return columns.error();
  const auto counts = reading.counts(progress);
  if (!counts) return counts.error();
  const auto constrained = reading.constrained_columns(progress);
  if (!constrained) return constrained.error();
  auto repaired = policy::repair_within_constraints(reading.spec(), version.tree, *counts, *constrained);
  if (!repaired) return repaired.error();
  auto select = rewriter::export_select_sql(reading.spec(), repaired->tree, reading.rows());
  if (!select) return select.error();
  auto expected = expected_tuples(repaired->tree, *counts);
  ExportPlan plan{std::move(*select), std::move(expected), std::move(*columns), {}, {}, {}, {}, {}};
  plan.disclosure = policy::measure(repaired->tree, *counts);
  plan.utility = policy::measure_utility(repaired->tree, *counts, reading.spec().growth);
  plan.lineage = policy::continued(&version.lineage, version.lineage.first, repaired->tree, *counts);
  plan.tree = std::move(repaired->tree);
  plan.collapsed = repaired->collapsed;
  return plan;
}

std::string sort_keys(const rewriter::Relation& relation) {
  std::string keys;
  for (const auto& column : relation.columns) {
    keys += fmt::format("{}x.{}::pg_catalog.text COLLATE pg_catalog.\"C\"", keys.empty() ? "" : ", ",
                        quoted_name(column.name));
  }
  return keys;
}

VisibleTuple tuple_of(const Row& row, std::size_t first, std::size_t size) {
  VisibleTuple tuple(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto field = row[static_cast<int>(first + i)];
    if (!field.is_null()) tuple[i].emplace(field.c_str(), field.size());
  }
  return tuple;
}

Result<void> write_masked_table(TableReading& reading, const ExportPlan& plan, const std::string& schema,
                                const std::string& table) {
  Connection& connection = reading.connection();
  if (auto free = check_export_target(connection, schema, table); !free) return free;
  connection.run(fmt::format("CREATE TABLE {} AS SELECT * FROM ({}) AS x ORDER BY {}",
                             qualified_name(schema, table), plan.select, sort_keys(reading.relation())));
  if (auto made = check_exported_table(connection, schema, table); !made) return made;
  return check_output(plan.expected, recount_table(reading, plan, schema, table), reading.spec().k);
}

}  // namespace pgveil::db
