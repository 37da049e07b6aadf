#pragma once
// Finds rows of the catalogs that no client reads because they are about pgveil's own objects. These are
// pgveil's schema with its versions, the copies and the views that are masks (their names tell which policies
// there are and how often they were built), and the columns that keep decisions (their names are hashes of a
// tree). The storage of long values (pg_toast) is left out as well, because its names hold the OIDs of the
// tables that it belongs to, including copies.
#include <string>
#include <string_view>

namespace pgveil::rewriter {

enum class OwnRows {
  none,             // no row of the catalog can be about such an object
  schema_name,      // column: the name of the schema of the object
  schema,           // column: the OID of that schema
  own_schema,       // column: the name of a schema that the row is about; here pg_toast is an ordinary name
  relation,         // column: the OID of the relation that the row is about
  relation_column,  // column: as relation; the row is about one of its columns, whose number is in `detail`
  attribute,        // column: as relation; the name of the column, or of statistics, is in `detail`
  column_name,      // column: the name of the schema; the row is about a column named in `detail`
  object,           // column: the OID of any object
  dependency,       // pg_depend
  // Of these, rows about indexes that quote constants (quoting_index.hpp) are left out as well.
  index,           // column: as relation; the row is of pg_index
  class_of_index,  // column: as schema; the OID of the relation is in `detail`
  name_of_index,   // column: as schema_name; the name of the index is in `detail`
  index_relation   // column: as schema_name; the OID of the index is in `detail`
};

struct OwnRowsRule {
  OwnRows rows = OwnRows::none;
  std::string_view column = {};
  std::string_view detail = {};
};

// The condition, over the alias t, that is true for exactly these rows; empty: there are none. NULL counts as
// false.
[[nodiscard]] std::string own_rows_condition(const OwnRowsRule& rule);

}  // namespace pgveil::rewriter
