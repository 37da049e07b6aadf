#pragma once
// A lower bound of all scores from searches of groups of quasi-identifiers. The groups are disjoint. In the
// search of a group, the columns of all others are dropped. The lowest scores of the groups, combined as the
// metric combines attributes, are a lower bound of all scores of the whole table: these are additive pattern
// databases (Korf and Felner 2002) over the subset property (LeFevre, DeWitt and Ramakrishnan 2005).
// docs/engine.md has the argument.
//
// The bound exists for metrics that combine values of single attributes (Quality::is_combined) and models
// under which suppressed records stay suppressed (suppressed_stay_suppressed). For others nothing is done.
#include <cstddef>

#include "engine/search/explorer.hpp"

namespace pgveil::engine {

// Raises the explorer's lower bound by the optima of so many groups, and tells it what is not anonymous.
// The checks count. REQUIRES: 1 ≤ groups ≤ attributes.
void raise_bound_by_groups(Explorer& explorer, std::size_t groups);

// Whether the bound exists, and the lattice is so large (is_large) that it is worth the work.
[[nodiscard]] bool is_bounded_by_groups(const Explorer& explorer);

// Does this if is_bounded_by_groups, with as few groups as can be searched within seconds.
void raise_bound_by_small_groups(Explorer& explorer);
// Goes on from there with fewer and fewer groups, down to two. This takes time, but less than a proof.
void raise_bound_by_larger_groups(Explorer& explorer);

}  // namespace pgveil::engine
