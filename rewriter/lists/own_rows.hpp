#pragma once
// Rows of the catalogs that are about pgveil's own objects, which no client reads: its schema with the
// versions, the copies and the views that are masks, whose names say which policies there are and how often
// they were built; the columns that keep decisions, whose names are hashes of a tree. Storage of long values
// (pg_toast) is left out with them: its names hold the OIDs of the tables that it belongs to, copies too.
#include <string>
#include <string_view>

namespace pgveil::rewriter {

enum class OwnRows {
  none,         // no row of the catalog can be about one
  schema_name,  // column: the name of the schema of the object
  schema,       // column: its OID
  own_schema,   // column: the name of a schema that the row is about; pg_toast is a name like others there
  relation,     // column: the OID of the relation that the row is about
  relation_column,  // the same; the row is about one of its columns, whose number is in `detail`
  attribute,        // the same; its name is in `detail`
  column_name,      // column: the name of the schema; the row is about a column of the name in `detail`
  object,           // column: the OID of any object
  dependency        // pg_depend
};

struct OwnRowsRule {
  OwnRows rows = OwnRows::none;
  std::string_view column = {};
  std::string_view detail = {};
};

// The condition, over the alias t, that holds for just these rows; empty: there are none. NULL is as good as
// false.
[[nodiscard]] std::string own_rows_condition(const OwnRowsRule& rule);

}  // namespace pgveil::rewriter
