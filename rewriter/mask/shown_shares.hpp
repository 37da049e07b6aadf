#pragma once
// Counts from the tree which share of a table's rows a masked column shows. PostgreSQL has no statistics on
// a mask, so conditions are written by these shares (pipeline/put_estimates.hpp).
#include "policy/tree/tree.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// What PostgreSQL expects of a comparison with one value of an expression that it knows nothing of: one of
// 200 values (selfuncs.c: DEFAULT_NUM_DISTINCT, DEFAULT_EQ_SEL).
inline constexpr double kShareOfOneValue = 0.005;

[[nodiscard]] ShownShares shown_shares(const policy::DisclosureTree& tree, const Relation& relation);

}  // namespace pgveil::rewriter
