#include "db/catalog_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/sqlstate.hpp"
#include "db/failure.hpp"
#include "db/relation_query.hpp"

namespace pgveil::db {
namespace {

using Names = std::set<std::string, std::less<>>;

Names names_of(Connection& connection, const std::string& query) {
  Names names;
  for (const auto& row : connection.run(query)) names.insert(row[0].as<std::string>());
  return names;
}

// Casts may name these: no pseudo-type, no domain, no row type, no array of one.
constexpr const char* kTypes = R"(
SELECT t.typname FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
 WHERE t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace AND t.typtype IN ('b', 'e', 'r', 'm')
   AND COALESCE(e.typtype, 'b') NOT IN ('c', 'p', 'd'))";

// A cast function could read anything. Labels can be seen in pg_enum.
constexpr const char* kEnums = R"(
SELECT n.nspname, t.typname FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
 WHERE t.typtype = 'e' AND n.nspname <> 'pg_catalog'
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_cast c WHERE t.oid IN (c.castsource, c.casttarget)))";

constexpr const char* kCollations = R"(
SELECT collname FROM pg_catalog.pg_collation WHERE collnamespace = 'pg_catalog'::pg_catalog.regnamespace
   AND collencoding IN (-1, (SELECT encoding FROM pg_catalog.pg_database
                              WHERE datname = pg_catalog.current_database())))";

constexpr const char* kFunctions = "SELECT DISTINCT proname FROM pg_catalog.pg_proc";

constexpr const char* kOperatorsElsewhere = R"(
SELECT DISTINCT oprname FROM pg_catalog.pg_operator
 WHERE oprnamespace <> 'pg_catalog'::pg_catalog.regnamespace)";

constexpr const char* kOperatorsOnlyElsewhere = R"(
SELECT oprname FROM pg_catalog.pg_operator EXCEPT SELECT oprname FROM pg_catalog.pg_operator
 WHERE oprnamespace = 'pg_catalog'::pg_catalog.regnamespace)";

Result<void> check_schemas(Connection& connection, const std::vector<std::string>& schemas) {
  const Names existing = names_of(connection, "SELECT nspname FROM pg_catalog.pg_namespace");
  for (const auto& schema : schemas) {
    if (existing.contains(schema)) continue;
    return Error{ErrorKind::configuration, std::string(sqlstate::kUndefinedObject),
                 fmt::format("backend.schemas: database {} has no schema {}",
                             quoted_name(connection.database()), quoted_name(schema)),
                 "create it or take it out of the list"};
  }
  return {};
}

Result<rewriter::Catalog> read_catalog(Connection& connection, const std::vector<std::string>& schemas) {
  connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  if (auto checked = check_schemas(connection, schemas); !checked) return checked.error();
  rewriter::Catalog catalog;
  catalog.database = connection.database();
  catalog.server_version = connection.server_version();
  catalog.search_path = {"pg_catalog"};
  catalog.search_path.insert(catalog.search_path.end(), schemas.begin(), schemas.end());
  for (auto& relation : all_relations(connection)) {
    std::pair key{relation.schema, relation.name};
    catalog.relations.emplace(std::move(key), std::move(relation));
  }
  catalog.pg_catalog_types = names_of(connection, kTypes);
  for (const auto& row : connection.run(kEnums)) {
    auto schema = row[0].as<std::string>();
    if (std::ranges::find(schemas, schema) == schemas.end()) continue;
    catalog.enum_types.emplace(std::move(schema), row[1].as<std::string>());
  }
  catalog.pg_catalog_collations = names_of(connection, kCollations);
  catalog.function_names = names_of(connection, kFunctions);
  catalog.operator_names_elsewhere = names_of(connection, kOperatorsElsewhere);
  catalog.operator_names_only_elsewhere = names_of(connection, kOperatorsOnlyElsewhere);
  connection.run("COMMIT");
  return catalog;
}

// Sums of hashes do not depend on the order of rows, so nothing is sorted. Objects below 16384 come with the
// server and change only with it. relfilenode and the columns' numbers, names and types are all there.
constexpr const char* kFingerprint = R"(
SELECT pg_catalog.concat_ws('/',
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', c.oid, c.relfilenode, c.relname,
            c.relkind, c.relrowsecurity, c.relnamespace, c.relhassubclass, c.relispartition, a.attnum, a.attname,
            a.atttypid, a.atttypmod, a.attcollation), 0))
     FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_attribute a
       ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.oid >= 16384 AND c.relpersistence <> 't' AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', i.inhrelid, i.inhparent), 0))
     FROM pg_catalog.pg_inherits i),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', n.oid, n.nspname), 0))
     FROM pg_catalog.pg_namespace n WHERE n.nspname !~ '^pg_(toast|temp_|toast_temp_)'),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', t.oid, t.typname, t.typnamespace,
            t.typtype, t.typcollation), 0)) FROM pg_catalog.pg_type t WHERE t.oid >= 16384 AND t.typtype <> 'c'
            AND t.typelem = 0),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', p.oid, p.proname), 0))
     FROM pg_catalog.pg_proc p WHERE p.oid >= 16384),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', o.oid, o.oprname), 0))
     FROM pg_catalog.pg_operator o WHERE o.oid >= 16384),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', s.oid, s.castsource,
            s.casttarget), 0)) FROM pg_catalog.pg_cast s WHERE s.oid >= 16384),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', k.conrelid, k.conkey), 0))
     FROM pg_catalog.pg_constraint k WHERE k.contype = 'p')))";

}  // namespace

Result<rewriter::Catalog> load_catalog(const Endpoint& endpoint, const std::string& database,
                                       const std::vector<std::string>& schemas) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<rewriter::Catalog>(fmt::format("reading the catalog of database {}", quoted_name(database)),
                                    [&] { return read_catalog(**connection, schemas); });
}

Result<std::string> catalog_fingerprint(const Endpoint& endpoint, const std::string& database) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<std::string>(
      fmt::format("watching the catalog of database {}", quoted_name(database)),
      [&]() -> Result<std::string> { return (*connection)->run(kFingerprint)[0][0].as<std::string>(); });
}

}  // namespace pgveil::db
