#pragma once
// The columns that policies with `enforcement: stored` need in their tables
// (rewriter/mask/stored_decision.hpp). Blocks on PostgreSQL.
#include <string>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "rewriter/snapshot/snapshot.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// The SQL that the table's owner has to run, for the table as it is now. Errors: ErrorKind::policy if the
// policy has another enforcement or must be built first; ::connection, ::server.
[[nodiscard]] Result<std::string> stored_sql(const Config& config, const policy::PolicySpec& spec,
                                             const policy::PolicyVersion& version);

// How the policy's masks are applied now: "query", "copy", "stored", or "query, not stored: why". In the last
// case readers see the same cells, but queries are slower.
[[nodiscard]] std::string enforcement_of(const rewriter::PolicyState& state);

// Logs the policies whose stored columns are not used, and why.
void log_not_stored(const rewriter::Snapshot* snapshot);

}  // namespace pgveil::app
