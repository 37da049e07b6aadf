#pragma once
// What the roles that are passed on unjudged have to be before anybody is let in as one.
#include "cli/config/config.hpp"
#include "cli/policies/files.hpp"
#include "common/error.hpp"

namespace pgveil::cli {

// Errors: a policy names one as a reader or as exempt (nobody is both masked and not); its backend role can't log in to
// a database it may use. One that is a superuser is a warning in the log.
[[nodiscard]] Result<void> check_bypass_roles(const Config& config, const Specs& specs);

}  // namespace pgveil::cli
