#include "db/versions/mask_views.hpp"

#include <fmt/format.h>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

constexpr std::string_view kViewSchema = R"(CREATE TABLE IF NOT EXISTS pgveil.mask_view (
  name text PRIMARY KEY,
  policy text NOT NULL,
  number bigint NOT NULL,
  mask text NOT NULL,        -- what the view was made of
  definition text NOT NULL,  -- SHA-256 of what PostgreSQL made of it
  rule_xmin xid              -- of the row in pg_rewrite that holds it
);
ALTER TABLE pgveil.mask_view ADD COLUMN IF NOT EXISTS rule_xmin xid;
REVOKE ALL ON pgveil.mask_view FROM PUBLIC, {query}, {owner};
GRANT SELECT, INSERT, DELETE ON pgveil.mask_view TO {admin};
GRANT USAGE, CREATE ON SCHEMA pgveil TO {owner};
GRANT EXECUTE ON FUNCTION pgveil.guard(text, bigint), pgveil.shape(oid, oid, text[], smallint[]),
  pgveil.has_type(anyelement, oid, oid), pgveil.is_open(oid, text[], bigint) TO {owner};
GRANT SELECT ON pgveil.current_version TO {owner};
)";

// Checks that only its owner and query_role have rights on the view, and that it has no rule or trigger
// except its query. The query is compared in PostgreSQL's stored form, by the numbers of what it reads and
// calls, because printing it would lock the table. It must also be the row that statements check
// (pgveil.is_mask): after a restore, or if somebody put the view back, another row holds the same query.
constexpr const char* kIsAsMade = R"(
SELECT EXISTS (
  SELECT FROM pgveil.mask_view m
    JOIN pg_catalog.pg_class c ON c.relname = m.name AND c.relnamespace = 'pgveil'::pg_catalog.regnamespace
    JOIN pg_catalog.pg_roles owner ON owner.rolname = $3 AND owner.oid = c.relowner
    JOIN pg_catalog.pg_roles reader ON reader.rolname = $4
   WHERE m.name = $1 AND m.mask = $2 AND c.relkind = 'v' AND c.reloptions = ARRAY['security_barrier=true']
     AND NOT c.relhastriggers AND pgveil.is_mask(m.name)
     AND ARRAY(SELECT pg_catalog.sha256(pg_catalog.convert_to(w.ev_action::pg_catalog.text, 'UTF8'))::pg_catalog.text
                 FROM pg_catalog.pg_rewrite w WHERE w.ev_class = c.oid) = ARRAY[m.definition]
     AND pg_catalog.has_table_privilege(reader.oid, c.oid, 'SELECT')
     AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(c.relacl) a
                      WHERE a.grantee NOT IN (owner.oid, reader.oid)
                         OR a.grantee = reader.oid AND a.privilege_type <> 'SELECT')
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute t WHERE t.attrelid = c.oid AND t.attacl IS NOT NULL)))";

constexpr const char* kLockVersion =
    "SELECT number FROM pgveil.version WHERE policy = $1 AND is_current FOR UPDATE";

constexpr const char* kNoteView = R"(
INSERT INTO pgveil.mask_view (name, policy, number, mask, definition, rule_xmin)
SELECT c.relname, $2, $3, $4, pg_catalog.sha256(pg_catalog.convert_to(w.ev_action::pg_catalog.text, 'UTF8'))::pg_catalog.text, w.xmin
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_rewrite w ON w.ev_class = c.oid
 WHERE c.relname = $1 AND c.relnamespace = 'pgveil'::pg_catalog.regnamespace)";

// Another policy's note stays, so noting the view again fails: a name is never reused.
constexpr const char* kForget = "DELETE FROM pgveil.mask_view WHERE name = $1 AND policy = $2";

constexpr const char* kOutdated = R"(
SELECT name FROM pgveil.mask_view WHERE policy = $1 AND number <
       (SELECT pg_catalog.max(number) FROM pgveil.mask_view WHERE policy = $1 AND number < $2) ORDER BY name)";

std::string view_of(const std::string& name) {
  return qualified_name("pgveil", name);
}

