#pragma once
// Manages the copies behind versions of policies with enforcement: copy. Blocks on PostgreSQL.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/versions/masked_copy.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// Drops the copies that are outdated once this version, which may have a copy, is current. A copy that cannot
// be dropped is logged and stays until the next build.
void drop_outdated(const Config& config, const policy::PolicySpec& spec,
                   const policy::PolicyVersion& version);
// Drops the copy of a version that is not published.
void drop_unpublished(const Config& config, const policy::PolicySpec& spec,
                      const policy::PolicyVersion& version);

// Copies of policies that no longer exist or no longer answer from a copy. Empty without an admin_role,
// because only that role makes copies. Errors: ::connection, ::server.
[[nodiscard]] Result<std::vector<db::MaskedCopy>> stray_copies(const Config& config, const Specs& specs,
                                                               const std::string& database);
// Takes query_role's right to read these copies away and drops them. What fails is logged and tried again the
// next time.
void retire_stray_copies(const Config& config, const Specs& specs, const std::string& database);

// Whether the rows that the policy's readers get are still those that the build wrote. Reads the copy once.
// True for a version without a copy. Errors: ::connection, ::server.
[[nodiscard]] Result<bool> is_copy_as_built(const Config& config, const policy::PolicySpec& spec,
                                            const policy::PolicyVersion& version);
inline constexpr std::string_view kCopyChanged = "rows of its masked copy were changed since the build";

}  // namespace pgveil::app
