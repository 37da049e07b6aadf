#pragma once
// For people who protect a table: which tables there are, how each of them stands and what of it looks
// personal, and a draft of a policy for one of them. It is the draft of `pgveil init`. No value of a row is
// shown here.
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "daemon/state/present.hpp"

namespace pgveil::app {

// TablesToProtect of docs/openapi.yaml: all tables, views, materialized views and foreign tables of users.
// From the catalog that is known and from statistics; no row is read. Errors: the database is not served, or
// not known at the moment; ErrorKind::connection, ::server.
[[nodiscard]] Result<boost::json::object> tables_to_protect(const Present& present,
                                                            const std::string& database);

// TableDraft of docs/openapi.yaml. Reads a sample of the table with the role for builds, if that may.
// Errors: those of tables_to_protect, table_named and db::load_columns.
[[nodiscard]] Result<boost::json::object> draft_of_table(const Present& present, const std::string& database,
                                                         std::string_view table);

}  // namespace pgveil::app