void drop(Connection& server, const MaskViewRoles& roles, const std::string& name,
          const std::string& policy) {
  server.run(kForget, name, policy);
  server.run("SET LOCAL ROLE " + quoted_name(roles.owner));
  server.run("DROP VIEW IF EXISTS " + view_of(name));
}

void make(Connection& server, const MaskViewRoles& roles, const MaskView& view) {
  const std::string name = view_of(view.name);
  drop(server, roles, view.name, view.policy);  // acts as the owner from here on
  server.run("CREATE VIEW " + name + " WITH (security_barrier = true) AS " + view.text);
  server.run("REVOKE ALL ON " + name + " FROM PUBLIC");
  server.run("GRANT SELECT ON " + name + " TO " + quoted_name(roles.query_role));
  server.run("RESET ROLE");
  server.run(kNoteView, view.name, view.policy, static_cast<std::int64_t>(view.number), view.text);
}

bool is_as_made(Connection& server, const MaskViewRoles& roles, const MaskView& view) {
  return server.run(kIsAsMade, view.name, view.text, roles.owner, roles.query_role)[0][0].as<bool>();
}

Error not_current(const MaskView& view) {
  return {ErrorKind::configuration, std::string(sqlstate::kInsufficientPrivilege),
          fmt::format("version {} of policy {} is not current any more", view.number, view.policy),
          "pgveil looks again by itself"};
}

// Takes the lock, so that two instances of pgveil never make the same view, and no BUILD overtakes.
Result<void> make_if_current(Connection& server, const MaskViewRoles& roles, const MaskView& view) {
  server.run("BEGIN");
  server.run("SET LOCAL lock_timeout = '2s'");  // for the table, or for a view that must be made anew
  const auto current = server.run(kLockVersion, view.policy);
  if (current.empty() || static_cast<std::uint64_t>(current[0][0].as<std::int64_t>()) != view.number) {
    server.run("ROLLBACK");
    return not_current(view);
  }
  if (!is_as_made(server, roles, view)) make(server, roles, view);
  server.run("COMMIT");
  return {};
}

// A statement may be using one of them; do not wait for it.
void drop_outdated(Connection& server, const MaskViewRoles& roles, const MaskView& view) {
  for (const auto& row : server.run(kOutdated, view.policy, static_cast<std::int64_t>(view.number))) {
    try {
      server.run("BEGIN");
      server.run("SET LOCAL lock_timeout = '100ms'");
      drop(server, roles, row[0].as<std::string>(), view.policy);
      server.run("COMMIT");
    } catch (const SqlFailure&) {
      server.run("ROLLBACK");
    }
  }
}

}  // namespace

std::string mask_view_schema_sql(const MaskViewRoles& roles, const std::string& admin_role) {
  return fmt::format(kViewSchema, fmt::arg("query", quoted_name(roles.query_role)),
                     fmt::arg("owner", quoted_name(roles.owner)), fmt::arg("admin", quoted_name(admin_role)));
}

Result<bool> has_mask_view(const Endpoint& admin, const std::string& database, const MaskViewRoles& roles,
                           const MaskView& view) {
  auto connection = Connection::open(admin, database, Access::read_only);
  if (!connection) return connection.error();
  const std::string what =
      fmt::format("looking at the mask view of policy {} in database {}", view.policy, quoted_name(database));
  return guarded<bool>(what, [&]() -> Result<bool> { return is_as_made(**connection, roles, view); });
}

Result<void> ensure_mask_view(const Endpoint& admin, const std::string& database, const MaskViewRoles& roles,
                              const MaskView& view) {
  auto connection = Connection::open(admin, database, Access::read_write);
  if (!connection) return connection.error();
  const std::string what =
      fmt::format("making the mask view of policy {} in database {}", view.policy, quoted_name(database));
  const auto done = guarded<bool>(what, [&]() -> Result<bool> {
    Connection& server = **connection;
    if (is_as_made(server, roles, view)) return true;
    if (auto made = make_if_current(server, roles, view); !made) return made.error();
    drop_outdated(server, roles, view);
    return true;
  });
  if (!done) return done.error();
  return {};
}

}  // namespace pgveil::db
