#pragma once
// One policy against what surrounds its table, as far as the catalog alone tells: units, keys, indexes. What
// needs counting is in daemon/policies/release_findings.hpp.
#include <vector>

#include "common/finding.hpp"
#include "policy/spec/spec.hpp"
#include "review/owner_decisions.hpp"
#include "rewriter/catalog/surroundings.hpp"

namespace pgveil::review {

// REQUIRES: the policy is for the catalog's database; its table exists.
[[nodiscard]] std::vector<Finding> check_release(const policy::PolicySpec& spec,
                                                 const rewriter::Relation& relation,
                                                 const OwnerDecisions& standings,
                                                 const rewriter::Surroundings& surroundings);

// Does it seem to be a table of persons? One with a policy is; else by its name and those of its columns.
[[nodiscard]] bool is_person_like(const rewriter::Relation& relation, const OwnerDecisions& standings);

// The severity of what tells the order of hidden values: a note when the policy accepts it by name.
[[nodiscard]] Finding order_finding(const policy::PolicySpec& spec, FindingKind kind, std::string what);

}  // namespace pgveil::review
