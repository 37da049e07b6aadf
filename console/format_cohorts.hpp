#pragma once
// SHOW COHORTS and `pgveil policy show --cohorts`: the leaves with their predicates, in tree order.
#include <cstdint>
#include <span>
#include <string>

#include "console/console.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::console {

// "state = 'OH' AND NOT city IN ('Hamlet', 'Akron')"; "everything" for an empty path. "NOT" means "not known
// to be", so a NULL is on that side. Consecutive NOTs of one attribute are joined; of very many values only
// the first are named.
[[nodiscard]] std::string predicate_text(const policy::DisclosureTree& tree,
                                         std::span<const policy::PathStep> path);

// "occupation, city", or "nothing".
[[nodiscard]] std::string shown_attributes(const policy::DisclosureTree& tree,
                                           std::span<const std::uint32_t> attributes);

// Quotes data values: only for admin_users. All cohorts, or an excerpt. If not all are shown, a notice says how
// many there are. Errors: 42703, the tree has no such column.
[[nodiscard]] Table cohorts_table(const policy::DisclosureTree& tree);
[[nodiscard]] Result<Table> cohorts_table(const policy::DisclosureTree& tree, const Excerpt& excerpt);

}  // namespace pgveil::console
