#pragma once
// Finds masks in rewritten statements, whatever columns were left out of them.
#include <functional>
#include <string>
#include <vector>

#include "rewriter/mask/masks.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter::test {

// A mask as it stands in a statement.
struct FoundMask {
  const Mask& mask;
  std::vector<std::size_t> left_out;
  std::string table;  // schema.table
  bool is_looked_up = false;
};

// The statement with put(mask) in place of each mask's text.
[[nodiscard]] std::string with_masks_replaced(std::string sql, const std::string& role,
                                              const Snapshot& snapshot,
                                              const std::function<std::string(const FoundMask&)>& put);
// Columns that were left out are back, and rows that a look-up leaves out.
[[nodiscard]] std::string with_whole_masks(std::string sql, const std::string& role,
                                           const Snapshot& snapshot);
// As the verifier saw the statement.
[[nodiscard]] std::string with_stand_ins(std::string sql, const std::string& role, const Snapshot& snapshot);

// Is this SelectStmt a stand-in?
[[nodiscard]] bool is_stand_in(const ProtobufCMessage& message);

}  // namespace pgveil::rewriter::test
