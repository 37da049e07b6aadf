#pragma once
// Checks the bypass roles, whose statements are passed on without being judged, before anybody is let in as
// one of them.
#include "common/error.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// Errors: a policy names one as a reader or as exempt (nobody is both masked and not); its backend role can't
// log in to a database it may use. One that is a superuser is a warning in the log.
[[nodiscard]] Result<void> check_bypass_roles(const Config& config, const Specs& specs);

}  // namespace pgveil::app
