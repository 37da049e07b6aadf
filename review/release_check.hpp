#pragma once
// Checks one policy against the surroundings of its table, as far as the catalog alone tells: units, keys,
// indexes. What needs counting is in daemon/policies/release_findings.hpp.
#include <optional>
#include <string>
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

// What check says of a policy whose source is a SELECT, whether or not it was built: tools do not list it.
// nullopt: it is none.
[[nodiscard]] std::optional<Finding> unlisted_source(const policy::PolicySpec& spec);

// Whether it seems to be a table of persons. A table with a policy is one; others are judged by their name
// and the names of their columns.
[[nodiscard]] bool is_person_like(const rewriter::Relation& relation, const OwnerDecisions& standings);

// A finding about something that tells the order of hidden values. It is a note if the policy accepts that by
// name.
[[nodiscard]] Finding order_finding(const policy::PolicySpec& spec, FindingKind kind, std::string what);

}  // namespace pgveil::review
