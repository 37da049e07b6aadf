#pragma once
// What PostgreSQL is asked where a statement reads a table as it is: an open one, or one with a policy for an
// exempt role. A name in SQL finds whatever has it when the statement runs; the guard says which table was
// meant.
//
//   SELECT town FROM ONLY public.towns
//    WHERE CASE WHEN pgveil.is_open('16390', '{"public","towns"}', '0') THEN true
//               ELSE <raise kOpenMarker> END
//      AND (size > 100)
//
// It stands in the WHERE of the select that reads the table, before the client's condition, and not in a
// sub-select around the table: so the table keeps its system columns, its primary key, its row type, and the
// origin of its columns in what clients are told of a result. PostgreSQL asks it before it reads a row (a
// one-time filter); where the database has the schema pgveil, while it plans, as the shape guard of masks
// (shape_guard.hpp says why that is as strong).
//
// It asks for the table's OID and name, that it is a table and not a view by now, that it has no row-level
// security and no parent, and for a partitioned one that it has the partitions, on all levels, that the
// catalog shows. A table without partitions is read with ONLY: rows of one that becomes its child are not its
// own.
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
