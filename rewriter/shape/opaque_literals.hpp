#pragma once
// Which literals of a text may be opaque by the place in which they stand. Whether they are is found out by
// rewriting the text (verdict_template.hpp).
#include <cstddef>
#include <string_view>

#include "rewriter/shape/text_shape.hpp"

namespace pgveil::rewriter {

// An element for each literal of the shape, true for an operand of an operator, also under a cast to a plain
// type such as date. The elements of IN (…), and the limits of BETWEEN, are operands.
//
// False for a text to which PostgreSQL may give several types, and to a parameter only one: `'2020-01-01
// 12:00' BETWEEN d AND ts` is a date for one limit and a timestamp for the other. That is a text without a
// cast left of IN (…), left of BETWEEN or anywhere in there, and all that is in BETWEEN SYMMETRIC.
//
// All are false if the text is not one SELECT, or reads a system catalog or a function in FROM, or can't be
// parsed: there, values name settings, roles and relations.
[[nodiscard]] OpaqueLiterals opaque_by_place(const TextShape& shape, std::size_t limit_bytes, int nesting);

}  // namespace pgveil::rewriter
