#pragma once
// What readers see of one tree and of another: which combinations of values are shown, and on how many rows.
// Pure.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// By column name: the values that a cohort shows. Cohorts of one tree differ in it.
using ShownValues = std::map<std::string, std::string>;

struct CohortSize {
  std::uint64_t rows = 0;
  std::uint64_t units = 0;
  bool operator==(const CohortSize&) const = default;
};

struct CohortChange {
  ShownValues shows;
  std::optional<CohortSize> before;  // nullopt: the combination is new
  std::optional<CohortSize> after;   // nullopt: it is shown no more
};

struct TreeDiff {
  std::uint64_t same = 0;             // cohorts that both have, in one size
  std::vector<CohortChange> changes;  // by shown values, column by column
};

// The trees may be over different columns.
[[nodiscard]] TreeDiff diff_trees(const DisclosureTree& before, const DisclosureTree& after);

}  // namespace pgveil::policy
