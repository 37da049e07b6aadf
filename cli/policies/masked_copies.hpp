#pragma once
// The copies behind versions of policies with enforcement: copy. Blocks on PostgreSQL.
#include <functional>
#include <string>

#include "cli/config/config.hpp"
#include "common/error.hpp"
#include "policy/spec.hpp"
#include "policy/version.hpp"

namespace pgveil::cli {

// Calls `publish`. Then the policy's outdated copies are dropped, or, when publishing failed, the copy that no version took up. What can't
// be dropped is logged and stays until the next build.
[[nodiscard]] Result<policy::PolicyVersion> with_copy_settled(
    const Config& config, const policy::PolicySpec& spec, const policy::PolicyVersion& version,
    const std::function<Result<policy::PolicyVersion>()>& publish);

}  // namespace pgveil::cli
