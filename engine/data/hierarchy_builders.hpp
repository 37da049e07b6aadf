#pragma once
// Hierarchies made by a rule for the values that a column has. Pure. Each builder returns rows as a hierarchy
// file would have them. By construction level l is a function of level l − 1, and the last level is one value
// for all. All offending values are in an error's private_detail, because they are data.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/data/hierarchy.hpp"

namespace pgveil::engine {

// Generalizes numbers to intervals "[a, b)". widths[l − 1] is the width at level l; each is a multiple of the
// one before. Intervals begin at `origin` plus multiples of the width. A number below `low` becomes "< low",
// and one not below `high` becomes ">= high"; intervals end there. The last level is `*`. All numbers are
// decimals of at most 18 digits without exponent, as text. Errors: values that are no such number; a width
// that is not positive or no multiple; `low` not below `high`; no width.
struct Intervals {
  std::string origin = "0";
  std::vector<std::string> widths;
  std::optional<std::string> low, high;
};

// Groups neighbours of a given order. Level l joins group_sizes[l − 1] groups of the level below into "first
// - last"; the last level is `*`. Errors: values that are not in the order; a value that is repeated in it; a
// size below 2.
struct Order {
  std::vector<std::string> order;
  std::vector<std::size_t> group_sizes;
};

// Replaces characters (UTF-8 code points) by `*`, from the end (the prefix stays) or from the beginning (the
// suffix stays). masked[l − 1] characters are masked at level l, and the numbers rise; empty: one more at
// each level. The level that would mask everything is the last one, and it is all `*`. Shorter values are
// treated as if `*` filled them up to the length of the longest on the masked side. Errors: numbers that do
// not rise.
enum class KeptSide { prefix, suffix };
struct Masking {
  KeptSide kept = KeptSide::prefix;
  std::vector<std::size_t> masked;
};

// Generalizes dates YYYY-MM-DD, with or without a time after them: day → month YYYY-MM → quarter YYYY-Qn →
// year → decade YYY0s → `*`. Only the listed steps are taken, and they must be in this order. Errors: values
// that are no date of the calendar; steps that are repeated or out of order; no step.
enum class DateStep { day, month, quarter, year, decade };
struct Dates {
  std::vector<DateStep> steps;
};

// (node, parent) pairs; roots have an empty parent. Level 0 is the deepest. A node at a higher level is
// repeated on the levels below. If there is more than one root, or only a single node, a last level `*` is
// added. Inner nodes may be values too. Errors: no node; a node with two parents; a cycle; a parent that is
// no node; values that are not in the tree.
struct Tree {
  std::vector<std::pair<std::string, std::string>> parent_of;
};

// The characters of a text as Masking counts them.
[[nodiscard]] std::size_t characters(std::string_view text);

using HierarchyRule = std::variant<Intervals, Order, Masking, Dates, Tree>;

// null_text: the value that stands for NULL, if the column has it. Unless an order or a tree names it, it
// stays unchanged up to the last level. Values are distinct, as in Column::values. Errors of kind
// configuration: those of the rule; more than kMaxHeight levels, before anything of that size is built.
[[nodiscard]] Result<Hierarchy> build_hierarchy(const HierarchyRule& rule, std::string_view column,
                                                std::span<const std::string> values,
                                                std::optional<std::string_view> null_text = std::nullopt);

}  // namespace pgveil::engine
