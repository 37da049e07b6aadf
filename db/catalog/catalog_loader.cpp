#include "db/catalog/catalog_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "common/ascii.hpp"
#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/candidate_query.hpp"
#include "db/catalog/relation_query.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

using Names = std::set<std::string, std::less<>>;

Names names_of(Connection& connection, const std::string& query) {
  Names names;
  for (const auto& row : connection.run(query)) names.insert(row[0].as<std::string>());
  return names;
}

// Casts may name these types: no pseudo-type, domain or row type, and no array of one.
constexpr const char* kTypes = R"(
SELECT t.typname FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
 WHERE t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace AND t.typtype IN ('b', 'e', 'r', 'm')
   AND t.oid < 16384 AND COALESCE(e.typtype, 'b') NOT IN ('c', 'p', 'd'))";

constexpr const char* kCollations = R"(
SELECT collname FROM pg_catalog.pg_collation WHERE collnamespace = 'pg_catalog'::pg_catalog.regnamespace
   AND collencoding IN (-1, (SELECT encoding FROM pg_catalog.pg_database
                              WHERE datname = pg_catalog.current_database())))";

constexpr const char* kFunctions = "SELECT DISTINCT proname FROM pg_catalog.pg_proc";

constexpr const char* kFunctionsElsewhere = R"(
SELECT DISTINCT proname FROM pg_catalog.pg_proc
 WHERE pronamespace NOT IN ('pg_catalog'::pg_catalog.regnamespace, 'information_schema'::pg_catalog.regnamespace))";

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

// NULL: the view was dropped in the meantime.
constexpr const char* kDefinition = R"(
SELECT pg_catalog.pg_get_viewdef(c.oid),
       COALESCE((SELECT o.option_value::pg_catalog.bool FROM pg_catalog.pg_options_to_table(c.reloptions) o
                  WHERE o.option_name = 'security_barrier'), false)
  FROM pg_catalog.pg_class c WHERE c.oid = $1 AND c.relkind = 'v')";

// Printing a definition locks what the view reads, and waiting for that lock would delay every change of what
// is served.
constexpr int kPatienceMs = 500;

// nullopt: PostgreSQL cannot print it, or there is a lock on what it reads.
std::optional<rewriter::ViewDefinition> read_definition(Connection& connection, std::uint32_t oid,
                                                        int patience_ms) {
  connection.run("SAVEPOINT definition");
  try {
    connection.run(fmt::format("SET LOCAL lock_timeout = '{}ms'", patience_ms));
    const auto rows = connection.run(kDefinition, oid);
    connection.run("RELEASE SAVEPOINT definition");
    if (rows.empty() || rows[0][0].is_null()) return std::nullopt;
    return rewriter::ViewDefinition{rows[0][0].as<std::string>(), rows[0][1].as<bool>()};
  } catch (const SqlFailure&) {
    connection.run("ROLLBACK TO SAVEPOINT definition");
    return std::nullopt;
  }
}

// Without regard to case, because PostgreSQL folds names. Finds names in other words as well.
bool mentions(const std::string& text, const std::string& name) {
  return std::ranges::search(text, name, [](char a, char b) { return lower(a) == lower(b); }).begin() !=
         text.end();
}

// Which views a text reads is known only when it is resolved, so the definitions of all views whose names
// occur in it are read, and of all whose names occur in these.
void read_definitions_of_sources(Connection& connection, std::vector<std::string> texts, int patience_ms,
                                 rewriter::Catalog& catalog) {
  std::set<std::uint32_t> tried;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (auto& [key, relation] : catalog.relations) {
      const bool is_system = relation.schema == "pg_catalog" || relation.schema == "information_schema";
      if (relation.kind != rewriter::RelationKind::view || is_system || !mentions(texts[i], relation.name) ||
          !tried.insert(relation.oid).second)
        continue;
      if (!relation.view) relation.view = read_definition(connection, relation.oid, patience_ms);
      if (relation.view)
        texts.push_back(relation.view->query);
      else
        patience_ms = 1;
    }
  }
}

// Reads the definitions of listed views and of those in sources. A view without one is refused
// (rewriter/resolve/resolve_view.cpp).
void read_definitions(Connection& connection, const CatalogWish& wish, rewriter::Catalog& catalog) {
  const auto is_listed = [&](const std::string& schema, const std::string& name) {
    return std::ranges::find(wish.open_tables, schema + "." + name) != wish.open_tables.end() ||
           std::ranges::any_of(wish.open_patterns,
                               [&](const auto& pattern) { return matches(pattern, schema, name); });
  };
  int patience_ms = kPatienceMs;
  for (auto& [key, relation] : catalog.relations) {
    if (relation.kind != rewriter::RelationKind::view || !is_listed(relation.schema, relation.name)) continue;
    relation.view = read_definition(connection, relation.oid, patience_ms);
    if (!relation.view) patience_ms = 1;
  }
  read_definitions_of_sources(connection, wish.sources, patience_ms, catalog);
}

// All roles that may SELECT a column of the relation: by grants to them, to roles that they are members of,
// or to PUBLIC, or by owning it.
constexpr const char* kGrants = R"(
SELECT r.rolname, pg_catalog.string_agg(a.attnum::pg_catalog.text, ' ')
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 CROSS JOIN pg_catalog.pg_roles r
 WHERE c.oid = $1 AND pg_catalog.has_schema_privilege(r.oid, c.relnamespace, 'USAGE')
   AND pg_catalog.has_column_privilege(r.oid, c.oid, a.attnum, 'SELECT')
 GROUP BY r.rolname)";

