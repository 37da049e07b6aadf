#pragma once
// The condition under which a statement reads a table as it is: an open table, or a table with a policy for
// an exempt role. A name in SQL finds whatever has that name when the statement runs; the guard ensures that
// it is the table that was meant.
//
//   SELECT town FROM ONLY public.towns
//    WHERE CASE WHEN pgveil.is_open('16390', '{"public","towns"}', '0') THEN true
//               ELSE <raise kOpenMarker> END
//      AND (size > 100)
//
// The guard stands in the WHERE of the select that reads the table, before the client's condition, and not in
// a sub-select around the table. So the table keeps its system columns, its primary key, its row type, and
// the origin of its columns in what clients are told of a result. PostgreSQL evaluates it before it reads a
// row (a one-time filter). Where the database has the schema pgveil, it evaluates it already while it plans,
// like the shape guard of masks (shape_guard.hpp says why that is as strong).
//
// The guard checks the table's OID and name, that it is still a table and not a view, that it has no
// row-level security and no parent, and that a partitioned table has exactly the partitions, on all levels,
// that the catalog shows. A table without partitions is read with ONLY, because rows of a table that becomes
// its child are not its own.
//
// A value; make_table_guard.hpp makes it, verify_guards.hpp checks it.
#include <string_view>

#include "pg/parse.hpp"

namespace pgveil::rewriter {

inline constexpr std::string_view kOpenMarker = "pgveil:open";

struct TableGuard {
  pg::Tree tree;                  // owns the condition
  pg::Node* condition = nullptr;  // put into statements as it is
};

}  // namespace pgveil::rewriter
