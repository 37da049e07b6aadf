#pragma once
// The text that a server prints for the expression of a stored decision (rewriter/mask/stored_decision.hpp).
// It proves that a column of the table has this expression and no other. Blocks on PostgreSQL.
#include "common/error.hpp"
#include "db/catalog/table_reading.hpp"
#include "policy/tree/tree.hpp"
#include "policy/version/version.hpp"

namespace pgveil::db {

// Asks by means of an empty table in the schema pgveil, made in the reading's transaction, which is never
// committed. REQUIRES: reading was opened with open_for_writing; the database has the schema pgveil; nothing
// is written with this reading afterwards. Errors: ErrorKind::configuration when admin_role may not create
// tables there; ErrorKind::policy, ::connection, ::server.
[[nodiscard]] Result<policy::StoredDecision> stored_decision(TableReading& reading,
                                                             const policy::DisclosureTree& tree);

}  // namespace pgveil::db
