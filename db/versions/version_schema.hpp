#pragma once
// The schema pgveil of a served database: the table of current versions and the function that masks ask (the
// version guard). One place decides which version holds, for all proxies, pools, old snapshots and standbys.
// setup-sql prints the SQL; nothing is used before it was compared with what is shipped here.
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "rewriter/catalog/own_schema.hpp"

namespace pgveil::db {

// What pgveil.guard raises with, so that the proxy knows it from all other errors: no client can choose an
// SQLSTATE.
inline constexpr std::string_view kOtherVersionState = "PV001";  // another version is current: run it again
inline constexpr std::string_view kNoVersionState = "PV002";     // withdrawn, or never built

// Statements for psql, or for one simple query, each ending in ";\n". Running them again changes nothing.
// REQUIRES: the roles exist; who runs it may create schemas in the database.
[[nodiscard]] std::string version_schema_sql(const std::string& query_role, const std::string& admin_role);

// query: logs in as query_role, whose rights are what is judged. Errors: ErrorKind::configuration when the
// schema is there but not as it was shipped, or when query_role could change it: nothing may be answered
// then.
[[nodiscard]] Result<rewriter::VersionGuard> inspect_version_schema(const Endpoint& query,
                                                                    const std::string& database);

// Creates the schema if it is absent and `admin` may create schemas in the database. True: it was created.
[[nodiscard]] Result<bool> create_version_schema_if_allowed(const Endpoint& admin,
                                                            const std::string& database,
                                                            const std::string& query_role);

}  // namespace pgveil::db
