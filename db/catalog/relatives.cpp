#include "db/catalog/relatives.hpp"

#include <fmt/format.h>

#include "common/sql_quoting.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kRelatives = R"(
WITH RECURSIVE self AS (
  SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE n.nspname = $1 AND c.relname = $2
), below AS (
  SELECT oid FROM self
  UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN below b ON b.oid = i.inhparent
), above AS (
  SELECT oid FROM below
  UNION SELECT i.inhparent FROM pg_catalog.pg_inherits i JOIN above a ON a.oid = i.inhrelid
)
SELECT n.nspname, c.relname
  FROM (SELECT oid FROM below UNION SELECT oid FROM above) r
  JOIN pg_catalog.pg_class c ON c.oid = r.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE r.oid NOT IN (SELECT oid FROM self)
 ORDER BY n.nspname, c.relname)";

}  // namespace

Result<std::vector<Relative>> load_relatives(const Endpoint& endpoint, const std::string& database,
                                             const std::string& schema, const std::string& table) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<std::vector<Relative>>(
      fmt::format("reading the relatives of {}", qualified_name(schema, table)),
      [&]() -> Result<std::vector<Relative>> {
        std::vector<Relative> made;
        for (const auto& row : (*connection)->run(kRelatives, schema, table))
          made.push_back({row[0].as<std::string>(), row[1].as<std::string>()});
        return made;
      });
}

}  // namespace pgveil::db
