#pragma once
// Which relations and routines reach or repeat a protected table, and what has been decided about each. An undecided
// one that clients can't read is a warning or a note; an open one that holds the table's rows is an error, because they
// would be shown unmasked.
#include <string>
#include <vector>

#include "common/finding.hpp"
#include "policy/spec.hpp"
#include "rewriter/standing.hpp"
#include "rewriter/surroundings.hpp"

namespace pgveil::rewriter {

// All findings about what surrounds the policies of one database, in a fixed order.
[[nodiscard]] std::vector<Finding> check_closure(const Standings& standings,
                                                 const Surroundings& surroundings);

// Its parts.
// Views, materialized views, rules, parents, children and holders of whole rows, transitively.
[[nodiscard]] std::vector<Finding> check_reach(const Standings& standings, const Surroundings& surroundings);
// Foreign keys both ways, foreign tables, columns of the same name, sequences.
[[nodiscard]] std::vector<Finding> check_repeats(const Standings& standings,
                                                 const Surroundings& surroundings);
// Keys by which a reader can join two tables.
[[nodiscard]] std::vector<Finding> check_join_keys(const Standings& standings,
                                                   const Surroundings& surroundings);
// Functions and triggers.
[[nodiscard]] std::vector<Finding> check_routines(const Standings& standings,
                                                  const Surroundings& surroundings);

}  // namespace pgveil::rewriter
