#include "rewriter/mask/mask_form.hpp"

namespace pgveil::rewriter {
namespace {

// Costs in comparisons: one more plan node, per row; testing a bit, per row; planning the inner sub-select,
// once per statement. Fitted to ADULT × 34 with 467 and 2,674 cohorts (bench/masks).
constexpr double kNode = 1.5;
constexpr double kBit = 0.5;
constexpr double kPlanning = 10'000;

// What starting a statement on bitmaps and reading a row by them costs, in comparisons that are made ready
// (each takes some 0.3 µs in PostgreSQL 15). The text counts, because a plan is not always kept.
constexpr double kBitmaps = 40;
constexpr double kBytesPerTest = 512;

}  // namespace

MaskForm cheaper_form(const MaskCosts& costs, std::span<const std::size_t> uses) {
  double by_column = 0;
  double by_row = costs.by_row + kNode;
  for (std::size_t i = 0; i < costs.by_column.size(); ++i) {
    if (costs.by_column[i] == 0) continue;
    const auto times = static_cast<double>(uses[i]);
    by_column += times * costs.by_column[i];
    by_row += times * kBit;
  }
  return (by_column - by_row) * costs.rows > kPlanning ? MaskForm::by_row : MaskForm::by_column;
}

MaskForm cheaper_form_of_one_row(const MaskCosts& costs, std::span<const std::size_t> uses) {
  double by_column = 0;
  for (std::size_t i = 0; i < costs.written.size(); ++i)
    by_column += static_cast<double>(uses[i]) * costs.written[i];
  const double by_bitmap = kBitmaps + costs.bitmap_bytes / kBytesPerTest;
  return by_column > by_bitmap ? MaskForm::by_bitmap : MaskForm::by_column;
}

}  // namespace pgveil::rewriter
