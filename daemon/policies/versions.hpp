#pragma once
// The versions of one database's policies, wherever they are kept: in its schema pgveil, where PostgreSQL
// itself asks which one is current (one place for all proxies), or, without that schema, in files of
// state_dir (daemon/policies/version_store.hpp). Blocks on PostgreSQL.
#include <cstdint>
#include <map>
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
    "no schema pgveil: versions are kept in state_dir, and a statement's version is checked by this process "
    "only; run "
    "what pgveil setup-sql prints";

class Versions {
 public:
  // Looks whether the schema is there. Errors: ::connection, ::server; ErrorKind::configuration when the
  // schema can't be trusted, or is there and no admin_role may read it.
  [[nodiscard]] static Result<Versions> open(const Config& config, const std::string& database);

  [[nodiscard]] rewriter::VersionGuard guard() const { return guard_; }

  // Of every policy of this database in `specs`, and what was stored of each at that moment. A version that
  // can't be read is an Error of its own.
  using ByPolicy = std::map<std::string, Result<StoredVersion>, std::less<>>;
  struct Stored {
    ByPolicy versions;
    db::VersionMarks marks;
  };
  [[nodiscard]] Result<Stored> load(const Specs& specs) const;
  // The tables that a version was ever built of, for any policy, also one that is gone.
  [[nodiscard]] Result<std::vector<rewriter::BuiltTable>> built_tables() const;
  // Current versions in the schema whose policies are in none of the files that `specs` were read from.
  [[nodiscard]] Result<std::vector<db::CurrentTable>> strangers(const Specs& specs) const;
  // A text that changes when one of the stored versions changes.
  [[nodiscard]] Result<std::string> stamp(const Specs& specs) const;

  // Stores the version under the next number, which is at least `least`, and makes it current, if everything
  // in `seen` is still stored as `seen` says. Comparing and storing is one step, whoever else stores at the
  // same time. Returns the version with its number. Returns nothing if something has changed.
  [[nodiscard]] Result<std::optional<policy::PolicyVersion>> publish(policy::PolicyVersion version,
                                                                     std::uint64_t least,
                                                                     const db::VersionMarks& seen) const;
  // Closes the policy until its next build. False: what is stored of it is no longer what `seen` says;
  // nothing is changed.
  [[nodiscard]] Result<bool> withdraw(const std::string& policy, const std::string& reason,
                                      const db::VersionMark& seen) const;

 private:
  Versions(const Config& config, std::string database, rewriter::VersionGuard guard);
  db::Endpoint admin_;
  VersionStore files_;
  std::string database_;
  rewriter::VersionGuard guard_;
};

// Before serving and before a build: creates the schema if admin_role may, and takes versions of files into
// it that it has none for; the files are renamed then. Errors: as Versions::open.
[[nodiscard]] Result<void> prepare_versions(const Config& config, const Specs& specs,
                                            const std::string& database);

// Versions::open and stamp; text for a schema that can't be trusted too, so that a change of it is noticed.
[[nodiscard]] Result<std::string> versions_stamp(const Config& config, const Specs& specs,
                                                 const std::string& database);

}  // namespace pgveil::app
