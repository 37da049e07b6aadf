#pragma once
// Tables of masked rows for policies with enforcement: copy. They are in the schema pgveil, belong to
// admin_role, and may be read by query_role. A copy is made once, from the rows of one REPEATABLE READ state,
// sorted by all its columns, and recounted there. Nobody has the right to change it, not even its owner; a
// change by a superuser is detected. Blocks on PostgreSQL.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/catalog/table_reading.hpp"
#include "db/server/endpoint.hpp"
#include "policy/version/version.hpp"

namespace pgveil::db {

// A copy, and what its rows support of the version that it was made under.
struct MadeCopy {
  policy::TableShape shape;
  policy::DisclosureTree tree;    // counted on the copy's rows; splits that they do not support are undone
  policy::Lineage lineage;        // with the values that these rows have
  policy::Disclosure disclosure;  // of these rows
  policy::Utility utility;        // of these rows
  std::size_t collapsed = 0;      // splits that were undone
};

// Makes a table of the rows that the reading sees, masked under the version's tree as far as these rows
// support it, with a plain index for each of the original table's indexes whose columns are all shown or
// masked. Commits, so the reading's transaction is over. REQUIRES: reading was opened with open_for_writing,
// and the version was built from this table, from these rows or from earlier ones; the database has the
// schema pgveil. Errors: ErrorKind::policy (a column whose type a copy cannot have; fewer than k units in
// all; a constraint that these rows break), ::connection, ::server.
[[nodiscard]] Result<MadeCopy> make_masked_copy(TableReading& reading, const policy::PolicyVersion& version,
                                                const std::string& query_role, const Progress& progress = {});

// The common frame of all copies: names the table, lets `write_rows` make and fill it, indexes it, lets only
// query_role read it, and commits. For db/ only; throws (guarded()). REQUIRES: a transaction is open that may
// write. Errors: those of write_rows; ErrorKind::policy for a type that a copy cannot have.
using WriteRows = std::function<Result<void>(const std::string& schema, const std::string& name)>;
[[nodiscard]] Result<policy::TableShape> write_copy(TableReading& reading, const std::string& query_role,
                                                    const WriteRows& write_rows);

// Drops the policy's copies except `kept` and the one before it, under which statements may still run. A copy
// that is in use stays until the next time. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<void> drop_outdated_copies(const Endpoint& admin, const std::string& database,
                                                const std::string& policy, const std::string& kept);
// Whether the copy still has exactly the rows of its build, and as many. One transaction, whose number is in
// the copy's name, wrote all of them, and PostgreSQL records for each row which transaction wrote it. So a
// row that a superuser inserts, changes or deletes is detected. Reads the copy once. Errors:
// ErrorKind::connection, ::server.
[[nodiscard]] Result<bool> has_rows_of_its_build(const Endpoint& admin, const std::string& database,
                                                 const std::string& name, std::uint64_t rows);

struct MaskedCopy {
  std::string name;
  std::string policy;  // the policy whose masked rows it holds
};
// All copies, by name; empty if there is no schema pgveil. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<std::vector<MaskedCopy>> masked_copies(const Endpoint& admin,
                                                            const std::string& database);
// From now on only its owner can read the copy. The copy is dropped, or, if a statement is using it, dropped
// the next time. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<void> retire_copy(const Endpoint& admin, const std::string& database,
                                       const std::string& name, const std::string& query_role);
// Drops a copy that no version uses.
[[nodiscard]] Result<void> drop_copy(const Endpoint& admin, const std::string& database,
                                     const std::string& name);

}  // namespace pgveil::db
