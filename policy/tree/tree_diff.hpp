#pragma once
// Compares what readers see of two trees: which combinations of values are shown, and on how many rows. Pure.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// By column name: the values that a cohort shows. No two cohorts of one tree show the same values.
using ShownValues = std::map<std::string, std::string>;

struct CohortSize {
  std::uint64_t rows = 0;
  std::uint64_t units = 0;
  bool operator==(const CohortSize&) const = default;
};

struct CohortChange {
  ShownValues shows;
  std::optional<CohortSize> before;  // nullopt: the combination is new
  std::optional<CohortSize> after;   // nullopt: it is no longer shown
};

struct TreeDiff {
  std::uint64_t same = 0;             // cohorts that both trees have, with the same size
  std::vector<CohortChange> changes;  // sorted by shown values, column by column
};

// The trees may be over different columns.
[[nodiscard]] TreeDiff diff_trees(const DisclosureTree& before, const DisclosureTree& after);

}  // namespace pgveil::policy
