#pragma once
// config/pgveil.yaml as a value. The file is read strictly; docs/config.md is generated from the same table
// (settings/options.hpp).
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/finding.hpp"
#include "common/log.hpp"
#include "common/yaml.hpp"
#include "db/server/endpoint.hpp"
#include "proxy/net/tls_context.hpp"
#include "proxy/session/session.hpp"
#include "rewriter/catalog/access.hpp"
#include "rewriter/catalog/open_pattern.hpp"
#include "rewriter/mask/mask_form.hpp"

namespace pgveil::app {

// A role of PostgreSQL that pgveil logs in as. The password is a secret: it is never printed.
struct BackendRole {
  std::string user;
  std::string password;                            // empty: none is sent
  std::vector<std::string> password_command = {};  // prints the password; empty: `password` is it
  std::int64_t password_command_every_ms = 600'000;
  // Made from the two members above once the file was read; shared by all logins as this role.
  std::shared_ptr<PasswordCommand> command = nullptr;
  // Two files that say the same are the same, whatever has been fetched.
  bool operator==(const BackendRole& other) const {
    return user == other.user && password == other.password && password_command == other.password_command &&
           password_command_every_ms == other.password_command_every_ms;
  }
};

struct ListenConfig {
  std::string host = "127.0.0.1";
  std::uint16_t port = 6432;
  std::string socket_dir;  // empty: no Unix socket
  unsigned socket_mode = 0770;
  std::size_t threads = 2;
  bool operator==(const ListenConfig&) const = default;
};

struct BackendConfig {
  std::string host;  // empty: `hosts` names several
  std::uint16_t port = 5432;
  std::vector<HostPort> hosts;  // port 0: `port`
  WantedServer wanted = WantedServer::any;
  std::vector<std::string> databases;
  std::vector<std::string> schemas = {"public"};  // searched after pg_catalog
  BackendRole query_role;                         // carries all client SQL
  std::optional<BackendRole> admin_role;          // builds and exports; never carries client SQL
  std::vector<std::string> accept_excess;         // excess rights of query_role: db/rights/role_excess.hpp
  bool mask_views = false;                        // query_role reads views of masks, never a policy's table
  std::string mask_owner = "pgveil_masks";        // owns these views; nobody logs in as it
  std::int64_t connect_timeout_ms = 10'000;
  std::uint16_t newest_minor = wire::kNewestMinor;  // of protocol 3, for the sessions of clients
  std::int64_t catalog_check_every_ms = 5'000;
  bool operator==(const BackendConfig&) const = default;
};

// A client role whose statements are passed on unchanged.
struct BypassRole {
  std::string role;
  BackendRole backend;
  std::vector<std::string> databases;  // empty: all
  bool operator==(const BypassRole&) const = default;
};

struct AuthConfig {
  session::ClientAuthentication method = session::ClientAuthentication::scram_sha_256;
  std::string users_file;  // empty only with trust: then any role name is let in
  std::string hba_file;    // empty: from every address
  bool operator==(const AuthConfig&) const = default;
};

// Which roles of PostgreSQL may log in, and as whom.
inline constexpr std::string_view kEverybody = "*";
struct LetIn {
  std::string user;  // kEverybody, or a name
  std::string as;    // the role whose policies apply; empty: its own name
  bool operator==(const LetIn&) const = default;
};

// Calls the function that setup-sql makes.
inline constexpr std::string_view kShippedVerifierQuery =
    "SELECT name, verifier FROM pgveil_auth.verifier_of($1)";

struct AuthQueryConfig {
  std::string query{kShippedVerifierQuery};  // takes the name as $1; returns name and verifier
  BackendRole role;                          // runs the query
  std::string database;                      // empty: the first served one
  std::vector<LetIn> let_in;                 // the first that fits applies; no other role may log in
  std::int64_t cache_ms = 10'000;
  bool operator==(const AuthQueryConfig&) const = default;
};

// Paths are absolute; empty: none.
struct TlsFiles {
  std::string certificate;  // with the intermediate ones
  std::string key;
  std::string authorities;
  std::string revoked;
  bool operator==(const TlsFiles&) const = default;
};

enum class ClientTls { disable, allow, prefer, require, verify_ca };
enum class BackendTls { disable, require, verify_ca, verify_full };

struct TlsConfig {
  ClientTls clients = ClientTls::disable;
  TlsFiles client_files;
  BackendTls backend = BackendTls::disable;
  TlsFiles backend_files;
  bool backend_channel_binding = false;  // required
  net::TlsNegotiation backend_negotiation = net::TlsNegotiation::postgres;
  bool operator==(const TlsConfig&) const = default;
};

struct MetricsConfig {
  std::string host = "127.0.0.1";
  std::optional<std::uint16_t> port;  // unset: no metrics
  std::vector<std::string> names;     // host names of requests, besides localhost and addresses
  std::int64_t slow_query_ms = 1'000;
  bool operator==(const MetricsConfig&) const = default;
};

// The page (docs/web.md).
struct PageConfig {
  std::string host = "127.0.0.1";
  std::optional<std::uint16_t> port;  // unset: no page
  std::vector<std::string> names;     // host names of requests, besides those of loopback
  TlsFiles tls;                       // certificate and key; none: plain HTTP
  // Admins who may see more than masks; empty: none.
  std::vector<std::string> raw_rows;        // may see rows of policies' tables as they are
  std::vector<std::string> table_jobs;      // may run jobs that read or write tables of databases
  std::vector<std::string> policy_authors;  // may write files of policies, and have them reloaded
  bool operator==(const PageConfig&) const = default;
};

struct AuditConfig {
  std::string file;  // empty: nothing is audited
  std::string key;   // for the chain of lines; empty: none
  std::size_t sql_bytes = 8192;
  bool operator==(const AuditConfig&) const = default;
};

struct AdminConfig {
  std::vector<std::string> admin_users;
  std::vector<std::string> stats_users;
  bool operator==(const AdminConfig&) const = default;
};

// Overrides for some sessions; an unset member: the value in PoolConfig applies.
struct PoolRule {
  std::string database, role;  // empty: any
  std::optional<session::PoolMode> mode;
  std::optional<std::size_t> size, reserve_size;
  bool operator==(const PoolRule&) const = default;
};

struct PoolConfig {
  session::PoolMode mode = session::PoolMode::none;
  std::size_t size = 20;
  std::size_t reserve_size = 0;
  std::int64_t reserve_after_ms = 5'000;
  std::int64_t wait_timeout_ms = 120'000;
  std::int64_t server_lifetime_ms = 3'600'000;
  std::int64_t server_idle_timeout_ms = 600'000;
  std::size_t prepared_statements = 200;
  std::size_t kept_plan_bytes = 4 << 20;
  std::vector<PoolRule> rules;  // the first that fits applies
  bool operator==(const PoolConfig&) const = default;
};

struct LimitsConfig {
  std::size_t max_clients = 500;     // logged in
  std::size_t max_role_clients = 0;  // 0: no limit
  std::size_t login_clients = 200;   // not yet logged in
  std::size_t admin_clients = 5;     // additional, for admins on the console
  std::size_t statement_bytes = 256 * 1024;
  std::size_t output_bytes = 16 * 1024 * 1024;
  int nesting = 500;
  std::size_t client_message_bytes = 4 * 1024 * 1024;
  std::size_t session_statements = 10'000;
  std::size_t session_statement_bytes = 64 * 1024 * 1024;
  std::size_t verdict_cache_bytes = 64 * 1024 * 1024;
  std::uint64_t counts_bytes = 2'147'483'648;
  std::int64_t login_timeout_ms = 10'000;
  std::int64_t drain_timeout_ms = 5'000;
  std::int64_t client_idle_timeout_ms = 0;  // 0: no limit, also for those below
  std::int64_t idle_in_transaction_timeout_ms = 0;
  std::int64_t query_timeout_ms = 0;
  bool operator==(const LimitsConfig&) const = default;
};

struct OpenTable {
  std::string database;                                   // empty: in every database
  std::string table;                                      // "schema.table"
  std::optional<rewriter::Access> access = std::nullopt;  // nullopt: every role reads it
  std::vector<std::string> except = {};                   // of a pattern, as in rewriter::OpenPattern
};

struct Decision {
  std::string database;  // empty: in every database
  Acknowledgement acknowledgement;
};

// A file or a pattern of files, made absolute relative to the folder of the configuration.
struct PathPattern {
  std::string pattern;
  yaml::Position at;
};

struct Config {
  std::string file;
  std::map<std::string, std::string> written;  // "limits.max_clients": text of the value, of keys in file
  std::vector<std::string> warnings;           // one line each, for keys that no longer have an effect
  ListenConfig listen;
  BackendConfig backend;
  AuthConfig auth;
  std::optional<AuthQueryConfig> auth_query;
  TlsConfig tls;
  MetricsConfig metrics;
  AdminConfig admin;
  PageConfig page;
  AuditConfig audit;
  rewriter::MaskChoice mask_form = rewriter::MaskChoice::cheapest;
  bool look_ups = true;
  rewriter::Estimates estimates = rewriter::Estimates::large_tables;
  bool kept_plans = true;
  bool notices = true;  // readers are told what masks do to an answer
  PoolConfig pool;
  LimitsConfig limits;
  std::vector<PathPattern> policies;
  std::vector<PathPattern> jobs;
  std::vector<OpenTable> open_tables;
  std::vector<std::string> open_functions;  // "schema.function", "extension:name"
  std::vector<BypassRole> bypass_roles;
  std::vector<Decision> acknowledged;
  std::string state_dir;
  std::string export_dir;  // empty: no export to files
  log::Options log{.lines_per_second = 100};
  // Not read from the file: interrupts the queries on the endpoints of this configuration.
  std::shared_ptr<db::Interrupt> interrupt = std::make_shared<db::Interrupt>();
  // Not read from the file either: see keeping_connections().
  std::shared_ptr<db::KeptConnections> kept_connections = {};
};

// left_out: for a command that logs in nowhere, so that it needs no secret. Such a Config is for no endpoint.
enum class Passwords { read, left_out };

// Also reads the password files and environment variables that it names, unless they are left out, but not
// users_file or policies. Every error is one line with file, line, column and the fix.
[[nodiscard]] Result<Config> read_config(const std::string& path, Passwords passwords = Passwords::read);
[[nodiscard]] Result<Config> read_config_text(std::string_view text, const std::string& path);

// The servers in the order in which they are tried.
[[nodiscard]] std::vector<HostPort> places_of(const BackendConfig& backend);

// For one operation of many small queries. The endpoints of what it returns keep their connections between
// them, until it and the endpoints are gone.
[[nodiscard]] Config keeping_connections(Config config);

// For query_role, and for the role of builds and exports: admin_role, or query_role if there is none. With
// several servers, builds use the primary: a standby has rows of a moment ago, and takes no version.
[[nodiscard]] db::Endpoint query_endpoint(const Config& config);
[[nodiscard]] db::Endpoint build_endpoint(const Config& config);
// The role of builds, to read versions and to look after their views: without a primary at a standby, which
// has the versions that the statements there are checked against.
[[nodiscard]] db::Endpoint versions_endpoint(const Config& config);

// REQUIRES: config.auth_query.
[[nodiscard]] std::string auth_query_database(const Config& config);
// REQUIRES: config.auth_query.
[[nodiscard]] db::Endpoint auth_query_endpoint(const Config& config);
[[nodiscard]] db::Endpoint bypass_endpoint(const Config& config, const BypassRole& role);
// Null: it is no bypass role.
[[nodiscard]] const BypassRole* find_bypass(const Config& config, std::string_view role);
// Whether the host is the folder of a Unix socket.
[[nodiscard]] inline bool is_socket_folder(std::string_view host) {
  return host.starts_with('/');
}

// "schema.table" of the entries for this database, without patterns, and the patterns.
[[nodiscard]] std::vector<std::string> open_tables_of(const Config& config, std::string_view database);
[[nodiscard]] std::vector<rewriter::OpenPattern> open_patterns_of(const Config& config,
                                                                  std::string_view database);
// Whether an entry names this "schema.table", or a pattern stands for it.
[[nodiscard]] bool is_in_open_tables(const Config& config, std::string_view database, std::string_view table);
// The access to those entries that not every role may read.
[[nodiscard]] std::map<std::string, rewriter::Access> open_access_of(const Config& config,
                                                                     std::string_view database);
[[nodiscard]] std::vector<Acknowledgement> acknowledged_in(const Config& config, std::string_view database);

}  // namespace pgveil::app
