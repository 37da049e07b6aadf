#pragma once
// Policies whose tables are joined by a pseudonymous key. A domain, such as patient, names what the values of
// the keys are. One policy of the domain has `entity: patient`: its table has one row for each patient. The
// others have facts about patients. They are built together (policy/entity/history.hpp).
#include <span>
#include <vector>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::policy {

// The policies of one domain in one database. The pointers are those that entity_groups was given.
struct EntityGroup {
  const PolicySpec* persons = nullptr;   // the policy with `entity`; never null in a result
  std::vector<const PolicySpec*> facts;  // the others, in the order in which they were given
};

// The column of class key; null: the policy has none. It lives as long as the policy.
[[nodiscard]] const ColumnRule* key_of(const PolicySpec& policy);

// The groups, in the order of their first policies. Policies without a key are in none of them.
// REQUIRES: check_together (spec_reader.hpp) found no error in the policies, and none of a group is missing.
[[nodiscard]] std::vector<EntityGroup> entity_groups(std::span<const PolicySpec* const> policies);

// The three checks give the first error, of kind configuration. spec_reader.cpp calls them.
// What `source`, `entity` and a key ask of the rest of their own policy.
[[nodiscard]] Result<void> check_key(const PolicySpec& policy);
// That two policies don't have the same entity, have one k if they have one domain, and are not over one
// table if one of them has a key. Domains of two databases have nothing to do with each other.
[[nodiscard]] Result<void> check_of_one_domain(const PolicySpec& earlier, const PolicySpec& later);
// That some policy is the entity of each domain. REQUIRES: these are the policies of all files.
[[nodiscard]] Result<void> check_domains(std::span<const PolicySpec> policies);

}  // namespace pgveil::policy
