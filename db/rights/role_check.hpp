#pragma once
// Is query_role as weak as it should be? It carries client SQL: what it may not do, no gap of the rewriter
// can do.
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

struct RoleNeeds {
  std::vector<std::string> tables;         // "schema.table": of policies and open_tables
  std::vector<std::string> accept_excess;  // words of role_excess.hpp
  std::optional<std::string> mask_owner;   // masks are views of this role …
  std::vector<std::string> masked_tables;  // … on these, which query_role must not read: no word accepts that
};

// One line each, with the statement that mends it.
struct RoleFindings {
  std::vector<std::string> errors;    // rights too many that no word accepts: serve refuses to start
  std::vector<std::string> warnings;  // what everybody may do by default, and words that accept nothing
};

// Rights are read from grants to the role and to PUBLIC; what comes by a membership is the membership's word.
// Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<RoleFindings> check_query_role(const Endpoint& endpoint, const std::string& database,
                                                    const RoleNeeds& needs);

}  // namespace pgveil::db
