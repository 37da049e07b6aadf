#pragma once
// The ways in which a mask is written and read, and the cost model that chooses between them. Plain values
// and pure functions. Only speed depends on the choice: the verifier accepts each form anywhere.
#include <cstddef>
#include <span>
#include <vector>

namespace pgveil::rewriter {

// What takes a stand-in's place: the mask's text, or a SELECT from its view (mask_view.hpp).
enum class MaskSource { text, view };

// How a mask is written: with a decision in each column, or with one decision per row in a sub-query, which
// the columns look at (mask_row.hpp). by_bitmap makes that decision with an AND of bitmaps
// (mask_bitmap.hpp). All show the same.
enum class MaskForm { by_column, by_row, by_bitmap };

// All but cheapest are for tests and for comparing plans.
enum class MaskChoice { cheapest, by_column, by_row, by_bitmap };
// For which tables conditions are written so that PostgreSQL can estimate them (pipeline/put_estimates.hpp).
enum class Estimates { none, large_tables, all_tables };  // the last one is for tests
enum class LookUps { no, yes };                           // whether masks can be looked up (look_up.hpp)

// The work per row, in comparisons with a constant (policy/decision/decision_cost.hpp).
struct MaskCosts {
  std::vector<double> by_column;  // per target of the mask; 0: nothing is decided there
  double by_row = 0;
  double rows = 0;  // of the table when the tree was built
  // The comparisons that are written, per target of the mask. The server makes each of them ready when a
  // statement starts, even if it reads one row.
  std::vector<double> written;
  double bitmap_bytes = 0;  // the length of the text by bitmaps
};

// The cheaper form for a statement that reads all rows. uses: per target of the mask, how often a row's cell
// is computed if it is written by column; 0: the statement does not use it.
[[nodiscard]] MaskForm cheaper_form(const MaskCosts& costs, std::span<const std::size_t> uses);

// The cheaper form for a statement that reads one row. REQUIRES: the mask has the form by_bitmap.
[[nodiscard]] MaskForm cheaper_form_of_one_row(const MaskCosts& costs, std::span<const std::size_t> uses);

}  // namespace pgveil::rewriter
