#include "db/rights/bypass_check.hpp"

#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {

Result<BypassFacts> check_bypass_login(const Endpoint& endpoint, const std::string& database) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<BypassFacts>("looking at a bypass role", [&]() -> Result<BypassFacts> {
    const auto rows =
        (*connection)->run("SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user");
    return BypassFacts{rows[0][0].as<bool>()};
  });
}

}  // namespace pgveil::db
