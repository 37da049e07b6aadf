#pragma once
// The cost model: in which form a statement reads a mask. Only speed depends on it; the verifier takes either
// form anywhere.
#include <cstddef>
#include <span>

#include "rewriter/mask/mask_form.hpp"

namespace pgveil::rewriter {

// For a statement that reads all rows. left_out: positions of the columns that it does not use.
[[nodiscard]] MaskForm cheaper_form(const MaskCosts& costs, std::span<const std::size_t> left_out);

}  // namespace pgveil::rewriter
