#pragma once
// Finds the literals of a text without PostgreSQL's scanner, which takes longer than everything else that is
// done with a text whose form is known. It reads plain SQL only, and says that it is not sure of the rest.
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace pgveil::pg {

struct PlainLiteral {
  // text: '…' with '' for a quote, no backslash. The others are decimal digits without a sign and without
  // leading zeros: integer: 1 to 2147483647. large: above that, of up to 18 digits. decimal: with one point
  // between digits, of up to 30 characters. The grammar sees SCONST, ICONST, FCONST and FCONST.
  enum class Kind : char { text = 't', integer = 'i', large = 'l', decimal = 'd' };
  Kind kind = Kind::text;
  std::size_t offset = 0;  // in bytes, of the first character of its notation
  std::size_t bytes = 0;   // of its notation, with quotes
  bool operator==(const PlainLiteral&) const = default;
};

inline constexpr std::size_t kMostPlainLiterals = 1'000;

// The literals of these kinds, ascending; other numbers, such as 0 and 007, belong to the text around them.
// PostgreSQL's scanner finds the same tokens at the same places. It still does if literals are replaced by
// others of their kinds, and the tokens around them stay what they are. Assumes standard_conforming_strings =
// on. nullopt: not sure, for example of E'…', $$…$$, 1e5, a backslash, NUL or a comment in a comment. Or the
// text has more than kMostPlainLiterals.
[[nodiscard]] std::optional<std::vector<PlainLiteral>> plain_literals(std::string_view sql);

}  // namespace pgveil::pg
