#pragma once
// Everything that answers depend on, as one immutable value: configuration, users, policies, and one snapshot
// per database. RELOAD, BUILD, drift repair and the catalog watch make a new value, which replaces the old
// one as a whole.
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "common/finding.hpp"
#include "console/console.hpp"
#include "daemon/access/auth_query.hpp"
#include "daemon/access/hba.hpp"
#include "daemon/access/users_file.hpp"
#include "daemon/policies/examination.hpp"
#include "daemon/policies/mask_views.hpp"
#include "daemon/policies/versions.hpp"
#include "proxy/net/tls_settings.hpp"
#include "rewriter/snapshot/snapshot.hpp"
#include "settings/config.hpp"
#include "settings/plaintext.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

struct DatabaseView {
  std::shared_ptr<const rewriter::Snapshot> snapshot;  // null, only after a failure: nothing is answered
  // While `snapshot` is null, the last one. The next one is compared with it.
  std::shared_ptr<const rewriter::Snapshot> last_snapshot = nullptr;
  std::shared_ptr<const rewriter::SnapshotInput> input = nullptr;  // what the snapshot was made from
  // Of the catalog, taken before it was read, except where read_database was given an Examination.
  std::string fingerprint;
  // The next check of the catalog reads it again, although its fingerprint may be the same.
  bool look_again = false;
  std::string problem = {};                    // what read_database_cautiously closed, and why
  std::vector<Finding> server_findings;        // if one is an error, there is no snapshot
  std::vector<Finding> surroundings_findings;  // if one is an error, no table is open
  std::string stamp;                           // of the stored versions; taken before they were read
  rewriter::VersionGuard version_guard = rewriter::VersionGuard::absent;
  std::vector<Finding> join_findings = {};  // an error: BUILD refuses, and what is open stays open
  // Per policy, the stored version that is closed until it is counted together with others over its table
  // (take_up.hpp).
  std::map<std::string, std::shared_ptr<const policy::PolicyVersion>, std::less<>> unjudged = {};
  // What patterns of open_tables stood for at the start or at RELOAD. A table that appears later stays closed
  // until the next RELOAD, because nobody has looked at it.
  std::vector<std::string> by_pattern = {};
  Versions::ReadBefore read_versions = {};  // for the next reading of this database
};

struct Present {
  Config config;
  std::shared_ptr<const net::TlsSettings> tls;
  std::shared_ptr<const net::TlsContext> page_tls;  // null: the page is HTTP
  Users users;
  std::shared_ptr<AuthQuery> auth_query;  // null: no login by roles of PostgreSQL
  std::optional<HbaRules> hba;            // nullopt: logins from every address
  Specs specs;
  std::map<std::string, DatabaseView, std::less<>> databases;
};

// Gives each snapshot of the process a generation of its own. Thread-safe.
class Generations {
 public:
  [[nodiscard]] std::uint64_t next() { return ++last_; }

 private:
  std::atomic<std::uint64_t> last_{0};
};

// Reads one database. before: the previous view of it, or null. Its masks are reused if their inputs are
// unchanged. examined: what examine() has just found in it with the same configuration and policies; nullopt:
// the database is examined here. If it is given, the catalog is older than its fingerprint, so the view is to
// be read again (look_again). Errors: ErrorKind::connection, ::server; ErrorKind::configuration for
// open_tables that do not fit.
[[nodiscard]] Result<DatabaseView> read_database(const Config& config, const Specs& specs,
                                                 const std::string& database, Generations& generations,
                                                 MaskViews views, const DatabaseView* before = nullptr,
                                                 std::optional<Examination> examined = std::nullopt);

// Does what read_database does, for a catalog that changed while the proxy runs. What does not fit the
// catalog is closed instead of being an error: each open table alone, or else all of them, and then all
// policies. The view's `problem` says what was closed and why. If a finding about the server closes the
// database, the view is to be read again, because the fingerprint does not cover everything that they depend
// on.
//
// Making new masks may take minutes. So if less may be shown than before, close_first is called before that
// with a view that shows nothing that is no longer allowed; policies that wait for their masks are closed in
// it. Errors: the server could not be read.
[[nodiscard]] Result<DatabaseView> read_database_cautiously(
    const Config& config, const Specs& specs, const std::string& database, Generations& generations,
    const DatabaseView& before, const std::function<void(DatabaseView)>& close_first);

// The same view with another state of one policy, made without asking the database again; nullopt: this is
// not possible for this state. Use it only for versions that this process itself stored, because the rest of
// the catalog is as old as in `view`. Errors: the policy's mask is not accepted.
[[nodiscard]] Result<std::optional<DatabaseView>> with_state(const Config& config, const DatabaseView& view,
                                                             const std::string& database,
                                                             rewriter::PolicyState state,
                                                             Generations& generations);

// One line for each table that open_tables means and that is closed for everybody: which, and why.
[[nodiscard]] std::vector<std::string> shut_tables(const rewriter::Snapshot& snapshot);

// Empty when auth.users_file is not set.
[[nodiscard]] Result<Users> read_users(const Config& config);
// REQUIRES: auth.hba_file. Errors: those of read_hba_file; rules about certificates although none is checked
// or no users are known.
[[nodiscard]] Result<HbaRules> read_access_rules(const Config& config);
// For plaintext_warnings. rules: those of the access file; nullopt: there is none.
[[nodiscard]] RemotePlaintext remote_plaintext(const std::optional<HbaRules>& rules);

[[nodiscard]] console::Standing standing_of(const Config& config, std::string_view role);

// The policy's state in its database's snapshot.
[[nodiscard]] rewriter::PolicyState state_of(const Present& present,
                                             const std::shared_ptr<const policy::PolicySpec>& spec);
// The number of the policy's version there; 0: it is closed, or the database is not there.
[[nodiscard]] std::uint64_t number_of(const Present& present, const policy::PolicySpec& spec);

}  // namespace pgveil::app
