#pragma once
// Checks a level of a policy against the types of its source column and of the column that shows it. For
// policy_check only.
#include <optional>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// REQUIRES: rule.level. A column that the relation does not have is no error here, except the column that is
// to show the level.
[[nodiscard]] std::optional<Error> check_level(const policy::ColumnRule& rule, const Relation& relation);

}  // namespace pgveil::rewriter
