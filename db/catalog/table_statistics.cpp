#include "db/catalog/table_statistics.hpp"

#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kEstimates = R"(
SELECT c.oid, c.reltuples,
       CASE c.relkind WHEN 'p'
         THEN (SELECT COALESCE(sum(pg_catalog.pg_relation_size(p.relid)), 0)
                 FROM pg_catalog.pg_partition_tree(c.oid) p WHERE p.isleaf)
         ELSE COALESCE(pg_catalog.pg_relation_size(c.oid), 0) END,
       pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT'),
       EXISTS (SELECT FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'm', 'f') AND c.oid >= 16384 AND n.nspname !~ '^(pg_|information_schema$)')";

constexpr const char* kMaySeeEstimates =
    "SELECT pg_catalog.has_table_privilege('pg_catalog.pg_stats', 'SELECT')";

// Of a partitioned table, those of all partitions together.
constexpr const char* kColumnEstimates = R"(
SELECT c.oid, s.attname, s.n_distinct, s.avg_width
  FROM pg_catalog.pg_stats s
  JOIN pg_catalog.pg_namespace n ON n.nspname = s.schemaname
  JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = s.tablename AND s.inherited = (c.relkind = 'p')
 WHERE c.relkind IN ('r', 'p', 'm', 'f') AND c.oid >= 16384)";

}  // namespace

Result<StatisticsOfTables> load_table_statistics(const Endpoint& endpoint, const std::string& database) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<StatisticsOfTables>("reading the statistics of the tables", [&] {
    StatisticsOfTables tables;
    for (const auto& row : (*connection)->run(kEstimates)) {
      auto& table = tables[row[0].as<std::uint32_t>()];
      if (const auto rows = row[1].as<double>(); rows >= 0) table.rows = rows;
      table.bytes = row[2].as<std::uint64_t>();
      table.is_readable = row[3].as<bool>();
      table.is_of_extension = row[4].as<bool>();
    }
    // setup-sql takes the view from everybody. Samples must do then.
    if (!(*connection)->run(kMaySeeEstimates)[0][0].as<bool>()) return tables;
    for (const auto& row : (*connection)->run(kColumnEstimates)) {
      const auto table = tables.find(row[0].as<std::uint32_t>());
      if (table == tables.end()) continue;
      table->second.columns[row[1].as<std::string>()] = {row[2].as<double>(), row[3].as<double>()};
    }
    return tables;
  });
}

Result<std::string> load_encoding(const Endpoint& endpoint, const std::string& database) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<std::string>("asking for the encoding", [&] {
    return (*connection)
        ->run(
            "SELECT pg_catalog.pg_encoding_to_char(encoding) FROM pg_catalog.pg_database "
            "WHERE datname = pg_catalog.current_database()")[0][0]
        .as<std::string>();
  });
}

Result<bool> has_role(const Endpoint& endpoint, const std::string& database, const std::string& role) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<bool>("looking for a role", [&] {
    return !(*connection)->run("SELECT FROM pg_catalog.pg_roles WHERE rolname = $1", role).empty();
  });
}

}  // namespace pgveil::db
