#pragma once
// The cost model: in which form a statement reads a mask. Only speed depends on it; the verifier takes either form anywhere.
#include <span>
#include <vector>

#include "rewriter/mask_text.hpp"

namespace pgveil::rewriter {

enum class MaskChoice { cheapest, by_column, by_row };  // the last two are for tests and for comparing plans
enum class LookUps { no, yes };                         // whether masks can be looked up (look_up.hpp)

// Per row, in comparisons with a constant (policy/decision_cost.hpp).
struct MaskCosts {
  std::vector<double> by_column;  // per target of the mask; 0: nothing is decided there
  double by_row = 0;
  double rows = 0;  // of the table when the tree was built
};

// For a statement that reads all rows. left_out: positions of the columns that it does not use.
[[nodiscard]] MaskForm cheaper_form(const MaskCosts& costs, std::span<const std::size_t> left_out);

}  // namespace pgveil::rewriter
