#pragma once
// Turns a mask into text and its stand-in into a name. For rewriter/mask only.
#include <cstddef>
#include <span>
#include <string>

#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// left_out: ascending positions of columns that may be left out.
[[nodiscard]] std::string text_without(const MaskText& parts, std::span<const std::size_t> left_out);
[[nodiscard]] inline std::string whole_text(const MaskText& parts) {
  return text_without(parts, {});
}

// left_out: for each target of `select` its typed NULL, or null if it is always shown. Throws
// pg::CannotPrint.
[[nodiscard]] MaskText print_mask(PgQuery__SelectStmt& select, std::span<pg::Node* const> left_out);

[[nodiscard]] std::string print_name(const StandInName& name);

}  // namespace pgveil::rewriter