void read_grants(Connection& connection, const std::vector<std::string>& granted,
                 rewriter::Catalog& catalog) {
  for (const auto& entry : granted) {
    const auto dot = entry.find('.');
    const auto* relation = catalog.find(entry.substr(0, dot), entry.substr(dot + 1));
    if (dot == std::string::npos || relation == nullptr) continue;
    auto& roles = catalog.grants[relation->oid];
    for (const auto& row : connection.run(kGrants, relation->oid)) {
      std::istringstream numbers(row[1].as<std::string>());
      std::set<int> columns{std::istream_iterator<int>(numbers), std::istream_iterator<int>()};
      roles.emplace(row[0].as<std::string>(), std::move(columns));
    }
  }
}

Result<rewriter::Catalog> read_catalog(Connection& connection, const CatalogWish& wish) {
  const auto& schemas = wish.schemas;
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
  read_definitions(connection, wish, catalog);
  read_grants(connection, wish.granted, catalog);
  catalog.pg_catalog_types = names_of(connection, kTypes);
  catalog.pg_catalog_collations = names_of(connection, kCollations);
  catalog.function_names = names_of(connection, kFunctions);
  catalog.function_names_elsewhere = names_of(connection, kFunctionsElsewhere);
  catalog.operator_names_only_elsewhere = names_of(connection, kOperatorsOnlyElsewhere);
  read_candidates(connection, schemas, catalog);
  connection.run("COMMIT");
  return catalog;
}

// Sums of hashes do not depend on the order of rows, so nothing is sorted. Objects below 16384 come with the
// server and change only with it. The fingerprint covers relfilenode and the columns' numbers, names and
// types. A function that is replaced keeps its OID. An upgrade of the server to another major keeps the OIDs
// of tables, so the major is part of it.
constexpr const char* kFingerprint = R"(
SELECT pg_catalog.concat_ws('/', pg_catalog.current_setting('server_version_num')::pg_catalog.int4 / 10000,
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', c.oid, c.relfilenode, c.relname,
            c.relkind, c.reloptions, c.relrowsecurity, c.relnamespace, c.relhassubclass, c.relispartition, a.attnum, a.attname,
            a.atttypid, a.atttypmod, a.attcollation, a.attgenerated), 0))
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
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', p.oid, p.xmin, p.proname, p.prosecdef), 0))
     FROM pg_catalog.pg_proc p WHERE p.oid >= 16384),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', o.oid, o.xmin, o.oprname), 0))
     FROM pg_catalog.pg_operator o WHERE o.oid >= 16384),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', d.classid, d.objid, d.refobjid), 0))
     FROM pg_catalog.pg_depend d WHERE d.deptype = 'e'),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', s.oid, s.castsource,
            s.casttarget), 0)) FROM pg_catalog.pg_cast s WHERE s.oid >= 16384),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', k.conrelid, k.conkey, k.confrelid,
            k.confkey), 0))
     FROM pg_catalog.pg_constraint k WHERE k.contype IN ('p', 'f')),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', x.indexrelid, x.indrelid, x.indkey[0],
            x.indisvalid, x.indpred IS NULL), 0))
     FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indrelid
    WHERE c.oid >= 16384 AND c.relpersistence <> 't' AND c.relkind IN ('r', 'p')),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', r.oid, r.xmin, r.xmax), 0))
     FROM pg_catalog.pg_rewrite r WHERE r.oid >= 16384),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', g.tgrelid, g.tgfoid), 0))
     FROM pg_catalog.pg_trigger g WHERE NOT g.tgisinternal),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', f.ftrelid, f.ftoptions), 0))
     FROM pg_catalog.pg_foreign_table f),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', e.oid, e.enumtypid, e.enumlabel), 0))
     FROM pg_catalog.pg_enum e)))";

// Covers what has_column_privilege and has_schema_privilege depend on, for all relations, because grants are
// rare.
constexpr const char* kGrantsFingerprint = R"(
SELECT pg_catalog.concat_ws('/', '',
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', r.oid, r.rolname, r.rolsuper, r.rolinherit), 0))
     FROM pg_catalog.pg_roles r),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(m::pg_catalog.text, 0))
     FROM pg_catalog.pg_auth_members m),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', n.oid, n.nspowner, n.nspacl), 0))
     FROM pg_catalog.pg_namespace n WHERE n.nspname !~ '^pg_(toast|temp_|toast_temp_)'),
  (SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', c.oid, c.relowner, c.relacl, a.attnum, a.attacl), 0))
     FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_attribute a
       ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attacl IS NOT NULL
    WHERE c.oid >= 16384 AND c.relpersistence <> 't' AND c.relkind IN ('r', 'p', 'v')),
  (SELECT d.datdba FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())))";

}  // namespace

Result<rewriter::Catalog> load_catalog(const Endpoint& endpoint, const std::string& database,
                                       const CatalogWish& wish) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<rewriter::Catalog>(fmt::format("reading the catalog of database {}", quoted_name(database)),
                                    [&] { return read_catalog(**connection, wish); });
}

Result<std::string> catalog_fingerprint(const Endpoint& endpoint, const std::string& database,
                                        const std::vector<std::string>& granted) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<std::string>(fmt::format("watching the catalog of database {}", quoted_name(database)),
                              [&]() -> Result<std::string> {
                                auto text = (*connection)->run(kFingerprint)[0][0].as<std::string>();
                                if (!granted.empty())
                                  text += (*connection)->run(kGrantsFingerprint)[0][0].as<std::string>();
                                return text;
                              });
}

}  // namespace pgveil::db
