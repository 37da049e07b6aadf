#pragma once
// `pgveil policy diff`: two versions side by side, for people.
#include "console/console.hpp"
#include "policy/version/version.hpp"

namespace pgveil::console {

// One row per column that is a quasi-identifier in either version: the share of its cells that was shown
// before and is shown after. The last row is for all columns.
[[nodiscard]] Table shares_table(const policy::PolicyVersion& before, const policy::PolicyVersion& after);

// Combinations of values that only one version shows, or that are shown on different numbers of rows. Quotes
// data values: only for admin_users.
[[nodiscard]] Table changes_table(const policy::DisclosureTree& before, const policy::DisclosureTree& after);

}  // namespace pgveil::console
