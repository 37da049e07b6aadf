#pragma once
// The versions of one database's policies, wherever they are kept: in its schema pgveil, where PostgreSQL itself asks which
// one is current (one place for all proxies), or, without that schema, in files of state_dir (cli/policies/version_store.hpp). Blocks
// on PostgreSQL.
#include <cstdint>
#include <map>
#include <string>

#include "cli/config/config.hpp"
#include "cli/policies/files.hpp"
#include "cli/policies/version_store.hpp"
#include "common/error.hpp"
#include "rewriter/version_guard.hpp"

namespace pgveil::cli {

// What an operator is told of a database without the schema.
inline constexpr std::string_view kVersionsInFiles =
    "no schema pgveil: versions are kept in state_dir, and a statement's version is checked by this process "
    "only; run "
    "what pgveil setup-sql prints";

class Versions {
 public:
  // Looks whether the schema is there. Errors: ::connection, ::server; ErrorKind::configuration when the schema can't be
  // trusted, or is there and no admin_role may read it.
  [[nodiscard]] static Result<Versions> open(const Config& config, const std::string& database);

  [[nodiscard]] rewriter::VersionGuard guard() const { return guard_; }

  // Of every policy of this database in `specs`. A version that can't be read is an Error of its own.
  using ByPolicy = std::map<std::string, Result<StoredVersion>, std::less<>>;
  [[nodiscard]] Result<ByPolicy> load(const Specs& specs) const;
  // Changes when one of them does.
  [[nodiscard]] Result<std::string> stamp(const Specs& specs) const;

  // Stores the version under the next number, at least `least`, and makes it current. → it, with its number.
  [[nodiscard]] Result<policy::PolicyVersion> publish(policy::PolicyVersion version,
                                                      std::uint64_t least) const;
  // Closes the policy until its next build.
  [[nodiscard]] Result<void> withdraw(const std::string& policy, const std::string& reason) const;

 private:
  Versions(const Config& config, std::string database, rewriter::VersionGuard guard);
  db::Endpoint admin_;
  VersionStore files_;
  std::string database_;
  rewriter::VersionGuard guard_;
};

// Before serving and before a build: creates the schema if admin_role may, and takes versions of files into it that it has
// none for; the files are renamed then. Errors: as Versions::open.
[[nodiscard]] Result<void> prepare_versions(const Config& config, const Specs& specs,
                                            const std::string& database);

// Versions::open and stamp; text for a schema that can't be trusted too, so that a change of it is noticed.
[[nodiscard]] Result<std::string> versions_stamp(const Config& config, const Specs& specs,
                                                 const std::string& database);

}  // namespace pgveil::cli
