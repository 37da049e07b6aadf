#include "db/rights/missing_rights.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/sql_quoting.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::db {
namespace {

// Per column: may it be read, and does an index begin with it? All columns of the table have the same first
// three fields.
constexpr const char* kColumns = R"(
SELECT pg_catalog.has_schema_privilege(current_user, n.oid, 'USAGE'),
       pg_catalog.has_table_privilege(current_user, c.oid, 'SELECT'), c.relkind = 'r', a.attname,
       pg_catalog.has_column_privilege(current_user, c.oid, a.attnum, 'SELECT'),
       EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indkey[0] = a.attnum)
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'm', 'f') ORDER BY a.attnum)";

struct Column {
  std::string name;
  bool may_read = false;
  bool has_index = false;
};

struct Table {
  bool may_use_schema = false;
  bool may_read_all = false;
  bool is_plain = false;  // not partitioned
  std::vector<Column> columns;
};

Table read_table(Connection& connection, const NeededRead& need) {
  Table table;
  for (const auto& row : connection.run(kColumns, need.schema, need.table)) {
    table.may_use_schema = row[0].as<bool>();
    table.may_read_all = row[1].as<bool>();
    table.is_plain = row[2].as<bool>();
    table.columns.push_back({row[3].as<std::string>(), row[4].as<bool>(), row[5].as<bool>()});
  }
  return table;
}

// The columns that are needed and may not be read, quoted. Empty: none.
std::vector<std::string> closed_columns(const NeededRead& need, const Table& table) {
  std::vector<std::string> closed;
  for (const Column& column : table.columns) {
    const bool is_stored = need.has_stored && column.name.starts_with(rewriter::kStoredPrefix);
    const bool is_needed =
        need.reads != NeededRead::Columns::listed || is_stored || need.columns.contains(column.name);
    if (is_needed && !column.may_read) closed.push_back(quoted_name(column.name));
  }
  if (need.reads == NeededRead::Columns::any && closed.size() < table.columns.size()) closed.clear();
  return closed;
}

bool has_look_ups(const NeededRead& need, const Table& table) {
  return table.is_plain && std::ranges::any_of(table.columns, [&](const Column& column) {
           return column.has_index && need.looked_up.contains(column.name);
         });
}

}  // namespace

namespace {

std::vector<MissingRight> rights_missing(Connection& connection, std::string_view who,
                                         const std::string& role, const std::vector<NeededRead>& needs) {
  std::vector<MissingRight> rights;
  const auto add = [&](const NeededRead& need, std::string_view what, std::string_view grant) {
    rights.push_back({fmt::format("{}: {} {} may not {}", need.subject, who, role, what),
                      fmt::format("GRANT {} TO {}", grant, role)});
  };
  for (const NeededRead& need : needs) {
    const Table table = read_table(connection, need);
    if (table.columns.empty()) continue;
    const std::string schema = quoted_name(need.schema);
    const std::string name = qualified_name(need.schema, need.table);
    const std::string grant = "SELECT ON " + name;
    if (!table.may_use_schema) add(need, "use schema " + schema, "USAGE ON SCHEMA " + schema);
    if (table.may_read_all) continue;
    const auto closed = closed_columns(need, table);
    if (closed.size() == table.columns.size())
      add(need, "read " + name, grant);
    else if (!closed.empty())
      add(need, fmt::format("read {} of {}", fmt::join(closed, ", "), name), grant);
    else if (has_look_ups(need, table))
      add(need, fmt::format("read ctid of {}, by which look-ups sort (masks.look_ups)", name), grant);
  }
  return rights;
}

}  // namespace

std::string line_of(const MissingRight& right) {
  return right.what + ": run " + right.sql;
}

std::vector<MissingRight> missing_rights(Connection& connection, const std::string& role,
                                         const std::vector<NeededRead>& needs) {
  return rights_missing(connection, "query_role", role, needs);
}

Result<std::vector<MissingRight>> missing_admin_rights(const Endpoint& admin, const std::string& database,
                                                       const std::vector<NeededRead>& needs) {
  auto connection = Connection::open(admin, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<std::vector<MissingRight>>("reading the rights of admin_role", [&] {
    return rights_missing(**connection, "admin_role", quoted_name(admin.user), needs);
  });
}

}  // namespace pgveil::db
