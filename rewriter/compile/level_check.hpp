#pragma once
// A level of a policy held against the types of the columns it is of and is shown in. Inside of policy_check.
#include <optional>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// REQUIRES: rule.level. Nothing is said of columns that the relation doesn't have, but of the one that is to
// show the level.
[[nodiscard]] std::optional<Error> check_level(const policy::ColumnRule& rule, const Relation& relation);

}  // namespace pgveil::rewriter
