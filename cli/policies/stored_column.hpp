#pragma once
// The columns that policies with enforcement: stored want in their tables (rewriter/stored_decision.hpp). Blocks on PostgreSQL.
#include <string>

#include "cli/config/config.hpp"
#include "common/error.hpp"
#include "policy/spec.hpp"
#include "policy/version.hpp"
#include "rewriter/snapshot.hpp"

namespace pgveil::cli {

// What the owner of the table runs, by the table as it is now. Errors: ErrorKind::policy: another enforcement, or a build is needed first;
// ::connection, ::server.
[[nodiscard]] Result<std::string> stored_sql(const Config& config, const policy::PolicySpec& spec,
                                             const policy::PolicyVersion& version);

// How the policy's masks are made now: "query", "copy", "stored", or "query, not stored: why". Masks that were to be stored and are not show the same, slower.
[[nodiscard]] std::string enforcement_of(const rewriter::PolicyState& state);

// Policies whose column is not read go to the log, with the reason.
void log_not_stored(const rewriter::Snapshot* snapshot);

}  // namespace pgveil::cli
