#pragma once
// The schema pgveil of a served database: the table of current versions and the function that masks call (the
// version guard). It is the one place that decides which version holds, for all proxies, pools, old snapshots
// and standbys. setup-sql prints the SQL. Nothing in the schema is used before it was compared with what is
// shipped here.
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "rewriter/catalog/own_schema.hpp"

namespace pgveil::db {

// The SQLSTATEs that pgveil.guard raises. No client can choose an SQLSTATE, so the proxy can tell these
// errors from all others.
inline constexpr std::string_view kOtherVersionState = "PV001";  // another version is current: run it again
inline constexpr std::string_view kNoVersionState = "PV002";     // withdrawn, or never built

// Statements for psql or for one simple query, each ending in ";\n". Running them again changes nothing.
// REQUIRES: the roles exist; the role that runs them may create schemas in the database.
[[nodiscard]] std::string version_schema_sql(const std::string& query_role, const std::string& admin_role);

// query: logs in as query_role, whose rights are judged. Errors: ErrorKind::configuration if the schema
// exists but differs from what is shipped, or if query_role could change it. Then nothing may be answered.
[[nodiscard]] Result<rewriter::VersionGuard> inspect_version_schema(const Endpoint& query,
                                                                    const std::string& database);

// Creates the schema if it is absent and `admin` may create schemas in the database. True: it was created.
[[nodiscard]] Result<bool> create_version_schema_if_allowed(const Endpoint& admin,
                                                            const std::string& database,
                                                            const std::string& query_role);

}  // namespace pgveil::db
