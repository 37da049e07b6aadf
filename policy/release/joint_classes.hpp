#pragma once
// Somebody who has the answers of several policies over one table knows for each row which cohort of each
// tree it is in. The combination of these cohorts is the row's joint class. This file finds the joint classes
// that are possible at all, whatever rows may come later. Pure.
#include <cstddef>
#include <span>
#include <vector>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// One leaf per tree: the cohort that the row is in.
using JointClass = std::vector<NodeIndex>;

struct PossibleClasses {
  std::vector<JointClass> classes;  // each once
  bool is_cut = false;              // there are more than were asked for, or too many to look for
};

// The joint classes that a row can be in, with any values, including NULL and values that no row has yet.
// None is left out. A class may be listed that no row can be in, but only where a column's type alone
// excludes it (a boolean that is neither true nor false), or where all values of a range together do. The
// trees must be of one table, because attributes with the same number are taken for the same column. Stops
// after `most` classes.
[[nodiscard]] PossibleClasses possible_classes(std::span<const DisclosureTree* const> trees,
                                               std::size_t most);

}  // namespace pgveil::policy
