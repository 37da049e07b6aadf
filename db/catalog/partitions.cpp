#include "db/catalog/partitions.hpp"

#include <fmt/format.h>

#include "common/sql_quoting.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

// Not pg_partition_tree(), because it would wait for whoever locks one of the partitions.
constexpr const char* kPartitions = R"(
WITH RECURSIVE below AS (
  SELECT i.inhrelid AS oid
    FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class p ON p.oid = i.inhparent
    JOIN pg_catalog.pg_namespace pn ON pn.oid = p.relnamespace
   WHERE pn.nspname = $1 AND p.relname = $2
  UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN below b ON b.oid = i.inhparent
)
SELECT n.nspname, c.relname, c.relkind IN ('r', 'p')
  FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.oid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 ORDER BY n.nspname, c.relname)";

}  // namespace

Result<std::vector<Partition>> load_partitions(const Endpoint& endpoint, const std::string& database,
                                               const std::string& schema, const std::string& table) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<std::vector<Partition>>(
      fmt::format("reading the partitions of {}", qualified_name(schema, table)),
      [&]() -> Result<std::vector<Partition>> {
        std::vector<Partition> made;
        for (const auto& row : (*connection)->run(kPartitions, schema, table))
          made.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<bool>()});
        return made;
      });
}

}  // namespace pgveil::db
