#pragma once
// Settles what the bounds (bounds.hpp) leave open: whether the hidden cells of a class can have two values.
// All rules of docs/disclosure-tree.md become conditions on the rows of each node that have each value, for
// all columns at once. A solver looks for tables that fulfill them. The columns of a row meet only in the
// sizes of the nodes: at the end of a path, each column may have its values in any row. So these numbers of
// rows are all that a tree depends on, and the conditions leave exactly the tables that make the tree.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "attack/bounds.hpp"
#include "attack/knowledge.hpp"

namespace pgveil::attack {

// How far it was settled which hidden cells are certain.
enum class Exactness {
  settled,    // no further cell is certain
  ran_out,    // the solver reached its limit for some classes and columns, where the bounds stand
  not_asked,  // the caller wanted the bounds alone
  too_large,  // the tree has too many nodes and values for the solver
  no_solver   // this build has none
};

// The hidden cells that a class has in one attribute.
struct HiddenCells {
  policy::NodeIndex leaf = 0;
  std::uint32_t attribute = 0;
  auto operator<=>(const HiddenCells&) const = default;
};

struct Exact {
  Exactness exactness = Exactness::settled;
  std::map<HiddenCells, std::string> certain;  // the only value, where the bounds leave several
  std::set<HiddenCells> unsettled;             // where the solver reached its limit
};

// The solver is not asked about more numbers of rows (nodes × values of all columns). So many take it up to a
// second. For 10,000 it took 12 seconds, and for 34,000 it reached its limits after 69 (docs/attacks.md).
inline constexpr std::size_t kMostUnknowns = 4'000;

// REQUIRES: sizes = node_sizes(knowledge).
[[nodiscard]] Exact settle(const Knowledge& knowledge, const std::vector<Interval>& sizes);

}  // namespace pgveil::attack
