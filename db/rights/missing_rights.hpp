#pragma once
// Which rights pgveil's roles lack that statements of clients and builds are going to need. Without this list
// the first analyst would find out, by PostgreSQL's "permission denied". Blocks on PostgreSQL.
#include <set>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

class Connection;

// A table that statements read as query_role.
struct NeededRead {
  std::string subject;  // "policy people_k2", "open_tables": for whom it is read
  std::string schema;
  std::string table;
  enum class Columns {
    listed,  // those in `columns`: masks read no others
    all,     // some role reads the table as it is
    any      // an open table: which of its columns are for everybody is the owner's choice
  } reads = Columns::all;
  std::set<std::string, std::less<>> columns = {};
  bool has_stored = false;  // with `listed`: columns that keep decisions (enforcement: stored) are read too
  // Of these the table may have an index, by which a look-up finds rows. It sorts them by ctid, which only a
  // right on the whole table lets it read. Empty: there are no look-ups.
  std::set<std::string, std::less<>> looked_up = {};
};

struct MissingRight {
  std::string what;  // "policy people_k2: query_role pgveil_query may not read public.people"
  std::string sql;   // the statement that mends it, without a semicolon
};
// For people: what, and what to run.
[[nodiscard]] std::string line_of(const MissingRight& right);

// In the order of `needs`. A table that does not exist needs none. connection: of query_role, whose name is
// quoted in `role`.
[[nodiscard]] std::vector<MissingRight> missing_rights(Connection& connection, const std::string& role,
                                                       const std::vector<NeededRead>& needs);

// The same for admin_role, which counts. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<std::vector<MissingRight>> missing_admin_rights(const Endpoint& admin,
                                                                     const std::string& database,
                                                                     const std::vector<NeededRead>& needs);

}  // namespace pgveil::db
