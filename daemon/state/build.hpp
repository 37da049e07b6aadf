#pragma once
// One build of a policy in the running proxy. The table is counted, the tree is grown from the version
// before, the new version is held against the other policies over the table, and it is published. If somebody
// else stored another version of the policy meanwhile, the build is repeated, a few times at most. BUILD
// POLICY of the console and `rebuild_every` of a policy do this.
#include <memory>
#include <string>

#include "daemon/policies/earlier_version.hpp"
#include "daemon/state/serving_state.hpp"

namespace pgveil::app {

// by: who asked, for the log: "role operator". Errors: those of build_version, release and
// ServingState::publish.
[[nodiscard]] Result<policy::PolicyVersion> build_and_publish(
    ServingState& serving, const std::shared_ptr<const policy::PolicySpec>& spec, Lineage lineage,
    const std::string& by);

}  // namespace pgveil::app
