#pragma once
// Pseudonyms for the keys of an entity (docs/entity.md): each BUILD numbers the persons in the order of a
// keyed digest. They are all different, say nothing of the order of the keys, and can't be undone, because
// the secret ends with the transaction that makes them. For db/ only; throws (guarded()).
#include <cstdint>
#include <string>

#include "db/catalog/table_reading.hpp"
#include "db/server/connection.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::db {

// The temporary table of the persons. Its columns are "pgveil key" (the raw key), "pgveil number" (1 to N)
// and "pgveil pseudonym". Only the session of the build can read it, and it ends with it.
inline constexpr const char* kPersons = "pg_temp.\"pgveil persons\"";

// The column of the policy's key in the reading's rows. REQUIRES: the policy has a key. Errors:
// ErrorKind::policy: there is no such column.
[[nodiscard]] const rewriter::Column& key_column(const TableReading& reading);

// Makes the table of the persons and returns their number. REQUIRES: a transaction is open. Errors:
// ErrorKind::policy for keys that are NULL or not unique, and for a key that pseudonyms don't fit into.
[[nodiscard]] std::uint64_t number_persons(Connection& server, const TableReading& persons);

// Fails unless the key of a fact table can show the pseudonyms of the entity: a cast must not change one, or
// two persons could share it. Errors: ErrorKind::policy, with both types.
void refuse_other_key(const TableReading& fact, const rewriter::Column& key,
                      const rewriter::Column& persons_key, std::uint64_t persons);

// The pseudonym of the row p of kPersons, in the type and collation of this table's key.
[[nodiscard]] std::string shown_pseudonym(const rewriter::Column& key);

// Drops the rows of each person beyond max_rows_per_person, and returns how many they were. REQUIRES: the
// transaction of number_persons is still open.
[[nodiscard]] std::uint64_t cut_off(Connection& server, const TableReading& fact);

}  // namespace pgveil::db
