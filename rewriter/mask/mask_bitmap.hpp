#pragma once
// The decision for a row (mask_row.hpp) as an AND of bitmaps (policy/decision/region_bitmaps.hpp). It is
// written with a handful of nodes per attribute, however large the tree is. PostgreSQL makes every node ready
// when it starts a statement, so a statement that reads one row by its key takes a fraction of the time that
// it takes with a comparison for each value. For rewriter/mask only.
//
//   ('{"7","6","1"}'::pg_catalog.int4[])[pg_catalog."position"(
//      COALESCE(('{"xC","x4"}'::pg_catalog.varbit[])[
//                 pg_catalog.array_position('{"OH","DC"}'::pg_catalog.text[], t.state)],
//               'x2'::pg_catalog.varbit)
//      OPERATOR(pg_catalog.&) COALESCE(…),
//      '1'::pg_catalog.varbit)]
//
// The bitmap of a value has one bit per region. NULL and values that are not in the array have the bitmap
// behind the comma. The place of the only bit that is left is that of the region's number. If no bit is left,
// the place is 0 and the number is NULL, which releases nothing.
#include "policy/decision/region_bitmaps.hpp"
#include "rewriter/mask/mask_column.hpp"

namespace pgveil::rewriter {

// Whether each attribute is a column of a built-in type whose values array_position compares as = does, and
// no level. array_position takes the equality of the type's default operator class. Enums have one that a
// superuser can replace, so they are left out.
[[nodiscard]] bool can_have_bitmaps(const TreeColumns& tree_columns);

// REQUIRES: can_have_bitmaps.
[[nodiscard]] pg::Node* released_by_bitmaps(const policy::RegionBitmaps& bitmaps,
                                            const TreeColumns& tree_columns, pg::Builder& build);

}  // namespace pgveil::rewriter
