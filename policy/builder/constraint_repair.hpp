#pragma once
// Trees changed so that their cohorts keep the constraints on sensitive columns: after a build, for mode
// hide, and when the table has drifted.
//
// With mode hide the tree is built without looking at the sensitive column, and afterwards each cohort that
// breaks a constraint is joined with the cohort next to it. So the build succeeds, and a few rows show less
// of their quasi-identifiers. The shape of the tree then depends on sensitive values (docs/attack-model.md
// says what that tells).
#include <cstddef>
#include <span>

#include "policy/cohorts/constraint_check.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

struct HiddenBreaches {
  DisclosureTree tree;
  std::size_t joined = 0;  // cohorts fewer than before
};

// A cohort that is one `yes` side by itself gives its value up: its rows fall back to the end of their
// chain, and the split stays to keep them from the splits after it. A cohort at the end of a longer chain is
// joined with the last cohort that was split off this chain. Both are repeated until no cohort breaks a
// constraint of mode hide, or until the whole table is one cohort, which may still break it
// (check_constraints tells). Each cohort of the result is a union of cohorts of the tree, as after a repair,
// and stays closed in this lineage. Where a chain has to be cut more than once, the cuts double, so that the
// number of recounts is logarithmic. Constraints of other modes are not looked at.
//
// REQUIRES: the counts of each column have the tree's attributes; columns without such constraints may be
// among them. Deterministic.
[[nodiscard]] HiddenBreaches with_breaches_hidden(const DisclosureTree& tree,
                                                  std::span<const ConstrainedColumn> columns);

// The tree repaired on these counts, whose cohorts keep the constraints: by Undo::value, or, where rows that
// fell back would break one, by Undo::rest. Either way with_breaches_hidden follows. Errors: as repair and
// check_constraints.
[[nodiscard]] Result<Repaired> repair_within_constraints(const PolicySpec& spec, const DisclosureTree& tree,
                                                         const Counts& counts,
                                                         std::span<const ConstrainedColumn> columns);

}  // namespace pgveil::policy
