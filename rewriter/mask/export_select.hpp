#pragma once
// The SELECT that an export runs, as SQL text: the masking sub-select of a given tree, without the guard,
// because the exporter reads the shape in its own transaction.
#include <string>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/tree.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// All columns of the relation, in order, masked. REQUIRES: check_policy found no error.
[[nodiscard]] Result<std::string> export_select_sql(const policy::PolicySpec& spec,
                                                    const policy::DisclosureTree& tree,
                                                    const Relation& relation);

}  // namespace pgveil::rewriter
