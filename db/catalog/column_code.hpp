#pragma once
// Columns whose types run code of the database's users: CHECKs of domains, the statistics of ranges that
// users define, row types of these. Whoever reads such a column, or writes NULL of its type, runs that code
// with their own rights. For db/ only; throws (guarded()).
#include <string>
#include <vector>

#include "db/server/connection.hpp"

namespace pgveil::db {

struct CodeColumn {
  std::string name;
  std::string type;  // as format_type writes it
};

// relation: quoted, as to_regclass reads it. Types of PostgreSQL, of extensions (only superusers make base
// types), enums, and arrays of these run no such code. In the order of the columns.
[[nodiscard]] std::vector<CodeColumn> columns_with_code(Connection& server, const std::string& relation);

}  // namespace pgveil::db
