#pragma once
// A small interpreter of compiled masks, on rows of texts, for what verifies masks. It shares nothing with
// the compiler, and throws Unreadable at whatever a mask need not hold.
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "pg/ast.hpp"
#include "pg/parse.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// By name of the column; nullopt: NULL.
using MaskRow = std::map<std::string, std::optional<std::string>, std::less<>>;

struct Unreadable {
  std::string what;  // expected
};
[[noreturn]] void fail(std::string what);

// Each throws Unreadable when it is none.
[[nodiscard]] std::string column_of(const pg::Node* node);  // t.c
[[nodiscard]] const PgQuery__TypeCast& cast_of(const pg::Node* node);
[[nodiscard]] std::string text_constant(const pg::Node* node);
[[nodiscard]] bool is_typed_null(const pg::Node* node);

// The select has nothing but these clauses.
void is_plain(const PgQuery__SelectStmt& select, std::initializer_list<std::string_view> clauses);
// FROM this relation alone, as t; with_children: not ONLY.
void reads_as_t(const PgQuery__SelectStmt& query, const Relation& relation, bool with_children);

// A cell that is shown where bit & bits == bit: CASE WHEN (t.<decision> & bit) = bit THEN … ELSE NULL END.
struct BitCell {
  const pg::Node* shown = nullptr;
  std::uint64_t bit = 0;  // a power of two
};
[[nodiscard]] BitCell bit_cell(const pg::Node* node, std::string_view decision);

// The expression of a stored decision, its columns written as those of t, so that it can be read like the
// others. Throws Unreadable unless it is one expression that names columns by their bare names.
[[nodiscard]] pg::Tree read_stored_expression(std::string_view text);
// REQUIRES: of such a tree.
[[nodiscard]] const pg::Node* expression_of(const pg::Tree& tree);

class MaskReader {
 public:
  // A condition: the column (or its first characters, if `length`) is equal to one of the values, or in one
  // of the ranges.
  struct Range {
    std::optional<std::string> lower;  // in it
    std::optional<std::string> upper;  // not in it
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

  // The number that the decision for the row is; arms before first_arm (the fence) are passed over.
  [[nodiscard]] std::uint64_t released(const pg::Node* decision, const MaskRow& row, std::size_t first_arm);

 private:
  [[nodiscard]] static Test read_test(const pg::Node* condition);
  [[nodiscard]] bool is_met(const pg::Node* condition, const MaskRow& row);
  // What the first arm that holds leads to, or ELSE. Throws unless it is a searched CASE with ELSE.
  [[nodiscard]] const pg::Node* taken(const PgQuery__CaseExpr& choice, const MaskRow& row,
                                      std::size_t first_arm = 0);

  std::unordered_map<const pg::Node*, Test> tests_;  // read once: an array can have thousands of elements
};

// Throws unless the first arm of the CASE is WHEN false AND pg_catalog.clock_timestamp() IS NULL THEN 0.
void check_fence(const pg::Node* decision);

}  // namespace pgveil::rewriter
