#pragma once
// The copies behind versions of policies with enforcement: copy. Blocks on PostgreSQL.
#include <functional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/versions/masked_copy.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// Calls `publish`. Then the policy's outdated copies are dropped, or, when publishing failed, the copy that
// no version took up. What can't be dropped is logged and stays until the next build.
[[nodiscard]] Result<policy::PolicyVersion> with_copy_settled(
    const Config& config, const policy::PolicySpec& spec, const policy::PolicyVersion& version,
    const std::function<Result<policy::PolicyVersion>()>& publish);

// Copies of policies that are gone, or answer from a copy no more. None without an admin_role, who alone
// makes copies. Errors: ::connection, ::server.
[[nodiscard]] Result<std::vector<db::MaskedCopy>> stray_copies(const Config& config, const Specs& specs,
                                                               const std::string& database);
// They lose query_role's right and are dropped. What can't be done is logged and tried again the next time.
void retire_stray_copies(const Config& config, const Specs& specs, const std::string& database);

// Is what the policy's readers are answered from still what the build wrote? Reads the copy once; true of a
// version without one. Errors: ::connection, ::server.
[[nodiscard]] Result<bool> is_copy_as_built(const Config& config, const policy::PolicySpec& spec,
                                            const policy::PolicyVersion& version);
inline constexpr std::string_view kCopyChanged = "rows of its masked copy were changed since the build";

}  // namespace pgveil::app
