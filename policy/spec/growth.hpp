#pragma once
// How far a disclosure tree is grown, and what comes first (tree.hpp has the rules).
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pgveil::policy {

enum class Strategy {
  greedy,  // the paper's
  // The greedy tree, which then also splits off what (nearly) all units of a cohort share, where this shows
  // more cells than it hides. The default.
  thorough
};

inline constexpr std::size_t kMaxPriorities = 8;
inline constexpr std::uint64_t kMaxWeight = 1000;

// A GROUP BY that readers ask, over quasi-identifiers or their levels, and what it matters beside the others.
struct Question {
  std::vector<std::string> columns;
  std::uint64_t weight = 1;
  bool operator==(const Question&) const = default;
};

struct Growth {
  Strategy strategy = Strategy::thorough;
  // The largest number of cohorts. Of all ways to cut chains of the tree short, the one that discloses most
  // cells is taken.
  std::optional<std::uint64_t> max_cohorts = {};
  // Columns whose values are split on before those of all others, the first of them first; levels go with
  // their column. At most kMaxPriorities, each once.
  std::vector<std::string> priority = {};
  // Per column, 1 to kMaxWeight: a split counts so many times its units. 1 where nothing is said. Never
  // together with priority.
  std::map<std::string, std::uint64_t> weights = {};
  // The questions that the tree is to answer best.
  std::vector<Question> workload = {};
};

}  // namespace pgveil::policy
