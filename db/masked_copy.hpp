#pragma once
// Tables of masked rows for policies with enforcement: copy. They lie in the schema pgveil, belong to admin_role, and query_role may
// read them. A copy is made once, of the rows of one REPEATABLE READ state, sorted by all its columns and counted again
// where it lies; nobody changes it. Blocks on PostgreSQL.
#include <string>

#include "common/error.hpp"
#include "db/endpoint.hpp"
#include "db/table_reading.hpp"
#include "policy/version.hpp"

namespace pgveil::db {

// The rows that the reading sees, masked under the version's tree, with a plain index for each of the table's whose columns are all shown
// or masked. Commits: the reading's transaction is over. REQUIRES: reading was opened with open_for_writing, and the version
// was built of what it sees; the database has the schema pgveil. → the copy's shape. Errors: ErrorKind::policy (a column whose
// type a copy can't have), ::connection, ::server.
[[nodiscard]] Result<policy::TableShape> make_masked_copy(TableReading& reading,
                                                          const policy::PolicyVersion& version,
                                                          const std::string& query_role,
                                                          const Progress& progress = {});

// Drops the policy's copies but `kept` and the one before it, under which statements may still run. One that is in use stays until
// the next time. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<void> drop_outdated_copies(const Endpoint& admin, const std::string& database,
                                                const std::string& policy, const std::string& kept);
// One that no version took up.
[[nodiscard]] Result<void> drop_copy(const Endpoint& admin, const std::string& database,
                                     const std::string& name);

}  // namespace pgveil::db
