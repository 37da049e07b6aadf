#include "db/catalog/column_code.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kColumnsWithCode = R"(
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
 WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
   AND COALESCE(e.typtype, t.typtype) NOT IN ('b', 'e')
   AND NOT (COALESCE(e.typtype, t.typtype) IN ('r', 'm')
            AND COALESCE(e.typnamespace, t.typnamespace) = 'pg_catalog'::pg_catalog.regnamespace)
 ORDER BY a.attnum)";

}  // namespace

std::vector<CodeColumn> columns_with_code(Connection& server, const std::string& relation) {
  std::vector<CodeColumn> out;
  for (const auto& row : server.run(kColumnsWithCode, relation))
    out.push_back({row[0].as<std::string>(), row[1].as<std::string>()});
  return out;
}

}  // namespace pgveil::db
