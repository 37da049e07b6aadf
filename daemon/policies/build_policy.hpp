#pragma once
// Builds what belongs together: one policy, or all policies over the tables of an entity, whose pseudonyms
// and histories are chosen together (docs/entity.md). Blocks on PostgreSQL. The console, the page and the
// command line use this; release() in lineage.hpp then makes the versions current.
#include <memory>
#include <string>
#include <vector>

#include "daemon/policies/build_progress.hpp"
#include "daemon/policies/earlier_version.hpp"
#include "daemon/policies/lineage.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// The policies that are built together with this one, itself included: the entity's table first, then the
// others in the order of the files. A policy without a key is alone.
[[nodiscard]] Specs built_with(const Specs& specs, const std::shared_ptr<const policy::PolicySpec>& spec);

// The candidates in the order of built_with(). Copies of a failed build are dropped. The caller must release
// the candidates, which drops the copies if it fails. Errors: those of build_version; ErrorKind::policy for
// tables that can be joined to it, for sources that may not be evaluated, and for keys that don't tell the
// members of the entity apart.
[[nodiscard]] Result<std::vector<Candidate>> build_policy(
    const Config& config, const Specs& specs, const std::shared_ptr<const policy::PolicySpec>& spec,
    Lineage lineage, const BuildProgress& progress);

}  // namespace pgveil::app
