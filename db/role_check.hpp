#pragma once
// Is query_role as weak as it should be? It carries client SQL: what it may not do, no gap of the rewriter
// can do.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/endpoint.hpp"

namespace pgveil::db {

struct RoleFindings {
  std::vector<std::string> errors;    // serve refuses to start: superuser, replication, BYPASSRLS
  std::vector<std::string> warnings;  // one line each, with the statement that mends it
};

[[nodiscard]] Result<RoleFindings> check_query_role(const Endpoint& endpoint, const std::string& database,
                                                    const std::vector<std::string>& schemas);

}  // namespace pgveil::db
