#pragma once
// Which rights query_role lacks that statements of clients are going to need. Without this list the first
// analyst would find out, by PostgreSQL's "permission denied". Blocks on PostgreSQL.
#include <set>
#include <string>
#include <vector>

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

// One line for each right that is missing, in the order of `needs`, with the GRANT that mends it. A table that
// does not exist needs none. connection: of query_role, whose name is quoted in `role`.
[[nodiscard]] std::vector<std::string> missing_rights(Connection& connection, const std::string& role,
                                                      const std::vector<NeededRead>& needs);

}  // namespace pgveil::db
