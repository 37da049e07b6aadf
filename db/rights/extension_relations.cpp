#include "db/rights/extension_relations.hpp"

#include <fmt/format.h>

#include "common/assert.hpp"

namespace pgveil::db {
namespace {

constexpr std::string_view kExtensionName = R"((SELECT e.extname FROM pg_catalog.pg_depend d
          JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
         WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e'
           AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass))";

// PostGIS reads spatial_ref_sys, coordinate systems, with the rights of whoever calls ST_Transform.
// The others show which columns of tables have which geometry.
constexpr std::string_view kHarmlessRelations =
    R"(('postgis', 'spatial_ref_sys'), ('postgis', 'geometry_columns'),
         ('postgis', 'geography_columns'), ('postgis_raster', 'raster_columns'), ('postgis_raster', 'raster_overviews'))";

constexpr std::string_view kExtensionRelation = R"((CASE
       WHEN {0} IS NULL THEN 'none'
       WHEN ({0}, c.relname) IN ({1}) THEN 'harmless'
       WHEN c.relkind <> 'v' OR EXISTS (
         SELECT FROM pg_catalog.pg_rewrite w
           JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid
            AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> c.oid
           JOIN pg_catalog.pg_class t ON t.oid = d.refobjid
          WHERE w.ev_class = c.oid AND t.relnamespace NOT IN
                ('pg_catalog'::pg_catalog.regnamespace, 'information_schema'::pg_catalog.regnamespace))
       THEN 'none' ELSE 'view' END))";

}  // namespace

std::string extension_of_sql() {
  return std::string(kExtensionName);
}

std::string extension_relation_sql() {
  return fmt::format(kExtensionRelation, kExtensionName, kHarmlessRelations);
}

ExtensionRelation extension_relation_of(const std::string& word) {
  if (word == "none") return ExtensionRelation::none;
  if (word == "harmless") return ExtensionRelation::harmless;
  PGVEIL_ASSERT(word == "view");
  return ExtensionRelation::view;
}

}  // namespace pgveil::db
