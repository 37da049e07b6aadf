#pragma once
// Checks that query_role has no more rights than it needs. This role runs client SQL, so no gap in the
// rewriter can do more than the role may do. Also names the rights that it lacks.
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/rights/missing_rights.hpp"
#include "db/server/endpoint.hpp"
#include "rewriter/catalog/open_pattern.hpp"

namespace pgveil::db {

struct RoleNeeds {
  std::vector<std::string> tables;              // "schema.table": of policies and open_tables
  std::vector<rewriter::OpenPattern> patterns;  // of open_tables
  std::vector<std::string> accept_excess;       // words of role_excess.hpp
  std::optional<std::string> mask_owner;        // set: masks are views of this role …
  std::vector<std::string> masked_tables;       // … on these; no word accepts that query_role reads them
  std::vector<NeededRead> reads;                // what statements read as query_role
  std::optional<std::string> admin_role;        // its name, to tell whether it is a superuser
  bool evaluates_sources = false;               // admin_role evaluates sources as query_role
  bool stages_rows = false;                     // admin_role makes temporary tables
};

// One line per finding, with the statement that removes the problem.
struct RoleFindings {
  std::vector<std::string> errors;    // excess rights that no word accepts: serve refuses to start
  std::vector<std::string> warnings;  // rights that everybody has by default, and words that accept nothing
  std::vector<MissingRight> missing;  // rights that statements need (missing_rights.hpp)
};

// Reads the rights from grants to the role and to PUBLIC. Rights that come with a membership are covered by
// the word for the membership. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<RoleFindings> check_query_role(const Endpoint& endpoint, const std::string& database,
                                                    const RoleNeeds& needs);

}  // namespace pgveil::db
