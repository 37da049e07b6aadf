#pragma once
// What the decisions for a column (decision.hpp) and for a row (row_decision.hpp) have in common. For policy/
// only.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace pgveil::policy {

// How many arms back an arm with an equal outcome is looked for. This bounds the cost of a run of thousands
// of arms with different outcomes.
inline constexpr std::ptrdiff_t kLookBack = 64;

// Consecutive arms of one attribute exclude each other, so within such a run they may be reordered: arms with
// equal outcomes become one, at the place of the first of them.
template <class Arm, class IsSameOutcome>
[[nodiscard]] std::vector<Arm> with_runs_merged(std::vector<Arm> arms, IsSameOutcome is_same_outcome) {
  std::vector<Arm> merged;
  for (Arm& arm : arms) {
    const auto is_end = [&, steps = kLookBack](const Arm& other) mutable {
      return steps-- == 0 || other.attribute != arm.attribute || is_same_outcome(other, arm);
    };
    const auto found = std::find_if(merged.rbegin(), merged.rend(), is_end);
    if (found != merged.rend() && found->attribute == arm.attribute && is_same_outcome(*found, arm)) {
      found->values.push_back(std::move(arm.values.front()));
      found->rows += arm.rows;
    } else {
      merged.push_back(std::move(arm));
    }
  }
  return merged;
}

}  // namespace pgveil::policy
