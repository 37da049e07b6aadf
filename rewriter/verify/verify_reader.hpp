#pragma once
// A small interpreter of compiled masks, on rows of texts, for the verifiers of masks. It shares nothing with
// the compiler, and throws Unreadable at anything that a mask never needs.
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pg/ast.hpp"
#include "pg/parse.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// By column name; nullopt: NULL.
using MaskRow = std::map<std::string, std::optional<std::string>, std::less<>>;

struct Unreadable {
  std::string what;  // what was expected
};
[[noreturn]] void fail(std::string what);

// Each of these throws Unreadable when the node is something else.
[[nodiscard]] std::string column_of(const pg::Node* node);  // t.c
[[nodiscard]] const PgQuery__TypeCast& cast_of(const pg::Node* node);
[[nodiscard]] std::string text_constant(const pg::Node* node);
// The elements of the constant '{"a","b"}', each in quotes, in their order.
[[nodiscard]] std::vector<std::string> array_elements(const pg::Node* node);
[[nodiscard]] bool is_typed_null(const pg::Node* node);

// Throws Unreadable unless the select has these clauses only.
void is_plain(const PgQuery__SelectStmt& select, std::initializer_list<std::string_view> clauses);
// Throws Unreadable unless FROM has this relation alone, as t. with_children: without ONLY.
void reads_as_t(const PgQuery__SelectStmt& query, const Relation& relation, bool with_children);

// A cell that is shown where bit & bits == bit: CASE WHEN (t.<decision> & bit) = bit THEN … ELSE NULL END.
struct BitCell {
  const pg::Node* shown = nullptr;
  std::uint64_t bit = 0;  // a power of two
};
[[nodiscard]] BitCell bit_cell(const pg::Node* node, std::string_view decision);

// Reads the expression of a stored decision. Its columns are written as those of t, so that it can be read
// like other decisions. Throws Unreadable unless it is one expression that names columns by their bare names.
[[nodiscard]] pg::Tree read_stored_expression(std::string_view text);
// REQUIRES: the tree is from read_stored_expression.
[[nodiscard]] const pg::Node* expression_of(const pg::Tree& tree);

class MaskReader {
 public:
  // A condition: the column (or its first `length` characters) equals one of the values or lies in one of the
  // ranges.
  struct Range {
    std::optional<std::string> lower;  // inclusive
    std::optional<std::string> upper;  // exclusive
    auto operator<=>(const Range&) const = default;
  };
  struct Test {
    std::string column;
    std::set<std::string, std::less<>> values;
    std::optional<std::uint64_t> length;
    std::set<Range> ranges;
  };
  [[nodiscard]] const Test& test(const pg::Node* condition);

  // What this expression shows for this row: a column (raw, or in canonical form) or a constant; nullopt:
  // NULL.
  struct Shown {
    std::string text;
    bool is_constant = false;
  };
  [[nodiscard]] std::optional<Shown> shown(const pg::Node* node, const MaskRow& row);

  // The number that the row's decision evaluates to. Arms before first_arm (the fence) are skipped.
  [[nodiscard]] std::uint64_t released(const pg::Node* decision, const MaskRow& row, std::size_t first_arm);

 private:
  // The arms of one CASE that ask for one column: by the value that they ask for, the first of them; and
  // those that ask for beginnings or ranges, which are tried in turn, ascending.
  struct ArmsOfColumn {
    std::unordered_map<std::string_view, std::size_t> by_value;
    std::vector<std::pair<std::size_t, const Test*>> others;
  };
  using Arms = std::map<std::string_view, ArmsOfColumn>;

  [[nodiscard]] static Test read_test(const pg::Node* condition);
  [[nodiscard]] static bool is_met(const Test& test, const std::string& text);
  // Throws unless it is a searched CASE with ELSE.
  [[nodiscard]] const Arms& arms_of(const PgQuery__CaseExpr& choice, std::size_t first_arm);
  // What the first arm whose condition is true leads to, or ELSE.
  [[nodiscard]] const pg::Node* taken(const PgQuery__CaseExpr& choice, const MaskRow& row,
                                      std::size_t first_arm = 0);

  // Both are made once of each node: a CASE can have ten thousand arms, and an array as many elements.
  std::unordered_map<const pg::Node*, Test> tests_;
  std::map<std::pair<const PgQuery__CaseExpr*, std::size_t>, Arms> arms_;
};

// Throws unless the first arm of the CASE is WHEN false AND pg_catalog.clock_timestamp() IS NULL THEN 0.
void check_fence(const pg::Node* decision);

}  // namespace pgveil::rewriter
