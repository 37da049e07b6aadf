#include "db/server/server_facts_loader.hpp"

#include <fmt/format.h>

#include <charconv>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

// The same text that produced the pinned list (rewriter/lists/derive_functions.sql).
constexpr const char* kFunctions =
#include "db/derive_functions.inc"
    ;

constexpr const char* kQuotingColumns = R"(
SELECT n.nspname, c.relname, a.attname, t.typname
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_type t ON t.oid = a.atttypid
 WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND a.attnum > 0 AND NOT a.attisdropped AND t.typnamespace = 'pg_catalog'::regnamespace
   AND t.typname IN ('anyarray', 'pg_node_tree', 'pg_mcv_list', 'pg_ndistinct', 'pg_dependencies')
 ORDER BY 1, 2, 3)";

// {}: the catalog that contains the object.
constexpr std::string_view kNotOfAnExtension =
    "NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '{}'::regclass AND d.objid = o.oid AND d.deptype "
    "= 'e')";

// A row type belongs to the extension that its relation belongs to.
constexpr std::string_view kAdded = R"(
SELECT 'operator ' || o.oid::regoperator FROM pg_operator o
 WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND o.oid >= 16384 AND {}
UNION ALL
SELECT 'type ' || o.oid::regtype FROM pg_type o
 WHERE o.typnamespace = 'pg_catalog'::regnamespace AND o.oid >= 16384 AND o.typelem = 0 AND {}
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = o.typrelid
                      AND o.typrelid <> 0 AND d.deptype = 'e')
 ORDER BY 1)";

constexpr std::string_view kCasts = R"(
SELECT 'cast (' || format_type(o.castsource, NULL) || ' as ' || format_type(o.casttarget, NULL) || ')',
       o.castcontext = 'i', t.typnamespace = 'pg_catalog'::regnamespace
  FROM pg_cast o JOIN pg_type t ON t.oid = o.casttarget JOIN pg_proc f ON f.oid = o.castfunc
 WHERE f.pronamespace <> 'pg_catalog'::regnamespace AND {}
 ORDER BY 1)";

std::string of_users(std::string_view query, std::string_view catalog) {
  const std::string condition = fmt::format(kNotOfAnExtension, catalog);
  return fmt::format(fmt::runtime(query), condition);
}

std::uint64_t number_of(std::string_view hex) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
  PGVEIL_ASSERT(error == std::errc{} && end == hex.data() + hex.size());  // substr(md5(…), 1, 16)
  return number;
}

review::ServerFacts read_facts(Connection& connection) {
  review::ServerFacts facts;
  facts.server_version = connection.server_version();
  for (const auto& row : connection.run(kFunctions))
    facts.functions.push_back({row[0].as<std::string>(), row[1].as<bool>(), number_of(row[3].c_str())});
  for (const auto& row : connection.run(kQuotingColumns)) {
    facts.quoting_columns.push_back({row[0].as<std::string>(), row[1].as<std::string>(),
                                     row[2].as<std::string>(), row[3].as<std::string>()});
  }
  const auto added = fmt::format(fmt::runtime(kAdded), fmt::format(kNotOfAnExtension, "pg_operator"),
                                 fmt::format(kNotOfAnExtension, "pg_type"));
  for (const auto& row : connection.run(added)) facts.added.push_back(row[0].as<std::string>());
  for (const auto& row : connection.run(of_users(kCasts, "pg_cast")))
    facts.casts.push_back({row[0].as<std::string>(), row[1].as<bool>(), row[2].as<bool>()});
  return facts;
}

}  // namespace

Result<review::ServerFacts> load_server_facts(const Endpoint& endpoint, const std::string& database) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<review::ServerFacts>(
      fmt::format("comparing the server of database {} with pgveil's lists", quoted_name(database)),
      [&] { return Result<review::ServerFacts>(read_facts(**connection)); });
}

}  // namespace pgveil::db
