#pragma once
// How far PostgreSQL has to go for the WITH items of a statement. It puts items into the queries that read
// them, one in the other, before it plans, and can't be interrupted while it does: 2,000 items in a chain
// take minutes and a gigabyte, and items that each read the one before twice, NOT MATERIALIZED, as much with
// 16 of them.
#include <cstddef>

#include "common/error.hpp"
#include "pg/ast.hpp"

namespace pgveil::rewriter {

inline constexpr std::size_t kMostChainedItems = 100;    // each reads the one before
inline constexpr std::size_t kMostRepeatedReads = 1000;  // of tables and items, once items are put in place

// statement: resolved, with definitions in the place of views. An Error (54001): it crosses one of the two.
[[nodiscard]] Result<void> check_depth(const ProtobufCMessage& statement);

}  // namespace pgveil::rewriter
