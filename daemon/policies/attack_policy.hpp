#pragma once
// Attacks the current version of a policy the way its readers could (attack/report.hpp), and compares each
// claim with the rows of its table. For `pgveil attack` and ATTACK POLICY. Blocks on PostgreSQL.
#include <string>
#include <vector>

#include "attack/report.hpp"
#include "common/error.hpp"
#include "daemon/policies/stored_policy.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// specs: all policies, of which some may be over the same table. knows: columns that an attacker knows of
// every person; empty: this attack is left out, and the report says so. earlier: versions of the policy whose
// answers readers kept. Errors: the policy shows the rows of
// a source or of an entity, was edited since its version was built, or its table has changed, kind policy; a
// known column that is no quasi-identifier, kind usage; those of reading the table and the versions, and
// of attack_earlier_versions.
[[nodiscard]] Result<attack::AttackReport> attack_policy(const Config& config, const Specs& specs,
                                                         const StoredPolicy& stored,
                                                         const std::vector<std::string>& knows,
                                                         const std::vector<policy::PolicyVersion>& earlier);

}  // namespace pgveil::app
