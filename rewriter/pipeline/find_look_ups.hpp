#pragma once
// Decides which stand-ins of a resolved statement become look-ups (look_up.hpp). A stand-in does if the query
// that reads it requires, by a condition that every row must meet, that a masked column equals a constant or
// a parameter, or is IN a list of them. Such a condition stands in WHERE or in ON of an inner join, never on
// the nullable side of an outer join. Then rows that show another value cannot be in the answer, whatever
// else the statement does. Only speed depends on the choice.
#include <set>
#include <span>

#include "pg/arena.hpp"
#include "rewriter/pipeline/literal_trace.hpp"
#include "rewriter/pipeline/used_columns.hpp"

namespace pgveil::rewriter {

// The names of stand-ins.
struct FoundReads {
  std::set<const PgQuery__RangeVar*> look_ups;  // those that now have a condition
  // Others of which one row is read at most, and once per statement: conditions that every row must meet
  // compare each column of the primary key with something other than columns.
  std::set<const PgQuery__RangeVar*> by_key;
};

// Puts the conditions into the stand-ins. trace: null, or where it is noted which constants were read.
FoundReads put_look_ups(const ProtobufCMessage& statement, std::span<const StandIn> stand_ins,
                        pg::Arena& arena, LiteralTrace* trace = nullptr);

}  // namespace pgveil::rewriter
