#include "db/catalog/column_code.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kColumnsWithCode = R"(
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
 WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
   AND ((COALESCE(e.typtype, t.typtype) NOT IN ('b', 'e')
         AND NOT (COALESCE(e.typtype, t.typtype) IN ('r', 'm')
                  AND COALESCE(e.typnamespace, t.typnamespace) = 'pg_catalog'::pg_catalog.regnamespace))
        OR EXISTS (SELECT FROM pg_catalog.pg_cast c WHERE c.castsource IN (t.oid, e.oid) AND c.castfunc >= 16384
                      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend x WHERE x.deptype = 'e'
                                       AND x.classid = 'pg_catalog.pg_cast'::pg_catalog.regclass
                                       AND x.objid = c.oid)))
 ORDER BY a.attnum)";

// 16384 is the first OID of objects that are not PostgreSQL's own. pg_depend has what expressions call.
constexpr const char* kObjectsWithCode = R"(
WITH relation AS (SELECT pg_catalog.to_regclass($1)::pg_catalog.oid AS oid
                  UNION SELECT p.relid::pg_catalog.oid
                    FROM pg_catalog.pg_partition_tree(pg_catalog.to_regclass($1)) AS p),
     object(classid, objid) AS (
  SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid
    FROM pg_catalog.pg_index i JOIN relation r ON r.oid = i.indrelid
  UNION ALL SELECT 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass, s.oid
    FROM pg_catalog.pg_statistic_ext s JOIN relation r ON r.oid = s.stxrelid
  UNION ALL SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass, c.oid
    FROM pg_catalog.pg_constraint c JOIN relation r ON r.oid = c.conrelid
  UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, r.oid FROM relation r)
SELECT DISTINCT pg_catalog.pg_describe_object(o.classid, o.objid, 0)
  FROM object o JOIN pg_catalog.pg_depend d ON d.classid = o.classid AND d.objid = o.objid
 WHERE d.refobjid >= 16384
   AND d.refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass)
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend x WHERE x.deptype = 'e' AND x.classid = d.refclassid
                      AND x.objid = d.refobjid)
 ORDER BY 1)";

}  // namespace

std::vector<std::string> objects_with_code(Connection& server, const std::string& relation) {
  std::vector<std::string> out;
  for (const auto& row : server.run(kObjectsWithCode, relation)) out.push_back(row[0].as<std::string>());
  return out;
}

std::vector<CodeColumn> columns_with_code(Connection& server, const std::string& relation) {
  std::vector<CodeColumn> out;
  for (const auto& row : server.run(kColumnsWithCode, relation))
    out.push_back({row[0].as<std::string>(), row[1].as<std::string>()});
  return out;
}

}  // namespace pgveil::db
