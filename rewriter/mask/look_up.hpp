#pragma once
// A look-up: a mask that reads only the rows whose masked column shows one of a few constants, so that an
// index on the raw column finds them. It is correct where the client's query requires state = 'OH' at the
// same query level, because then no other row can be in the answer.
//
//   SELECT * FROM (SELECT <the mask's columns> FROM public.people AS t WHERE <the guards>
//                  AND (t.state OPERATOR(pg_catalog.=) ('{"OH","DC"}'::pg_catalog.text[])[
//                       CASE WHEN pg_catalog.statement_timestamp() IS NOT NULL
//                            THEN pg_catalog.array_position('{"OH","DC"}'::pg_catalog.text[], 'OH') END])
//                  ORDER BY t.ctid OFFSET 0) AS t
//   WHERE t.state IS NOT NULL OFFSET 0
//
// - OFFSET 0 is a fence: no condition of the client is moved below it, so none runs on a row whose cell is
//   hidden. The outer fence holds back rows that have the value but hide it.
// - The array holds the values that the tree releases in this column. The client's constant is compared with
//   these alone, and the raw column is compared with one of them, by the operator of its own type. For any
//   other constant the subscript is NULL, and PostgreSQL looks nothing up. So neither timing nor errors tell
//   whether the table has a value that is always hidden.
// - statement_timestamp() is not folded, so a constant that is not released cannot plan the guards away.
// - Rows come in their physical order, as from the whole mask, and not in the order of an index with hidden
//   columns.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "pg/build.hpp"
#include "policy/tree/tree.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// The columns of the mask that can be looked up. None where an index is of no use: partitions, or no index on
// a masked column. REQUIRES: the mask is of a table of this tree.
[[nodiscard]] LookUpColumns look_up_columns(const Mask& mask, const policy::DisclosureTree& tree,
                                            const Relation& relation);

// The text above. REQUIRES: the column can be looked up and is not left out.
[[nodiscard]] std::string look_up_select(const Mask& mask, std::span<const std::size_t> left_out,
                                         const LookUp& look_up);

// How long the text of the condition would be. Callers use it so that arrays of thousands of values are not
// repeated.
[[nodiscard]] std::size_t look_up_bytes(const LookUpColumn& column, std::size_t constants);

// The condition by which a stand-in states its look-up: WHERE state OPERATOR(pg_catalog.=) ANY (ARRAY['OH']).
void put_condition(PgQuery__SelectStmt& stand_in, std::string_view column,
                   std::span<pg::Node* const> constants, pg::Builder& build);

}  // namespace pgveil::rewriter
