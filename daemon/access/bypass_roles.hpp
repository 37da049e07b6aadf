#pragma once
// Checks the bypass roles before any client logs in as one of them. Their statements are passed on without
// being judged.
#include "common/error.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// Errors: a policy names a bypass role as a reader or as exempt (no role may be both masked and not); its
// backend role cannot log in to a database that it may use. A backend role that is a superuser causes a
// warning in the log.
[[nodiscard]] Result<void> check_bypass_roles(const Config& config, const Specs& specs);

}  // namespace pgveil::app
