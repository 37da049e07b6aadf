#pragma once
// The rows of pgveil.version (version_schema.hpp), written by admin_role only. A version is made current in
// one transaction under a lock that one writer has at a time, and only if what it was judged by is still
// stored. So numbers rise whoever builds, and two versions cannot be stored without regard to each other. The
// lock ends with the transaction, also if the process that holds it dies.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "policy/version/version.hpp"

namespace pgveil::db {

struct VersionRow {
  std::string policy;
  std::uint64_t number = 0;
  bool is_current = false;
  std::string closed_because;  // when it is not current
  std::string digest;          // of the document
  std::string document;        // JSON; empty: never built, or `is_known`
  bool is_known = false;       // the document is the one that the caller has read before
};
// Per policy that is wanted: the digest of the document that the caller has read before; empty: none.
using WantedVersions = std::map<std::string, std::string, std::less<>>;

// What is stored of a policy at one moment. For a policy that never had a version: 0, not current.
struct VersionMark {
  std::uint64_t number = 0;  // the last number given
  bool is_current = false;
  bool operator==(const VersionMark&) const = default;
};
using VersionMarks = std::map<std::string, VersionMark, std::less<>>;  // per policy

// Errors of all functions here: ErrorKind::connection, ::server.
// Documents can be megabytes, so one that has not changed is not sent again. Policies without a row are left
// out.
[[nodiscard]] Result<std::vector<VersionRow>> read_version_rows(const Endpoint& admin,
                                                                const std::string& database,
                                                                const WantedVersions& wanted);
// The tables that current versions of other policies belong to.
struct CurrentTable {
  std::string policy;
  std::string schema;
  std::string table;
};
[[nodiscard]] Result<std::vector<CurrentTable>> read_current_tables_except(
    const Endpoint& admin, const std::string& database, const std::vector<std::string>& policies);
// A text that differs whenever a row differs in policy, number or being current.
[[nodiscard]] Result<std::string> version_rows_stamp(const Endpoint& admin, const std::string& database);

// Per policy: the number that its next version must have at least; 1 for a policy that is not listed.
using LeastNumbers = std::map<std::string, std::uint64_t, std::less<>>;

// Gives each version its next number, stores them and makes them current, all of them in one transaction: the
// tables of an entity change together. Returns the versions with their numbers. Returns nullopt, and changes
// nothing, if one of the policies in `seen` is no longer stored as `seen` says. If it waits for other writers
// for more than half a minute, the error says to try again.
[[nodiscard]] Result<std::optional<std::vector<policy::PolicyVersion>>> commit_versions(
    const Endpoint& admin, const std::string& database, std::vector<policy::PolicyVersion> versions,
    const LeastNumbers& least, const VersionMarks& seen);
// False: the policy is no longer stored as `seen` says, and nothing is changed.
[[nodiscard]] Result<bool> commit_withdrawal(const Endpoint& admin, const std::string& database,
                                             const std::string& policy, const std::string& reason,
                                             const VersionMark& seen);

// Imports a version that was kept in a file so far, under its own number. closed_because: why it was
// withdrawn, if it was. Does nothing if the policy already has a row. True: it was imported.
[[nodiscard]] Result<bool> import_version(const Endpoint& admin, const std::string& database,
                                          const policy::PolicyVersion& version,
                                          const std::optional<std::string>& closed_because);

}  // namespace pgveil::db
