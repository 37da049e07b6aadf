#pragma once
// One build of a policy in the running proxy. It counts the table, grows the tree from the previous version,
// compares the new version with the other policies over the table, and publishes it. If another version of
// the policy was stored meanwhile, the build is repeated, a few times at most. The console's BUILD POLICY and
// a policy's `rebuild_every` use this.
#include <memory>
#include <string>

#include "daemon/policies/earlier_version.hpp"
#include "daemon/state/serving_state.hpp"

namespace pgveil::app {

// The outcome is kept in ServingState::failed_builds() for all policies that are built together.
//
// by: who asked, for the log, for example "role operator". Errors: those of build_version, release and
// ServingState::publish.
[[nodiscard]] Result<policy::PolicyVersion> build_and_publish(
    ServingState& serving, const std::shared_ptr<const policy::PolicySpec>& spec, Lineage lineage,
    const std::string& by);

}  // namespace pgveil::app
