#pragma once
// What `pgveil setup-sql --who-loses` prints: a psql script that reads only. Its output is a script again:
// for each right that setup-sql takes from PUBLIC, who has it in no other way, and the GRANT that keeps it.
#include <string>

#include "db/rights/setup_sql.hpp"

namespace pgveil::db {

[[nodiscard]] std::string public_losses_sql(const SetupInput& input);

}  // namespace pgveil::db
