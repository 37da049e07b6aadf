#pragma once
// Functions of pg_catalog that everybody may call by default and that pgveil never sends: they run SQL given
// as text, lock, notify, sleep, end other sessions or reach large objects. setup-sql revokes them from
// PUBLIC, and the role check counts those that are left.
#include <string>

namespace pgveil::db {

// The condition on p, a row of pg_proc.
[[nodiscard]] std::string public_functions_condition();

// Returns one row: how many of them the current role may call.
[[nodiscard]] std::string public_functions_count_sql();

// Returns one row per function that PUBLIC may call, with the REVOKE statement. For psql's \gexec.
[[nodiscard]] std::string public_functions_revokes_sql();

}  // namespace pgveil::db
