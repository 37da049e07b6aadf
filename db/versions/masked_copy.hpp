#pragma once
// Tables of masked rows for policies with enforcement: copy. They lie in the schema pgveil, belong to
// admin_role, and query_role may read them. A copy is made once, of the rows of one REPEATABLE READ state,
// sorted by all its columns and counted again where it lies. Nobody has the right to change it, its owner
// neither; a superuser does it all the same, and is found out. Blocks on PostgreSQL.
#include <cstdint>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/catalog/table_reading.hpp"
#include "db/server/endpoint.hpp"
#include "policy/version/version.hpp"

namespace pgveil::db {

// The rows that the reading sees, masked under the version's tree, with a plain index for each of the table's
// whose columns are all shown or masked. Commits: the reading's transaction is over. REQUIRES: reading was
// opened with open_for_writing, and the version was built of what it sees; the database has the schema
// pgveil. → the copy's shape. Errors: ErrorKind::policy (a column whose type a copy can't have),
// ::connection, ::server.
[[nodiscard]] Result<policy::TableShape> make_masked_copy(TableReading& reading,
                                                          const policy::PolicyVersion& version,
                                                          const std::string& query_role,
                                                          const Progress& progress = {});

// Drops the policy's copies but `kept` and the one before it, under which statements may still run. One that
// is in use stays until the next time. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<void> drop_outdated_copies(const Endpoint& admin, const std::string& database,
                                                const std::string& policy, const std::string& kept);
// The rows of a copy were all written by the one transaction that its name has the number of, and PostgreSQL
// notes with each row which one wrote it. Reads the copy once. → are they these rows, as many, and no others?
// A row that a superuser puts in, changes or takes away is seen. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<bool> has_rows_of_its_build(const Endpoint& admin, const std::string& database,
                                                 const std::string& name, std::uint64_t rows);

struct MaskedCopy {
  std::string name;
  std::string policy;  // whose masked rows it holds
};
// All there are, by name; none where there is no schema pgveil. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<std::vector<MaskedCopy>> masked_copies(const Endpoint& admin,
                                                            const std::string& database);
// Nobody but its owner reads it from here on, whatever runs; and it is dropped, unless a statement holds it:
// then at the next time. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<void> retire_copy(const Endpoint& admin, const std::string& database,
                                       const std::string& name, const std::string& query_role);
// One that no version took up.
[[nodiscard]] Result<void> drop_copy(const Endpoint& admin, const std::string& database,
                                     const std::string& name);

}  // namespace pgveil::db
