#pragma once
// Functions of pg_catalog that everybody may call by default and that pgveil never sends: they run SQL given
// as text, lock, notify, sleep, end other sessions or reach large objects. setup-sql takes them away from
// PUBLIC, the role check counts what is left.
#include <string>

namespace pgveil::db {

// One row: how many of them the current role may call.
[[nodiscard]] std::string public_functions_count_sql();

// One row per function that PUBLIC may call: the REVOKE statement. For psql's \gexec.
[[nodiscard]] std::string public_functions_revokes_sql();

}  // namespace pgveil::db
