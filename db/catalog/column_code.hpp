#pragma once
// What runs code of the database's users when a table is only read: CHECKs of domains, statistics of ranges
// that users define, row types and casts of users, and what the planner evaluates. Whoever reads such a
// table, or writes NULL of such a type, runs that code with their own rights. For db/ only; throws
// (guarded()).
#include <string>
#include <vector>

#include "db/server/connection.hpp"

namespace pgveil::db {

struct CodeColumn {
  std::string name;
  std::string type;  // as format_type writes it
};

// relation: quoted, as to_regclass reads it. Types of PostgreSQL, of extensions (only superusers make base
// types), enums, and arrays of these run no such code, unless a user made a cast of them with a function. In
// the order of the columns.
[[nodiscard]] std::vector<CodeColumn> columns_with_code(Connection& server, const std::string& relation);

// What the planner evaluates of a table or of its partitions although nobody asked: expressions and
// conditions of indexes, of statistics, of CHECKs and of partition keys that call functions or operators of
// users. Those of extensions don't count. As the server describes them.
[[nodiscard]] std::vector<std::string> objects_with_code(Connection& server, const std::string& relation);

}  // namespace pgveil::db
