#pragma once
// Checks whether the backend role of a bypass role can log in, and whether it is a superuser.
#include <string>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

struct BypassFacts {
  bool is_superuser = false;
};

// Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<BypassFacts> check_bypass_login(const Endpoint& endpoint, const std::string& database);

}  // namespace pgveil::db
