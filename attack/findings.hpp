#pragma once
// What an attacker learns about the hidden cells of one tree. A claim is a value that all possible tables
// have in the hidden cells of one class. The raw table is used only to check claims and guesses, never to
// make them.
#include <cstdint>
#include <string>
#include <vector>

#include "attack/exact.hpp"
#include "attack/knowledge.hpp"

namespace pgveil::attack {

// "In this class, every row that has the column at all has this value."
struct Claim {
  policy::NodeIndex leaf = 0;  // of the class
  std::uint32_t attribute = 0;
  std::string value;
  std::uint64_t claimed_rows = 0;  // of the class; fewer if some may be NULL: the fewest that are certain
  std::uint64_t true_rows = 0;     // rows of the class that have the value
  std::uint64_t wrong_rows = 0;    // rows of the class that have another one; 0, or this code has a bug
  bool operator==(const Claim&) const = default;
};

// Of one attribute. Cells that are NULL in the table do not count as hidden.
struct AttributeFindings {
  std::string name;
  std::uint64_t hidden = 0;
  std::uint64_t computed = 0;           // with certainty
  std::uint64_t computed_in_blank = 0;  // of these, in the class that shows nothing
  // Hidden, not computed, but at least this many rows of their classes certainly have a certain value.
  std::uint64_t pinned = 0;
  // Right guesses among the hidden cells: of the most frequent value of the whole column; of the value that
  // is likeliest within the bounds; and of somebody who knows each class's most frequent value.
  std::uint64_t prior_right = 0;
  std::uint64_t guessed_right = 0;
  std::uint64_t best_right = 0;
  bool is_left_out = false;     // too large: only the path was followed, no bounds and no guesses
  bool is_settled = true;       // false: the bounds may be wider than they have to be
  std::uint64_t unsettled = 0;  // classes for which the solver reached its limit
  bool operator==(const AttributeFindings&) const = default;
};

// Predicates that single out exactly one row: "it shows what the class shows, and its hidden cells have the
// values that are guessed". One predicate per class.
struct SinglingOut {
  std::uint64_t predicates = 0;
  std::uint64_t isolating = 0;        // with the guesses of AttributeFindings::guessed_right
  std::uint64_t isolating_prior = 0;  // with the most frequent values of the columns
  bool operator==(const SinglingOut&) const = default;
};

struct Findings {
  std::uint64_t rows = 0;
  std::uint64_t cells = 0;
  std::uint64_t shown = 0;
  std::uint64_t classes = 0;
  std::vector<AttributeFindings> attributes;  // in the tree's order
  std::vector<Claim> claims;                  // by leaf, then by attribute
  SinglingOut singling_out;
  Exactness exactness = Exactness::settled;
  bool operator==(const Findings&) const = default;

  [[nodiscard]] std::uint64_t hidden() const;
  [[nodiscard]] std::uint64_t computed() const;
  [[nodiscard]] std::uint64_t wrong() const;
  [[nodiscard]] std::uint64_t unsettled() const;
  [[nodiscard]] bool is_complete() const;  // no attribute was left out
};

// exact: the solver settles what the bounds leave open (exact.hpp). bounds: a hundredth of the time.
enum class Effort { bounds, exact };

// REQUIRES: the knowledge is of these counts; tree is the knowledge's, with or without its own counts.
[[nodiscard]] Findings attack_tree(const Knowledge& knowledge, const policy::Counts& counts,
                                   Effort effort = Effort::exact);

}  // namespace pgveil::attack
