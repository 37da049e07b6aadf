#pragma once
// The rows of pgveil.version (version_schema.hpp), written by admin_role only. A number is given, and the version made
// current, under the row's lock in one transaction, so numbers rise whoever builds.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/endpoint.hpp"
#include "policy/version.hpp"

namespace pgveil::db {

struct VersionRow {
  std::string policy;
  std::uint64_t number = 0;
  bool is_current = false;
  std::string closed_because;  // when it is not current
  std::string document;        // JSON; empty: never built
};

// All of these: ErrorKind::connection, ::server.
[[nodiscard]] Result<std::vector<VersionRow>> read_version_rows(const Endpoint& admin,
                                                                const std::string& database);
// Differs whenever a row does in policy, number or being current.
[[nodiscard]] Result<std::string> version_rows_stamp(const Endpoint& admin, const std::string& database);

// Gives the version a number of at least `least`, stores it and makes it current. → the version with its number.
[[nodiscard]] Result<policy::PolicyVersion> commit_version(const Endpoint& admin, const std::string& database,
                                                           policy::PolicyVersion version,
                                                           std::uint64_t least);
[[nodiscard]] Result<void> commit_withdrawal(const Endpoint& admin, const std::string& database,
                                             const std::string& policy, const std::string& reason);

// A version that was kept in a file so far, under its own number; closed_because: it was withdrawn. Does nothing when the
// policy has a row. True: it was taken in.
[[nodiscard]] Result<bool> import_version(const Endpoint& admin, const std::string& database,
                                          const policy::PolicyVersion& version,
                                          const std::optional<std::string>& closed_because);

}  // namespace pgveil::db
