#pragma once
// The ways to mask a table that are compared at the same k.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/utility/masked.hpp"
#include "bench/utility/sets.hpp"

namespace pgveil::bench::utility {

struct Method {
  std::string name;
  bool is_tree = true;  // cells are exact or hidden, and read strictly
  std::function<Masked(const Set&, std::uint64_t k)> mask;
};

[[nodiscard]] Method greedy_tree();
[[nodiscard]] Method thorough_tree();
[[nodiscard]] Method priority_tree(const std::string& column);
// The tree that is made for these questions, which all weigh the same.
[[nodiscard]] Method workload_tree(const std::vector<Names>& questions);
// The same, but each single column is asked for too, with a tenth of the weight of a question.
[[nodiscard]] Method broad_workload_tree(const std::vector<Names>& questions);
// Full domain with 0 and 5 % suppression, the latter also with the columns of the questions favoured, and
// Mondrian strict and relaxed.
[[nodiscard]] std::vector<Method> generalizations(const std::vector<Names>& questions);

}  // namespace pgveil::bench::utility
