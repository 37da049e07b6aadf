#pragma once
// One build in the running proxy: counted, grown from the version before, held against other releases, published. What BUILD POLICY
// of the console and `rebuild_every` of a policy do.
#include <memory>
#include <string>

#include "cli/policies/earlier_version.hpp"
#include "cli/world.hpp"

namespace pgveil::cli {

// by: for the log, "role operator". Errors: those of build_version, check_lineage and World::publish.
[[nodiscard]] Result<policy::PolicyVersion> build_and_publish(
    World& world, const std::shared_ptr<const policy::PolicySpec>& spec, Lineage lineage,
    const std::string& by);

}  // namespace pgveil::cli
