#pragma once
// One policy against what surrounds its table, as far as the catalog alone tells: units, keys, indexes. What needs
// counting is in cli/policies/release_findings.hpp.
#include <vector>

#include "common/finding.hpp"
#include "policy/spec.hpp"
#include "rewriter/standing.hpp"
#include "rewriter/surroundings.hpp"

namespace pgveil::rewriter {

// REQUIRES: the policy is for the catalog's database; its table exists.
[[nodiscard]] std::vector<Finding> check_release(const policy::PolicySpec& spec, const Relation& relation,
                                                 const Standings& standings,
                                                 const Surroundings& surroundings);

// The severity of what tells the order of hidden values: a note when the policy accepts it by name.
[[nodiscard]] Finding order_finding(const policy::PolicySpec& spec, FindingKind kind, std::string what);

}  // namespace pgveil::rewriter
