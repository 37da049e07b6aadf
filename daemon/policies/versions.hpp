#pragma once
// The versions of one database's policies, wherever they are kept. If the database has the schema pgveil,
// they are there, and PostgreSQL itself checks which one is current (one place for all proxies). Otherwise
// they are in files of state_dir (daemon/policies/version_store.hpp). Blocks on PostgreSQL.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "daemon/policies/version_store.hpp"
#include "db/versions/version_table.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// The warning for the operator of a database without the schema.
inline constexpr std::string_view kVersionsInFiles =
    "there is no schema pgveil, so versions are stored in state_dir, and only this "
    "process checks the version of a statement; run what pgveil setup-sql prints";

class Versions {
 public:
  // Checks whether the schema exists. Errors: ::connection, ::server; ErrorKind::configuration if the schema
  // cannot be trusted, or if it exists but no admin_role may read it.
  [[nodiscard]] static Result<Versions> open(const Config& config, const std::string& database);

  [[nodiscard]] rewriter::VersionGuard guard() const { return guard_; }

  // The versions of every policy of this database in `specs`, and what was stored of each at that moment. A
  // version that cannot be read is an Error in its own entry.
  using ByPolicy = std::map<std::string, Result<StoredVersion>, std::less<>>;
  // Versions that were read before, which are not read again while their documents are the same.
  struct Read {
    std::string digest;  // of the document
    std::shared_ptr<const policy::PolicyVersion> version;
  };
  using ReadBefore = std::map<std::string, Read, std::less<>>;  // per policy
  struct Stored {
    ByPolicy versions;
    db::VersionMarks marks;
    ReadBefore read;  // for the next call
  };
  [[nodiscard]] Result<Stored> load(const Specs& specs, const ReadBefore& before = {}) const;
  // The tables that a version of any policy was ever built from, including policies that no longer exist.
  [[nodiscard]] Result<std::vector<rewriter::BuiltTable>> built_tables() const;
  // Current versions in the schema whose policies are in none of the files that `specs` came from.
  [[nodiscard]] Result<std::vector<db::CurrentTable>> strangers(const Specs& specs) const;
  // A text that changes whenever one of the stored versions changes.
  [[nodiscard]] Result<std::string> stamp(const Specs& specs) const;

  // Stores the versions under their next numbers, which are at least `least`, and makes them current, if
  // everything in `seen` is still stored as `seen` says. Comparing and storing is one atomic step; without
  // the schema pgveil, REQUIRES one version. Returns the versions with their numbers, or nullopt if something
  // has changed.
  [[nodiscard]] Result<std::optional<std::vector<policy::PolicyVersion>>> publish(
      std::vector<policy::PolicyVersion> versions, const db::LeastNumbers& least,
      const db::VersionMarks& seen) const;
  // Closes the policy until its next build. False: its stored state no longer matches `seen`, and nothing is
  // changed.
  [[nodiscard]] Result<bool> withdraw(const std::string& policy, const std::string& reason,
                                      const db::VersionMark& seen) const;

 private:
  Versions(const Config& config, std::string database, rewriter::VersionGuard guard);
  db::Endpoint admin_;  // a standby only while there is no primary
  VersionStore files_;
  std::string database_;
  rewriter::VersionGuard guard_;
};

// Runs before serving and before a build. Creates the schema if admin_role may, and moves into it those
// versions from files for which it has none; these files are then renamed. Errors: as Versions::open.
[[nodiscard]] Result<void> prepare_versions(const Config& config, const Specs& specs,
                                            const std::string& database);

// Versions::open and stamp. Also gives a text for a schema that cannot be trusted, so that a change of it is
// noticed.
[[nodiscard]] Result<std::string> versions_stamp(const Config& config, const Specs& specs,
                                                 const std::string& database);

}  // namespace pgveil::app
