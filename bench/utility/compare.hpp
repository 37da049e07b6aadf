#pragma once
// The tables that the benchmark prints.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/utility/sets.hpp"

namespace pgveil::bench::utility {

// All methods on the declared questions, and on all other questions of one, two and three columns, of the
// last a sample of so many. `predicted`: the set whose masked tables train the model.
void compare(const Set& set, const Set& predicted, const std::vector<std::uint64_t>& ks, std::size_t sample);

// Above the rows of compare_targets and draw_frontier; questions: as many as are declared.
void print_error_heading(std::size_t questions, bool has_targets);

// All methods on one column that is declared alone, with the mean error in per cent that pgveil should keep.
struct Target {
  std::string column;
  std::uint64_t k = 0;
  double percent = 0;
};
void compare_targets(const Set& set, const std::vector<Target>& targets);

// The error against k on the declared questions, which the table calls `name`.
void draw_frontier(const Set& set, const std::vector<Names>& declared, const std::string& name,
                   const std::vector<std::uint64_t>& ks);

}  // namespace pgveil::bench::utility
