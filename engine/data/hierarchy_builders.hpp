#pragma once
// Hierarchies made by rule instead of written by hand, for the values that a column has. Pure. Each returns
// rows as a hierarchy file would have them; level l is a function of level l − 1 by construction, and the
// last level is one value for all. Offending values (all of them) are in an error's private_detail, because
// they are data.
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

// Numbers into intervals "[a, b)": widths[l − 1] is the width of level l, each a multiple of the one before;
// intervals begin at `origin` plus multiples of the width. What is below `low` becomes "< low", what is not
// below `high` becomes ">= high", and intervals end there. The last level is `*`. All numbers are decimals of
// at most 18 digits without exponent, as text. Errors: values that are no such number; a width that is not
// positive or no multiple; low not below high; no width.
struct Intervals {
  std::string origin = "0";
  std::vector<std::string> widths;
  std::optional<std::string> low, high;
};

// Values in a given order, grouped by neighbours: level l joins group_sizes[l − 1] groups of the level below
// into "first - last"; the last level is `*`. Errors: values that are not in the order; a repeated one; a
// size below 2.
struct Order {
  std::vector<std::string> order;
  std::vector<std::size_t> group_sizes;
};

// Characters (UTF-8 code points) replaced by `*`, from the end (the prefix stays) or from the beginning (the
// suffix stays): masked[l − 1] of them at level l, rising; empty: one more at each level. What would mask all
// is the last level. Shorter values are treated as if `*` filled them up to the longest at the masked side.
// The last level is all `*`. Errors: numbers that do not rise.
enum class KeptSide { prefix, suffix };
struct Masking {
  KeptSide kept = KeptSide::prefix;
  std::vector<std::size_t> masked;
};

// Dates YYYY-MM-DD, with or without a time behind them → day → month YYYY-MM → quarter YYYY-Qn → year →
// decade YYY0s → `*`; only the steps listed, which are in this order. Errors: values that are no date of the
// calendar; steps repeated or out of order; no step.
enum class DateStep { day, month, quarter, year, decade };
struct Dates {
  std::vector<DateStep> steps;
};

// (node, parent) pairs; roots have an empty parent. Level 0 is the deepest; a node above it is repeated from
// below. With more than one root, or nothing but one, a last level `*` is added. Inner nodes may be values
// too. Errors: no node, two parents, a circle, a parent that is no node, values that are not in the tree.
struct Tree {
  std::vector<std::pair<std::string, std::string>> parent_of;
};

using HierarchyRule = std::variant<Intervals, Order, Masking, Dates, Tree>;

// null_text: the value that stands for NULL, if the column has it: unless an order or a tree names it, it
// stays itself up to the last level. Values are distinct, as in Column::values. Errors of kind configuration:
// the rule's own; more than kMaxHeight levels.
[[nodiscard]] Result<Hierarchy> build_hierarchy(const HierarchyRule& rule, std::string_view column,
                                                std::span<const std::string> values,
                                                std::optional<std::string_view> null_text = std::nullopt);

}  // namespace pgveil::engine
