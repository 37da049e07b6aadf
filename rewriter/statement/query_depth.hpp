#pragma once
// Limits how far PostgreSQL has to go for the WITH items of a statement. Before it plans, PostgreSQL puts
// items into the queries that read them, one inside the other, and it cannot be interrupted meanwhile. 2,000
// items in a chain take minutes and a gigabyte; 16 NOT MATERIALIZED items that each read the one before twice
// cost as much.
#include <cstddef>

#include "common/error.hpp"
#include "pg/ast.hpp"

namespace pgveil::rewriter {

inline constexpr std::size_t kMostChainedItems = 100;    // each item reads the one before
inline constexpr std::size_t kMostRepeatedReads = 1000;  // of tables and items, with items in place

// statement: resolved, with definitions in the place of views. Errors: 54001 if it exceeds one of the two
// limits.
[[nodiscard]] Result<void> check_depth(const ProtobufCMessage& statement);

}  // namespace pgveil::rewriter
