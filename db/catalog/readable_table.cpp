#include "db/catalog/readable_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/relation_query.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kKind = R"(
SELECT c.relkind::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relname = $2)";

constexpr const char* kReadableColumns = R"(
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)";

Error not_readable(std::string message, std::string hint) {
  return {ErrorKind::policy, std::string(sqlstate::kInvalidParameterValue), std::move(message),
          std::move(hint)};
}

Result<void> check_kind(Connection& connection, const std::string& schema, const std::string& table) {
  const auto name = qualified_name(schema, table);
  const auto kind = connection.run(kKind, schema, table);
  if (kind.empty())
    return not_readable(fmt::format("table {} does not exist", name), "create it, or correct the job");
  const auto text = kind[0][0].as<std::string>();
  if (text == "r" || text == "p") {
    const auto relation = one_relation(connection, schema, table);
    if (!relation || !relation->is_distributed) return {};
    return not_readable(fmt::format("{} is {}", name, rewriter::kDistributed),
                        "copy it into a plain table under a lock (docs/larger.md)");
  }
  // A view would run its functions with our rights.
  return not_readable(fmt::format("{} is not a table", name), "name a plain or partitioned table");
}

}  // namespace

Result<std::vector<ReadableColumn>> begin_reading(Connection& connection, const std::string& schema,
                                                  const std::string& table) {
  connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  // LOCK takes no snapshot: the transaction's snapshot is taken after any DDL we waited for.
  connection.run(fmt::format("LOCK TABLE {} IN ACCESS SHARE MODE", qualified_name(schema, table)));
  if (auto kind = check_kind(connection, schema, table); !kind) return kind.error();
  std::vector<ReadableColumn> columns;
  for (const auto& row : connection.run(kReadableColumns, schema, table))
    columns.push_back({row[0].as<std::string>(), row[1].as<std::string>()});
  if (columns.empty()) return not_readable("a table without columns", "name another");
  return columns;
}

Result<void> require_columns(std::span<const ReadableColumn> columns, std::span<const std::string> names,
                             const std::string& schema, const std::string& table) {
  std::vector<std::string> missing;
  for (const auto& name : names) {
    if (std::ranges::find(columns, name, &ReadableColumn::name) == columns.end())
      missing.push_back(quoted_name(name));
  }
  if (missing.empty()) return {};
  return not_readable(
      fmt::format("{} has no column {}", qualified_name(schema, table), fmt::join(missing, ", ")),
      "names are case-sensitive");
}

}  // namespace pgveil::db
