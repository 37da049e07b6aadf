#include "db/partitions.hpp"

#include <fmt/format.h>

#include "db/connection.hpp"
#include "db/failure.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kPartitions = R"(
SELECT n.nspname, c.relname, c.relkind IN ('r', 'p')
  FROM pg_catalog.pg_class p JOIN pg_catalog.pg_namespace pn ON pn.oid = p.relnamespace
  CROSS JOIN LATERAL pg_catalog.pg_partition_tree(p.oid::pg_catalog.regclass) t
  JOIN pg_catalog.pg_class c ON c.oid = t.relid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE pn.nspname = $1 AND p.relname = $2 AND t.level > 0
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
