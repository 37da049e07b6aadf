#pragma once
// A look-up: a mask that reads only the rows whose masked column shows one of a few constants, so that an
// index on the raw column finds them. Where the client asks for state = 'OH' at the same level, no other row
// can be in the answer.
//
//   SELECT * FROM (SELECT <the mask's columns> FROM public.people AS t WHERE <the guards>
//                  AND (t.state OPERATOR(pg_catalog.=) ('{"OH","DC"}'::pg_catalog.text[])[
//                       CASE WHEN pg_catalog.statement_timestamp() IS NOT NULL
//                            THEN pg_catalog.array_position('{"OH","DC"}'::pg_catalog.text[], 'OH') END])
//                  ORDER BY t.ctid OFFSET 0) AS t
//   WHERE t.state IS NOT NULL OFFSET 0
//
// - OFFSET 0 is a fence: no condition of the client is moved below it, so none runs on a row whose cell is
//   hidden. The outer one keeps back rows that have the value and hide it.
// - The array holds the values that the tree releases in this column, and the client's constant is compared
//   with these alone; the raw column is compared with one of them, by its own type's operator. For any other
//   constant the subscript is NULL, and PostgreSQL looks nothing up: so neither time nor errors tell whether
//   a value is there that is always hidden.
// - statement_timestamp() is not folded, so a constant that is not released does not plan the guards away.
// - Rows come in their physical order as from the whole mask, and not in that of an index with hidden
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

// REQUIRES: mask.select of a table of this tree. None where an index is of no use: partitions, no index on a
// masked column.
[[nodiscard]] LookUpColumns look_up_columns(const Mask& mask, const policy::DisclosureTree& tree,
                                            const Relation& relation);

// The text above. REQUIRES: the column can be looked up and is not left out.
[[nodiscard]] std::string look_up_select(const Mask& mask, std::span<const std::size_t> left_out,
                                         const LookUp& look_up);

// How long the text of the condition would be: arrays of thousands of values are not written many times.
[[nodiscard]] std::size_t look_up_bytes(const LookUpColumn& column, std::size_t constants);

// WHERE state OPERATOR(pg_catalog.=) ANY (ARRAY['OH']): what a stand-in says of its look-up.
void put_condition(PgQuery__SelectStmt& stand_in, std::string_view column,
                   std::span<pg::Node* const> constants, pg::Builder& build);

}  // namespace pgveil::rewriter
