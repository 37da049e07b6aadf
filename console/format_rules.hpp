#pragma once
// SHOW RULES and `pgveil policy show --rules`: per column, the condition under which a row's value is shown.
//   city        state = 'OH' AND city = 'Hamlet'
//   occupation  (state = 'OH' AND …) OR (NOT state = 'OH' AND occupation = 'Accountant')
#include "console/console.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::console {

// One row per attribute, in attribute order. Each condition belongs to one split that releases the attribute;
// a row shows the column if one of the conditions is true. If there are very many, only the first are named.
// "never" for an attribute that no split releases. `rows` is the number of rows that show the column. Quotes
// data values: only for admin_users.
[[nodiscard]] Table rules_table(const policy::DisclosureTree& tree);

// With a column one row for each of its conditions, and `rows` is of that condition. A notice says how many
// there are when not all are shown. Errors: 42703, no such column.
[[nodiscard]] Result<Table> rules_table(const policy::DisclosureTree& tree, const Excerpt& excerpt);

}  // namespace pgveil::console
