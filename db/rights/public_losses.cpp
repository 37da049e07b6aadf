#include "db/rights/public_losses.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "common/sql_quoting.hpp"
#include "db/catalog/public_functions.hpp"
#include "db/rights/extension_relations.hpp"

namespace pgveil::db {
namespace {

// Each row is one right: who has it, and how it is granted. Functions of one kind are one row each, grouped
// below, because a role loses all of them or none.
constexpr std::string_view kLosses =
    R"(WITH taken (place, what, kind, object, privilege, acl, owner, schema) AS (
  SELECT 1, p.privilege || ' on database ' || pg_catalog.quote_ident(d.datname),
         p.privilege || ' ON DATABASE ', pg_catalog.quote_ident(d.datname), p.privilege,
         COALESCE(d.datacl, pg_catalog.acldefault('d', d.datdba)), d.datdba, NULL::oid
    FROM pg_catalog.pg_database d, (VALUES ('TEMPORARY'), ('CREATE')) AS p (privilege)
   WHERE d.datname = pg_catalog.current_database()
  UNION ALL
  SELECT 2, 'CREATE in schema ' || pg_catalog.quote_ident(n.nspname),
         'CREATE ON SCHEMA ', pg_catalog.quote_ident(n.nspname), 'CREATE',
         COALESCE(n.nspacl, pg_catalog.acldefault('n', n.nspowner)), n.nspowner, NULL
    FROM pg_catalog.pg_namespace n WHERE n.nspname IN ({schemas})
  UNION ALL
  SELECT 3, x.privilege_type || ' on ' || pg_catalog.format('%I.%I', n.nspname, c.relname),
         x.privilege_type || ' ON ', pg_catalog.format('%I.%I', n.nspname, c.relname), x.privilege_type,
         c.relacl, c.relowner, n.oid
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   CROSS JOIN LATERAL (SELECT DISTINCT a.privilege_type FROM pg_catalog.aclexplode(c.relacl) a WHERE a.grantee = 0) x
   WHERE (n.nspname, c.relname) IN ({tables})
      OR {system} AND n.nspname = 'pg_catalog' AND c.relname IN ('pg_stats', 'pg_stats_ext', 'pg_stats_ext_exprs')
     AND x.privilege_type = 'SELECT'
      OR {system} AND n.nspname = 'pg_catalog' AND c.relname = 'pg_settings' AND x.privilege_type = 'UPDATE'
      OR c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (n.nspname, c.relname) NOT IN ({open})
     AND {extension} IS NOT NULL AND {kind} <> 'harmless' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  UNION ALL
  SELECT 4, CASE WHEN p.proname ~ 'advisory' THEN 'EXECUTE on advisory locks'
                 WHEN p.proname ~ '^lo' THEN 'EXECUTE on functions of large objects'
                 WHEN p.proname ~ '_to_xml' THEN 'EXECUTE on functions that give the result of a query as XML'
                 ELSE 'EXECUTE on ' || p.proname END,
         'EXECUTE ON FUNCTION ', p.oid::pg_catalog.regprocedure::pg_catalog.text, 'EXECUTE',
         COALESCE(p.proacl, pg_catalog.acldefault('f', p.proowner)), p.proowner, NULL
    FROM pg_catalog.pg_proc p WHERE {system} AND {functions}
), who (role, oid) AS (
  SELECT r.rolname, r.oid FROM pg_catalog.pg_roles r
   WHERE r.rolcanlogin AND NOT r.rolsuper AND r.rolname NOT IN ({own})
     AND pg_catalog.has_database_privilege(r.oid, pg_catalog.current_database(), 'CONNECT')
), loss (place, what, kind, object, role) AS (
  SELECT t.place, t.what, t.kind, t.object, w.role FROM taken t, who w
   WHERE EXISTS (SELECT FROM pg_catalog.aclexplode(t.acl) a WHERE a.grantee = 0 AND a.privilege_type = t.privilege)
     AND NOT pg_catalog.pg_has_role(w.oid, t.owner, 'USAGE')
     AND (t.schema IS NULL OR pg_catalog.has_schema_privilege(w.oid, t.schema, 'USAGE'))
     AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(t.acl) a
                      WHERE a.grantee <> 0 AND a.privilege_type = t.privilege
                        AND pg_catalog.pg_has_role(w.oid, a.grantee, 'USAGE'))
     AND NOT (t.object LIKE '%.pg_stat\_%' AND t.schema <> 'pg_catalog'::pg_catalog.regnamespace AND t.privilege = 'SELECT'
              AND pg_catalog.pg_has_role(w.oid, 'pg_read_all_stats', 'USAGE'))  -- to which setup-sql grants it
), each (place, what, kind, object, roles) AS (
  SELECT place, what, kind, object, pg_catalog.string_agg(pg_catalog.quote_ident(role), ', ' ORDER BY role)
    FROM loss GROUP BY place, what, kind, object
)
SELECT '-- ' || what || ': only through PUBLIC by '
       || pg_catalog.regexp_replace(roles, '[[:cntrl:]]', '?', 'g') || E'\n'
       || 'GRANT ' || kind || pg_catalog.string_agg(object, ', ' ORDER BY object) || ' TO ' || roles || ';'
  FROM each GROUP BY place, what, kind, roles ORDER BY place, what, roles;
)";

template <class Items, class Write>
std::string list_of(const Items& items, std::string_view if_none, Write write) {
  std::vector<std::string> texts;
  for (const auto& item : items) texts.push_back(write(item));
  return texts.empty() ? std::string(if_none) : fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string public_losses_sql(const SetupInput& input) {
  const auto pair = [](const SetupInput::Table& table) {
    return fmt::format("({}, {})", quoted_literal(table.first), quoted_literal(table.second));
  };
  std::set<std::string> own{input.query_role};
  for (const auto& role : {input.admin_role, input.mask_owner, input.auth_query_role}) {
    if (role) own.insert(*role);
  }
  const std::string query =
      fmt::format(kLosses, fmt::arg("schemas", list_of(searched_schemas(input), "NULL", quoted_literal)),
                  fmt::arg("tables", list_of(input.policy_tables, "(NULL, NULL)", pair)),
                  fmt::arg("open", list_of(input.open_tables, "('', '')", pair)),
                  fmt::arg("extension", extension_of_sql()), fmt::arg("kind", extension_relation_sql()),
                  fmt::arg("functions", public_functions_condition()),
                  fmt::arg("system", input.managed ? "false" : "true"),  // a superuser's to revoke
                  fmt::arg("own", list_of(own, "NULL", quoted_literal)));
  return fmt::format(
      R"(-- pgveil setup-sql --who-loses: which roles have a right only through PUBLIC, from which the script of
-- pgveil setup-sql takes it. This one changes nothing. Run it as
--   psql -X -q -A -t -v ON_ERROR_STOP=1 -f this-file > keep.sql
-- and look keep.sql through: it has the GRANTs that keep those rights. Whether a role uses a right nobody can tell.
\set ON_ERROR_STOP on
\pset tuples_only on
\pset format unaligned
BEGIN READ ONLY;
SET LOCAL search_path = pg_catalog, pg_temp;
SELECT '-- What setup-sql is going to take from PUBLIC, by who has it in no other way. Roles that are not named lose nothing.';
{}COMMIT;
)",
      query);
}

}  // namespace pgveil::db
