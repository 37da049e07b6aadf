#pragma once
// Numbers as every PostgreSQL writes them. Since 16, 0x1F, 0o17, 0b101 and 1_000_000 are numbers too. A
// parser that reads them hands the larger ones over as they were written, but an older server would read
// something else, and so would code of ours that compares them.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pgveil::pg {

struct Tree;

// The time to convert one grows with the square of its digits.
inline constexpr std::size_t kMaxDigitsOfOddNumber = 1'000;

// A number's text as PostgreSQL's lexer accepts it, with the same value in decimal digits alone: "0x1_0" is
// "16". A text without such parts stays as it is. nullopt: it has more digits than the limit.
[[nodiscard]] std::optional<std::string> plain_number(std::string_view text);

// Whether there may be such a number in the statement. Also true for some that have none.
[[nodiscard]] bool may_have_odd_numbers(std::string_view sql);

// Makes all numbers of the tree plain. The new texts live in the tree's arena. False: one has too many
// digits.
[[nodiscard]] bool make_numbers_plain(Tree& tree);

}  // namespace pgveil::pg
