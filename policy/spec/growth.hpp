#pragma once
// How far a disclosure tree is grown (tree.hpp has the rules).
#include <cstdint>
#include <optional>

namespace pgveil::policy {

enum class Strategy {
  greedy,  // the paper's
  // The greedy tree, which then also splits off what (nearly) all units of a cohort share, where this shows
  // more cells than it hides. The default.
  thorough
};

struct Growth {
  Strategy strategy = Strategy::thorough;
  // The largest number of cohorts. Of all ways to cut chains of the tree short, the one that discloses most
  // cells is taken.
  std::optional<std::uint64_t> max_cohorts = {};
};

}  // namespace pgveil::policy
