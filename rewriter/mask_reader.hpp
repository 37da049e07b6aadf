#pragma once
// A small interpreter of compiled masks, on rows of texts. For verify_mask only: it shares nothing with the compiler, and
// throws Unreadable at whatever a mask need not hold.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "rewriter/pg/ast.hpp"

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

// The column whose value a cell shows where bit & bits == bit: CASE WHEN (t."pgveil shown" & bit) = bit THEN … ELSE NULL END.
struct BitCell {
  std::string column;
  std::uint64_t bit = 0;  // a power of two
};
[[nodiscard]] BitCell bit_cell(const pg::Node* node);

class MaskReader {
 public:
  // A condition: the column is equal to one of the values.
  struct Test {
    std::string column;
    std::set<std::string, std::less<>> values;
  };
  [[nodiscard]] const Test& test(const pg::Node* condition);

  // The column that this expression shows (raw, or in canonical form) for this row; nullopt: NULL.
  [[nodiscard]] std::optional<std::string> shown(const pg::Node* node, const MaskRow& row);

  // The number that the decision for the row is; its first arm, the fence, is passed over. REQUIRES: check_fence passed.
  [[nodiscard]] std::uint64_t released(const pg::Node* decision, const MaskRow& row);

 private:
  [[nodiscard]] bool holds(const pg::Node* condition, const MaskRow& row);
  // What the first arm that holds leads to, or ELSE. Throws unless it is a searched CASE with ELSE.
  [[nodiscard]] const pg::Node* taken(const PgQuery__CaseExpr& choice, const MaskRow& row,
                                      std::size_t first_arm = 0);

  std::unordered_map<const pg::Node*, Test> tests_;  // read once: an array can have thousands of elements
};

// Throws unless the first arm of the CASE is WHEN false AND pg_catalog.clock_timestamp() IS NULL THEN 0.
void check_fence(const pg::Node* decision);

}  // namespace pgveil::rewriter
