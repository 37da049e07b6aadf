#pragma once
// SHOW TREE and `pgveil policy show --tree`: the disclosure tree as an outline. Siblings are read from the
// top down, and the first one that fits applies: a "no" side continues the list of its "yes" side instead of
// being nested.
//
//   state = 'OH'
//     city = 'Hamlet'
//       occupation = 'Farmer'      D111  2 rows  occupation, city, state
//       otherwise                  D112 …
#include "console/console.hpp"
#include "policy/version/version.hpp"

namespace pgveil::console {

// Quotes data values: only for admin_users.
[[nodiscard]] Table tree_table(const policy::DisclosureTree& tree);

// SHOW TREE … AS: one cell, the graph (format_dot.hpp) or the version as policy::to_json writes it.
[[nodiscard]] std::string tree_text_as(const policy::PolicyVersion& version, TreeFormat format);
[[nodiscard]] Table tree_table_as(const policy::PolicyVersion& version, TreeFormat format);

}  // namespace pgveil::console
