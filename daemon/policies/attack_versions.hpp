#pragma once
// Attacks the current version of a policy together with earlier ones (attack/over_versions.hpp). pgveil keeps
// the current version only, so earlier ones come from files that the owner kept. Blocks on PostgreSQL.
#include <optional>
#include <string>
#include <vector>

#include "attack/over_versions.hpp"
#include "common/error.hpp"
#include "daemon/policies/stored_policy.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// Versions over other rows are not compared, nor are those that ask about columns which the table no longer
// has. Whole sentences about them are added to not_tried. nullopt: none is left. Errors: one of them is not
// an earlier version of this policy over this table, kind usage; those of counting the table.
[[nodiscard]] Result<std::optional<attack::OverVersions>> attack_earlier_versions(
    const Config& config, const StoredPolicy& stored, const std::vector<policy::PolicyVersion>& earlier,
    std::vector<std::string>& not_tried);

}  // namespace pgveil::app
