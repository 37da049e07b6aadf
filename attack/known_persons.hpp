#pragma once
// Somebody who knows some columns of every person from elsewhere (a voters' list) and the tree: which classes
// a person's row can be in, and what all of these show or let compute. k limits how precisely a row is found;
// it does not keep such a reader from reading a shown value off all rows that may be the person's.
#include <cstdint>
#include <string>
#include <vector>

#include "attack/findings.hpp"

namespace pgveil::attack {

struct KnownPersons {
  std::vector<std::string> columns;  // that are known, levels included
  std::uint64_t persons = 0;         // rows of the table
  std::uint64_t unique = 0;          // persons who are alone with what is known of them
  std::uint64_t in_one_class = 0;    // persons whose class is certain
  std::uint64_t fewest_rows = 0;     // the smallest number of rows that may be a person's
  std::uint64_t unknown_cells = 0;   // of the other columns, not NULL
  std::uint64_t learnt = 0;          // of these, certain: one value in all classes that are possible
  std::uint64_t wrong = 0;           // cells that were claimed wrongly; 0, or this code has a bug
  bool is_left_out = false;          // there were more ways to look at than kMostWays; nothing was counted
  bool operator==(const KnownPersons&) const = default;
};
inline constexpr std::uint64_t kMostWays = 400'000'000;

// known: attributes of the tree. found: of the same knowledge and counts.
[[nodiscard]] KnownPersons attack_known(const Knowledge& knowledge, const policy::Counts& counts,
                                        const Findings& found, const std::vector<std::uint32_t>& known);

}  // namespace pgveil::attack
