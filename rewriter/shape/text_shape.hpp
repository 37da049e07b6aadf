#pragma once
// What texts have in common that differ in the values of plain literals only.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pg/plain_literals.hpp"

namespace pgveil::rewriter {

// Which literals of a text are opaque, in the order of the text: nothing of what becomes of the text depends
// on their values, except that they stand in it.
using OpaqueLiterals = std::vector<bool>;

// A text with its plain literals. The text must outlive it.
struct TextShape {
  std::string_view sql;
  std::vector<pg::PlainLiteral> literals;  // not empty

  [[nodiscard]] std::string_view text_of(const pg::PlainLiteral& literal) const {
    return sql.substr(literal.offset, literal.bytes);
  }
};

// nullopt: there is no plain literal, or the scanner is not sure, or the text is longer than limit_bytes or
// is not UTF-8.
[[nodiscard]] std::optional<TextShape> text_shape(std::string_view sql, std::size_t limit_bytes);

// What two texts share if and only if they differ in the values of opaque literals only. In place of an
// opaque literal it has its kind and which earlier one is equal to it, so that a pass that compares literals
// of a text with each other finds the same. It contains NUL, which no text of a client does. REQUIRES: opaque
// is empty, which stands for all, or has an element for each literal.
[[nodiscard]] std::string shape_key(const TextShape& shape, const OpaqueLiterals& opaque);

}  // namespace pgveil::rewriter
