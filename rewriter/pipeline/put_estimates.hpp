#pragma once
// Writes conditions on masked columns in a form of which PostgreSQL's planner expects about as many rows as
// they keep. It has no statistics on a mask, so it expects that one row in 200 shows a value, and that one in
// 200 shows none. Two such conditions on a table leave one row, and the planner then reads other tables once
// for each of thousands.
//
//   city IS NULL       →  NOT pg_catalog.booleq(city IS NULL, false)             two thirds of the rows
//   sex = 'f'          →  pg_catalog.booleq(sex = 'f', true)                     one third
//   ward IN ('a', 'b') →  (ward IN ('a', 'b'))::int4 = ANY ('{1,1,1,1,1}')       5 of 200
//
// Each form means the same as the condition itself: it stands where every row must meet it (WHERE, or ON of a
// join, or below AND there), so false and NULL are one, and it is strict, so that PostgreSQL still finds that
// an outer join is an inner one. Only speed depends on it. The forms are SQL that the client could have
// written, so the verifier has no rule for them, but the one of look-ups (verify_look_up.cpp).
//
// Estimates are only raised. Where they are too high, PostgreSQL hashes a table that it could have read row
// by row, which costs one scan; where they are too low, it evaluates masks once for each pair of rows.
#include <set>
#include <span>

#include "pg/arena.hpp"
#include "rewriter/pipeline/literal_trace.hpp"
#include "rewriter/resolve/stand_in.hpp"

namespace pgveil::rewriter {

// look_ups: the stand-ins that state a look-up (find_look_ups.hpp). Their condition finds its rows by an
// index, so PostgreSQL knows how many there are, and is told that the query's own condition keeps them.
// trace: null, or where it is noted which constants were read.
void put_estimates(const ProtobufCMessage& statement, std::span<const StandIn> stand_ins,
                   const std::set<const PgQuery__RangeVar*>& look_ups, Estimates estimates, pg::Arena& arena,
                   LiteralTrace* trace = nullptr);

}  // namespace pgveil::rewriter
