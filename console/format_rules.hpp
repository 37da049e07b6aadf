#pragma once
// SHOW RULES and `pgveil policy show --rules`: per column, the condition under which a row's value is shown.
//   city        state = 'OH' AND city = 'Hamlet'
//   occupation  (state = 'OH' AND …) OR (NOT state = 'OH' AND occupation = 'Accountant')
#include "console/console.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::console {

// One row per attribute, in attribute order. Each condition belongs to one split that releases the attribute;
// a row shows the column if one of the conditions is true. "never" for an attribute that no split releases.
// `rows` is the number of rows that show the column. Quotes data values: only for admin_users.
[[nodiscard]] Table rules_table(const policy::DisclosureTree& tree);

}  // namespace pgveil::console
