#pragma once
// Finds the SELECTs that read a masked table alone and completely, except for rows that conditions on visible
// columns leave out. In these SELECTs the decision per row (mask_row.hpp) does not hinder the planner. In
// others it would: a sub-select that is not pulled up cannot be read by the index of a join, in an index's
// order, or only in part.
#include <set>
#include <span>

#include "rewriter/pipeline/used_columns.hpp"

namespace pgveil::rewriter {

// The names of the stand-ins that such SELECTs read. Either the SELECT is the statement itself, has no ORDER
// BY, LIMIT, min or max, and tests no visible column in WHERE; or it has GROUP BY or DISTINCT. With LIMIT it
// counts only if it groups by masked columns, which have no index. It never counts with a sub-query in WHERE,
// nor in WITH, where the volatile function would keep PostgreSQL from moving conditions into the item.
[[nodiscard]] std::set<const PgQuery__RangeVar*> whole_reads(const ProtobufCMessage& statement,
                                                             std::span<const StandIn> stand_ins);

}  // namespace pgveil::rewriter
