#pragma once
// `pgveil policy diff`: two versions side by side, for people.
#include "console/console.hpp"
#include "policy/version/version.hpp"

namespace pgveil::console {

// Per column that is a quasi-identifier in either: the share of its cells shown before and after; at the end
// that of all.
[[nodiscard]] Table shares_table(const policy::PolicyVersion& before, const policy::PolicyVersion& after);

// Combinations of values that are shown in one only, or on another number of rows. Quotes data values: for
// admin_users only.
[[nodiscard]] Table changes_table(const policy::DisclosureTree& before, const policy::DisclosureTree& after);

}  // namespace pgveil::console
