#include "db/catalog/public_functions.hpp"

#include <fmt/format.h>

#include <string_view>

namespace pgveil::db {
namespace {

// Without pg_advisory_unlock_all(): pools send it with each connection that they take back, and a role that
// cannot lock has nothing to unlock.
constexpr std::string_view kThese = R"(p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace
   AND (p.proname ~ '^(query|table|schema|database|cursor)_to_xml' OR p.proname ~ '^lo_'
        OR p.proname ~ '^pg_(try_)?advisory_' AND p.proname <> 'pg_advisory_unlock_all' OR p.proname ~ '^pg_sleep'
        OR p.proname IN ('loread', 'lowrite', 'pg_notify', 'pg_export_snapshot', 'ts_stat', 'pg_cancel_backend',
                         'pg_terminate_backend')))";

}  // namespace

std::string public_functions_condition() {
  return std::string(kThese);
}

std::string public_functions_count_sql() {
  return fmt::format(
      "SELECT pg_catalog.count(*) FROM pg_catalog.pg_proc p\n WHERE {}\n   AND "
      "pg_catalog.has_function_privilege(current_user, p.oid, 'EXECUTE')",
      kThese);
}

std::string public_functions_revokes_sql() {
  return fmt::format(
      "SELECT pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', "
      "p.oid::pg_catalog.regprocedure)\n"
      "  FROM pg_catalog.pg_proc p\n WHERE {}\n   AND EXISTS (SELECT FROM pg_catalog.aclexplode("
      "COALESCE(p.proacl, pg_catalog.acldefault('f', p.proowner))) a WHERE a.grantee = 0)",
      kThese);
}

}  // namespace pgveil::db
