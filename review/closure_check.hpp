#pragma once
// Checks which relations and routines reach or repeat a protected table, and what has been decided about
// each. An undecided one that clients cannot read is a warning or a note. An open one that holds the table's
// rows is an error, because they would be shown unmasked.
#include <string>
#include <vector>

#include "common/finding.hpp"
#include "policy/spec/spec.hpp"
#include "review/owner_decisions.hpp"
#include "rewriter/catalog/surroundings.hpp"

namespace pgveil::review {

// All findings about the surroundings of one database's policies, in a fixed order.
[[nodiscard]] std::vector<Finding> check_closure(const OwnerDecisions& standings,
                                                 const rewriter::Surroundings& surroundings);

// The parts of check_closure.
// Views, materialized views, rules, parents, children and holders of whole rows, transitively.
[[nodiscard]] std::vector<Finding> check_reach(const OwnerDecisions& standings,
                                               const rewriter::Surroundings& surroundings);
// Foreign keys both ways, foreign tables, columns of the same name, sequences.
[[nodiscard]] std::vector<Finding> check_repeats(const OwnerDecisions& standings,
                                                 const rewriter::Surroundings& surroundings);
// Keys by which a reader can join two tables.
[[nodiscard]] std::vector<Finding> check_join_keys(const OwnerDecisions& standings,
                                                   const rewriter::Surroundings& surroundings);
// Functions and triggers.
[[nodiscard]] std::vector<Finding> check_routines(const OwnerDecisions& standings,
                                                  const rewriter::Surroundings& surroundings);

}  // namespace pgveil::review
