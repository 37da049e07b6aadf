#pragma once
// Everything that answers depend on, as one immutable value: configuration, users, policies, one snapshot per
// database. RELOAD, BUILD, drift repair and the catalog watch make a new one and replace the old whole.
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/access/auth_query.hpp"
#include "cli/access/hba.hpp"
#include "cli/access/users_file.hpp"
#include "cli/config/config.hpp"
#include "cli/policies/files.hpp"
#include "cli/policies/mask_views.hpp"
#include "common/error.hpp"
#include "common/finding.hpp"
#include "proxy/admin/console.hpp"
#include "proxy/net/tls_settings.hpp"
#include "rewriter/snapshot.hpp"

namespace pgveil::cli {

struct DatabaseView {
  std::shared_ptr<const rewriter::Snapshot> snapshot;  // null: nothing is answered (only after a failure)
  std::string fingerprint;                             // of the catalog, taken before it was read
  std::vector<Finding> server_findings;                // with an error among them there is no snapshot
  std::vector<Finding> surroundings_findings;          // with an error among them no table is open
  std::string stamp;                                   // of the stored versions, taken before they were read
  rewriter::VersionGuard version_guard = rewriter::VersionGuard::absent;
};

struct Present {
  Config config;
  std::shared_ptr<const net::TlsSettings> tls;
  std::shared_ptr<const net::TlsContext> page_tls;  // null: the page is HTTP
  Users users;
  std::shared_ptr<AuthQuery> auth_query;  // null: PostgreSQL's roles are nobody here
  std::optional<HbaRules> hba;            // nullopt: from everywhere
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

// One database, read anew. Errors: ErrorKind::connection, ::server; ErrorKind::configuration for open_tables
// that do not fit.
[[nodiscard]] Result<DatabaseView> read_database(const Config& config, const Specs& specs,
                                                 const std::string& database, Generations& generations,
                                                 MaskViews views);

// As read_database, but what does not fit is closed instead: first the open tables, then all policies.
// `problem` says what. For a catalog that changed under a running proxy. Errors: the server could not be
// read.
struct CautiousView {
  DatabaseView view;
  std::string problem;
};
[[nodiscard]] Result<CautiousView> read_database_cautiously(const Config& config, const Specs& specs,
                                                            const std::string& database,
                                                            Generations& generations);

// Empty when auth.users_file is not set.
[[nodiscard]] Result<Users> read_users(const Config& config);
// REQUIRES: auth.hba_file. Errors: those of read_hba_file; rules about certificates where none is checked, or where no users
// are known.
[[nodiscard]] Result<HbaRules> read_access_rules(const Config& config);

[[nodiscard]] admin::Standing standing_of(const Config& config, std::string_view role);

// The policy's state in its database's snapshot.
[[nodiscard]] rewriter::PolicyState state_of(const Present& present,
                                             const std::shared_ptr<const policy::PolicySpec>& spec);

}  // namespace pgveil::cli
