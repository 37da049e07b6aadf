#pragma once
// Which SELECTs read a masked table alone and from end to end, but for what conditions on visible columns
// leave out: there the decision for the row (mask_row.hpp) costs the planner nothing. Elsewhere it would: a
// sub-select that is not pulled up can't be read by the index of a join, in an index's order, or just in
// part.
#include <set>
#include <span>

#include "rewriter/pipeline/used_columns.hpp"

namespace pgveil::rewriter {

// The names of those stand-ins. The SELECT is the statement itself, without ORDER BY, LIMIT, min and max, and
// asks no visible column in WHERE; or it has GROUP BY or DISTINCT. With LIMIT only if it groups by masked
// columns, which have no index. Never with a sub-query in WHERE, nor in WITH, where the volatile function
// would keep PostgreSQL from moving conditions into the item.
[[nodiscard]] std::set<const PgQuery__RangeVar*> whole_reads(const ProtobufCMessage& statement,
                                                             std::span<const StandIn> stand_ins);

}  // namespace pgveil::rewriter
