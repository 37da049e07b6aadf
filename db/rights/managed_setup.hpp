#pragma once
// The parts of setup-sql's script that differ on a rented server, where the script runs as the owner of the
// database and its tables. Text only.
#include <string>

#include "db/rights/setup_sql.hpp"

namespace pgveil::db {

// Which line of defense is missing there, and what to do about it: whole sentences, one per line.
// REQUIRES for all of these: input.managed.
[[nodiscard]] std::string missing_defense(const SetupInput& input);

// In the place of "5. System functions and views": comments.
[[nodiscard]] std::string managed_catalog_rights(const SetupInput& input);
// Takes from others what default privileges gave them on the objects of schema pgveil.
[[nodiscard]] std::string managed_schema_rights(const SetupInput& input);
// In the place of the lines for pg_hba.conf: comments, and a query that shows who else reads the tables.
[[nodiscard]] std::string managed_side_door(const SetupInput& input);

}  // namespace pgveil::db
