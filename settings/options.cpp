#include "settings/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "settings/choices.hpp"
#include "settings/store.hpp"
#include "settings/values.hpp"

namespace pgveil::app {
namespace {

using yaml::Value;

using Origin = ConfigOrigin;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;
constexpr std::int64_t kMaxCountsBytes = std::int64_t{1} << 40;

constexpr auto kRetired = std::to_array<RetiredKey>({
    {"admin.http.spark",
     "the page runs no jobs on a cluster; pgveil-spark reads the database itself (docs/spark.md)"},
});

constexpr Option kOptions[] = {
    {"", "policies", "list of paths", "[]",
     "policy files. * and ? match within a folder. Paths are relative to this file. A pattern has to match a "
     "file. Only folder/*.yaml may match nothing while the folder is there and open_tables has no pattern; "
     "the "
     "page puts new policies there (docs/web.md)",
     [](Config& c, const Value& v, const Origin& o) { return store_paths(v, c.policies, o); }},
    {"", "jobs", "list of paths", "[]",
     "files of jobs that ANONYMIZE JOB may run (docs/anonymize.md). * and ? work as in policies",
     [](Config& c, const Value& v, const Origin& o) { return store_paths(v, c.jobs, o); }},
    {"", "open_tables", "list of tables", "[]",
     "unprotected tables, which every role may read, and views, which show each role what their tables "
     "show to it. Write schema.table, or database:schema.table. schema.* and schema.prefix* stand for the "
     "tables that are there at the start or at RELOAD, less those that have a policy or could show hidden "
     "rows (docs/check.md). {table: schema.*, except: [name, …]} leaves some out. To restrict the roles, "
     "write {table: …, readers: […]}. With access: from_database instead of readers, PostgreSQL's grants to "
     "the role of the "
     "client's name decide",
     [](Config& c, const Value& v, const Origin&) { return store_open_tables(v, c); }},
    {"", "open_functions", "list of functions", "[]",
     "functions outside pg_catalog that clients may call, and operators that run them, because you know that "
     "they only compute with their arguments. Write schema.function, or extension:name for the immutable and "
     "stable functions of an extension. Reviewed extensions are open without it (docs/sql-support.md)",
     [](Config& c, const Value& v, const Origin&) { return store_open_functions(v, c); }},
    {"", "acknowledged", "list of {object: …, reason: …}", "[]",
     "findings of `pgveil check` that you accept. object is the name that check prints. database limits "
     "the entry to one database (default: all)",
     [](Config& c, const Value& v, const Origin&) { return store_acknowledged(v, c); }},
    {"", "bypass_roles", "list of {role: …, user: …, password_file: …}", "[]",
     "client roles whose whole traffic is passed on, without checks and masks, to a separate backend role "
     "(docs/least-privilege.md). password_env can replace password_file. databases limits the databases "
     "that the role may use (default: all)",
     [](Config& c, const Value& v, const Origin& o) { return store_bypass_roles(v, c, o); }},
    {"", "state_dir", "path", kRequired,
     "the folder for the versions of policies in databases without the schema pgveil: "
     "state_dir/database/policy.json",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.state_dir); }},
    {"", "export_dir", "path", "none",
     "the folder below which EXPORT … TO FILE and ANONYMIZE JOB write files. Without it they write only "
     "tables",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.export_dir); }},

    {"listen", "host", "name or address", "127.0.0.1", "the address that clients connect to",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.listen.host); }},
    {"listen", "port", "port", "6432",
     "the port that clients connect to. 0: any free port, which the start line reports",
     [](Config& c, const Value& v, const Origin&) { return store(read_port(v), c.listen.port); }},
    {"listen", "socket_dir", "path", "none",
     "the folder of an additional Unix socket. Clients connect to it with psql -h folder",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.listen.socket_dir); }},
    {"listen", "socket_mode", "mode", "0770",
     "the access mode of the socket. Users who may write to it may connect",
     [](Config& c, const Value& v, const Origin&) { return store(read_mode(v), c.listen.socket_mode); }},
    {"listen", "threads", "1 to 64", "2", "network threads. Each handles its share of the sessions",
     [](Config& c, const Value& v, const Origin&) { return store(read_count(v, 1, 64), c.listen.threads); }},

    {"backend", "host", "name, address or folder", "none",
     "the PostgreSQL server, 15 to 18. A value that starts with / is the folder of its Unix socket. Either "
     "host or "
     "hosts is required",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.backend.host); }},
    {"backend", "hosts", "list of name:port", "none",
     "a primary and its standbys instead of one host, tried in this order: [db1:5432, \"[::1]:5433\"]. "
     "Without a port: backend.port. They must hold the same database by streaming replication "
     "(docs/rented-servers.md)",
     [](Config& c, const Value& v, const Origin&) { return store_hosts(v, c); }},
    {"backend", "port", "port", "5432", "the server's port",
     [](Config& c, const Value& v, const Origin&) { return store(read_port(v), c.backend.port); }},
    {"backend", "target_session_attrs",
     "any, primary, standby, prefer-primary, prefer-standby, read-write or read-only", "any",
     "which of the servers answer clients. read-write means primary and read-only means standby, because "
     "sessions of query_role are read only everywhere. With several hosts, builds use the primary in any "
     "case",
     [](Config& c, const Value& v, const Origin&) {
       return store_choice(v, kWantedServers, c.backend.wanted);
     }},
    {"backend", "databases", "list of names", kRequired, "the databases that clients may connect to",
     [](Config& c, const Value& v, const Origin&) { return store_databases(v, c); }},
    {"backend", "schemas", "list of names", "[public]", "the search path of clients, after pg_catalog",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_names(v, "schema"), c.backend.schemas);
     }},
    {"backend", "connect_timeout", "duration, 1s to 7d", "10s",
     "how long to wait for a connection to PostgreSQL",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 1000), c.backend.connect_timeout_ms);
     }},
    {"backend", "max_protocol_version", "3.0 or 3.2", "3.2",
     "like libpq's. Servers that know only 3.0 say so. Choose 3.0 if something between refuses 3.2 instead",
     [](Config& c, const Value& v, const Origin&) {
       return store_choice(v, kProtocols, c.backend.newest_minor);
     }},
    {"backend", "catalog_check_every", "duration, 1s to 7d", "5s",
     "how often pgveil compares the tables with those that the versions were built from. A changed table "
     "closes",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 1000), c.backend.catalog_check_every_ms);
     }},
    {"backend", "accept_excess", "list of rights", "[]",
     "excess rights of query_role that you accept, one word each, as listed in docs/least-privilege.md. "
     "With any other excess right pgveil does not start",
     [](Config& c, const Value& v, const Origin&) { return store_excess(v, c); }},

    {"backend", "mask_views", "true or false", "false",
     "stores masks as views in the schema pgveil, so that query_role needs no right on the tables of "
     "policies. Requires admin_role and the SQL that `pgveil setup-sql` then prints "
     "(docs/least-privilege.md)",
     [](Config& c, const Value& v, const Origin&) { return store(v.as_boolean(), c.backend.mask_views); }},
    {"backend", "mask_owner", "name", "pgveil_masks",
     "with mask_views: the role that owns the views and reads the tables. Nobody logs in as this role",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.backend.mask_owner); }},

    {"backend.query_role", "user", "name", kRequired, "the name of the role",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.backend.query_role.user); }},
    {"backend.query_role", "password_env", "name", "none",
     "the environment variable that contains the password",
     [](Config& c, const Value& v, const Origin& o) {
       return store_password(read_password_variable(v, o), c.backend.query_role, v);
     }},
    {"backend.query_role", "password_file", "path", "none",
     "the file that contains the password, with mode 0600",
     [](Config& c, const Value& v, const Origin& o) {
       return store_password(read_password_file(v, o), c.backend.query_role, v);
     }},
    {"backend.query_role", "password_command", "list of words", "none",
     "a command that prints the password as its only line, such as a token that expires: a list of the "
     "program "
     "and its arguments, without a shell. It may take backend.connect_timeout. Requires tls.backend "
     "verify-ca "
     "or verify-full unless the server is on this machine (docs/rented-servers.md)",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_command(v), c.backend.query_role.password_command);
     }},
    {"backend.query_role", "password_command_every", "duration, 1s to 7d", "10m",
     "how long a printed password is used. After a refused login the command runs again at once",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 1000), c.backend.query_role.password_command_every_ms);
     }},

    {"backend.admin_role", "user", "name", kRequired, "the name of the role",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_word(v), c.backend.admin_role->user);
     }},
    {"backend.admin_role", "password_env", "name", "none",
     "the environment variable that contains the password",
     [](Config& c, const Value& v, const Origin& o) {
       return store_password(read_password_variable(v, o), *c.backend.admin_role, v);
     }},
    {"backend.admin_role", "password_file", "path", "none",
     "the file that contains the password, with mode 0600",
     [](Config& c, const Value& v, const Origin& o) {
       return store_password(read_password_file(v, o), *c.backend.admin_role, v);
     }},
    {"backend.admin_role", "password_command", "list of words", "none", "as for query_role",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_command(v), c.backend.admin_role->password_command);
     }},
    {"backend.admin_role", "password_command_every", "duration, 1s to 7d", "10m", "as for query_role",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 1000), c.backend.admin_role->password_command_every_ms);
     }},

    {"auth", "method", "scram-sha-256 or trust", "scram-sha-256",
     "how clients log in. trust is for demonstrations and requires a loopback listen.host",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kMethods, c.auth.method); }},
    {"auth", "users_file", "path", "none",
     "a file with one \"role\" \"SCRAM-SHA-256$…\" per line, which `pgveil user add` writes. Required for "
     "scram-sha-256 without auth_query. With trust and no file, any role may log in",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.auth.users_file); }},

    {"auth", "hba_file", "path", "none",
     "rules about which roles may log in from which addresses, in a subset of pg_hba.conf's syntax "
     "(docs/operations.md). none: every role from every address",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.auth.hba_file); }},

    {"auth_query", "query", "SQL", kShippedVerifierQuery,
     "returns the name and the SCRAM verifier of the role $1, or no row. It runs in a read-only "
     "transaction with search_path = pg_catalog",
     [](Config& c, const Value& v, const Origin&) { return store_auth_query(v, c); }},
    {"auth_query", "user", "name", kRequired, "the role that runs the query. It must not be query_role",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.auth_query->role.user); }},
    {"auth_query", "password_env", "name", "none", "the environment variable that contains the password",
     [](Config& c, const Value& v, const Origin& o) {
       return store_password(read_password_variable(v, o), c.auth_query->role, v);
     }},
    {"auth_query", "password_file", "path", "none", "the file that contains the password, with mode 0600",
     [](Config& c, const Value& v, const Origin& o) {
       return store_password(read_password_file(v, o), c.auth_query->role, v);
     }},
    {"auth_query", "database", "name", "none",
     "the database in which the query runs. none: the first of backend.databases",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.auth_query->database); }},
    {"auth_query", "let_in", "list of {user: …, as: …}", kRequired,
     "which of the users that the query finds may log in (\"*\": all), and as which role of the policies "
     "(default: their own name). The first matching entry applies. All of these users are masked. Admins, "
     "bypass roles and exempt roles must be in users_file, which takes precedence for every name in it",
     [](Config& c, const Value& v, const Origin&) { return store_let_in(v, c); }},
    {"auth_query", "cache", "duration, 0ms to 5m", "10s",
     "how long an answer of the query is cached. RELOAD clears the cache",
     [](Config& c, const Value& v, const Origin&) { return store_cache(v, c); }},

    {"tls.clients", "mode", "disable, allow, prefer, require or verify-ca", "disable",
     "allow and prefer: TLS for clients that request it. require: TCP clients must use TLS. verify-ca: "
     "they must also present a certificate signed by an authority in ca_file",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kClientTls, c.tls.clients); }},
    {"tls.clients", "cert_file", "path", "none",
     "pgveil's certificate, followed by the intermediate certificates up to its authority, in PEM",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.client_files.certificate);
     }},
    {"tls.clients", "key_file", "path", "none",
     "the key of the certificate, in PEM without a passphrase. The file has mode 0600, or 0640 if root "
     "owns it",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.client_files.key);
     }},
    {"tls.clients", "ca_file", "path", "none",
     "the authorities of client certificates. A certificate that a client presents is checked in every mode",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.client_files.authorities);
     }},
    {"tls.clients", "crl_file", "path", "none",
     "revoked client certificates: PEM lists, one for each authority in ca_file",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.client_files.revoked);
     }},
    {"tls.backend", "mode", "disable, require, verify-ca or verify-full", "disable",
     "like libpq's sslmode. require accepts any certificate. verify-full also requires the name of the host "
     "in it",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kBackendTls, c.tls.backend); }},
    {"tls.backend", "ca_file", "path", "none",
     "the authorities of the server's certificate, for verify-ca and verify-full",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.backend_files.authorities);
     }},
    {"tls.backend", "crl_file", "path", "none", "revoked server certificates, as in tls.clients",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.backend_files.revoked);
     }},
    {"tls.backend", "cert_file", "path", "none", "pgveil's own certificate, if the server requests one",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.backend_files.certificate);
     }},
    {"tls.backend", "key_file", "path", "none", "the key of the certificate, as in tls.clients",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.backend_files.key);
     }},
    {"tls.backend", "channel_binding", "prefer or require", "prefer",
     "SCRAM-SHA-256-PLUS at the server. prefer: if both sides support it. require: otherwise no login",
     [](Config& c, const Value& v, const Origin&) {
       return store_choice(v, kChannelBinding, c.tls.backend_channel_binding);
     }},
    {"tls.backend", "negotiation", "postgres or direct", "postgres",
     "like libpq's sslnegotiation. direct begins with TLS at once, which PostgreSQL supports from 17 on",
     [](Config& c, const Value& v, const Origin&) {
       return store_choice(v, kNegotiations, c.tls.backend_negotiation);
     }},

    {"admin", "admin_users", "list of names", "[]", "roles that may run every command of the console",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_names(v, "role"), c.admin.admin_users);
     }},
    {"admin", "stats_users", "list of names", "[]", "roles that may run the SHOW commands that quote no data",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_names(v, "role"), c.admin.stats_users);
     }},
    {"admin.http", "host", "address", "127.0.0.1",
     "the address of the page. An address that is not loopback requires tls and names. You can also reach "
     "a loopback address from elsewhere through a tunnel (ssh -L)",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.page.host); }},
    {"admin.http", "port", "port", "none",
     "the port of the page. none: there is no page. 0: any free port, which the log reports",
     [](Config& c, const Value& v, const Origin&) { return store(read_port(v), c.page.port); }},
    {"admin.http", "names", "list of names", "[]",
     "with tls: host names under which browsers may request the page, in lower case, in addition to "
     "localhost and loopback addresses",
     [](Config& c, const Value& v, const Origin&) { return store(read_names(v, "name"), c.page.names); }},
    {"admin.http", "raw_rows", "list of names", "[]",
     "admins who may see raw rows of protected tables beside the masked ones. They enter their password "
     "each time, and each access is recorded. Requires audit.file and admin_role. RELOAD applies changes",
     [](Config& c, const Value& v, const Origin&) { return store(read_names(v, "role"), c.page.raw_rows); }},
    {"admin.http", "table_jobs", "list of names", "[]",
     "admins who may set up jobs that read tables as admin_role and publish to tables. They choose what is "
     "published, so they can read all of these tables. Requires audit.file and admin_role. RELOAD applies "
     "changes",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_names(v, "role"), c.page.table_jobs);
     }},
    {"admin.http", "policy_authors", "list of names", "[]",
     "admins who may apply policies on the page: it writes the file into the folder of `policies` and "
     "reloads. They decide what every reader is shown. They enter their password each time, and each change "
     "is recorded. Requires audit.file and admin_role. RELOAD applies changes",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_names(v, "role"), c.page.policy_authors);
     }},
    {"admin.http.tls", "cert_file", "path", "none", "as in tls.clients",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.page.tls.certificate);
     }},
    {"admin.http.tls", "key_file", "path", "none", "as in tls.clients",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.page.tls.key); }},

    {"audit", "file", "path", "none",
     "the audit log, with one line of JSON for each login, statement, answer and command "
     "(docs/operations.md). It is created with mode 0600. If a line cannot be written, the session ends "
     "before anything is done. Without this key nothing is audited",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.audit.file); }},
    {"audit", "sql_bytes", "0 to 262144", "8192",
     "the maximum length of a statement's text in the audit log, with literals replaced by ?. 0: no text",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, 262'144), c.audit.sql_bytes);
     }},
    {"audit", "key_file", "path", "none",
     "a file with a key, mode 0600. The lines are then chained with HMAC-SHA-256, which cannot be forged "
     "without the key. Otherwise they are chained with SHA-256",
     [](Config& c, const Value& v, const Origin& o) { return store(read_password_file(v, o), c.audit.key); }},

    {"metrics", "host", "address", "127.0.0.1",
     "the address of /metrics, /healthz and /readyz. They require no login",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.metrics.host); }},
    {"metrics", "port", "port", "none",
     "the port of these pages. none: they are not served. 0: any free port, which the log reports",
     [](Config& c, const Value& v, const Origin&) { return store(read_port(v), c.metrics.port); }},
    {"metrics", "names", "list of names", "[]",
     "host names under which these pages may be requested, in lower case, in addition to localhost and "
     "addresses. Others are refused (421)",
     [](Config& c, const Value& v, const Origin&) { return store(read_names(v, "name"), c.metrics.names); }},
    {"metrics", "slow_query", "duration, 0ms to 7d", "1s",
     "a request with a masked statement that takes longer is counted in pgveil_slow_masked_queries_total",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.metrics.slow_query_ms);
     }},

    {"masks", "form", "cheapest, by_column, by_row or by_bitmap", "cheapest",
     "how masks are written: with a decision in each column, or if possible with one decision for the row, "
     "by comparisons or by bitmaps. All forms show the same. cheapest chooses for each statement",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kMaskForms, c.mask_form); }},
    {"masks", "look_ups", "true or false", "true",
     "lets masked_column = constant use an index of the table. The duration then reveals how many rows "
     "have a value that is disclosed somewhere, including rows that hide it (docs/attack-model.md)",
     [](Config& c, const Value& v, const Origin&) { return store(v.as_boolean(), c.look_ups); }},
    {"masks", "estimates", "none, large_tables or all_tables", "large_tables",
     "for which tables conditions on masked columns are written so that PostgreSQL expects about as many "
     "rows "
     "as they keep. Otherwise it expects one row in 200, and may join by nested loops (docs/rewriting.md). "
     "All forms mean the same. large_tables: those of at least 1,000 rows",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kEstimates, c.estimates); }},
    {"masks", "kept_plans", "true or false", "true",
     "keeps the plans of masked statements that come again, with the same or other constants. They are "
     "prepared on the connection, with the constants as parameters (docs/rewriting.md)",
     [](Config& c, const Value& v, const Origin&) { return store(v.as_boolean(), c.kept_plans); }},
    {"masks", "notices", "true or false", "true",
     "tells readers what masks do: a NOTICE, once per session, says what a masked table shows, and a NOTICE "
     "says that a join on a hidden column matches no row. SET pgveil.notices = off turns this off for a "
     "session "
     "(docs/analysts.md)",
     [](Config& c, const Value& v, const Origin&) { return store(v.as_boolean(), c.notices); }},

    {"pool", "mode", "none, session or transaction", "none",
     "none: each client has its own connection to PostgreSQL. session: when the client disconnects, its "
     "connection is reset and reused. transaction: clients share connections from one transaction to the "
     "next (docs/pooling.md)",
     [](Config& c, const Value& v, const Origin&) { return store(read_pool_mode(v), c.pool.mode); }},
    {"pool", "size", "1 to 10000", "20", "connections for one role in one database. Not used with mode none",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1, kMaxPoolSize), c.pool.size);
     }},
    {"pool", "reserve_size", "0 to 10000", "0",
     "additional connections, which are opened when a client has waited for reserve_after",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, kMaxPoolSize), c.pool.reserve_size);
     }},
    {"pool", "reserve_after", "duration, 0ms to 7d", "5s",
     "how long a client waits before pgveil opens a reserve connection",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.pool.reserve_after_ms);
     }},
    {"pool", "wait_timeout", "duration, 100ms to 7d", "120s",
     "a client that has waited this long for a connection is disconnected with 53300",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 100), c.pool.wait_timeout_ms);
     }},
    {"pool", "server_lifetime", "duration, 1s to 7d", "1h",
     "a connection older than this is closed when it is not in use",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 1000), c.pool.server_lifetime_ms);
     }},
    {"pool", "server_idle_timeout", "duration, 1s to 7d", "10m",
     "a connection that has not been used for this long is closed",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 1000), c.pool.server_idle_timeout_ms);
     }},
    {"pool", "prepared_statements", "1 to 100000", "200",
     "statements that stay prepared on one connection: those of clients in mode transaction, and those whose "
     "plans are kept. The least recently used one is dropped",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1, 100'000), c.pool.prepared_statements);
     }},
    {"pool", "kept_plan_bytes", "65536 to 1073741824", "4194304",
     "the text of the statements whose plans one connection keeps (masks.kept_plans), as sent to PostgreSQL, "
     "including masks. Plans of masks take about 15 times as much memory there",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 65'536, kMaxBytes), c.pool.kept_plan_bytes);
     }},
    {"pool", "rules", "list of {database: …, role: …, mode: …, size: …, reserve_size: …}", "[]",
     "different values for a database, a role or both. The first matching rule applies",
     [](Config& c, const Value& v, const Origin&) { return store_pool_rules(v, c); }},

    {"limits", "max_clients", "1 to 100000", "500",
     "the maximum number of simultaneous logged-in connections. Further ones get 53300",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1, 100'000), c.limits.max_clients);
     }},
    {"limits", "max_role_clients", "0 to 100000", "0",
     "the maximum number of simultaneous connections of one role. Further ones get 53300. 0: only "
     "max_clients applies",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, 100'000), c.limits.max_role_clients);
     }},
    {"limits", "login_clients", "1 to 100000", "200",
     "the maximum number of simultaneous connections that have not logged in. If it is exceeded, the "
     "oldest connection of the address with the most such connections is closed",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1, 100'000), c.limits.login_clients);
     }},
    {"limits", "admin_clients", "0 to 1000", "5",
     "additional connections beyond max_clients for admin_users on the console, so that they can log in "
     "when all others are taken",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, 1000), c.limits.admin_clients);
     }},
    {"limits", "statement_bytes", "1024 to 262144", "262144", "the maximum length of a client's statement",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1024, 262'144), c.limits.statement_bytes);
     }},
    {"limits", "output_bytes", "65536 to 268435456", "16777216",
     "the maximum length of a rewritten statement",
     [](Config& c, const Value& v,
        const Origin&) { return store(read_count(v, 65'536, 268'435'456), c.limits.output_bytes); }},
    {"limits", "nesting", "10 to 500", "500", "the maximum nesting depth of a client's statement",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 10, 500), c.limits.nesting);
     }},
    {"limits", "client_message_bytes", "65536 to 1073741824", "4194304",
     "the maximum length of a message from a client",
     [](Config& c, const Value& v,
        const Origin&) { return store(read_count(v, 65'536, kMaxBytes), c.limits.client_message_bytes); }},
    {"limits", "session_statements", "1 to 1000000", "10000",
     "the maximum number of prepared statements and portals of one session",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1, 1'000'000), c.limits.session_statements);
     }},
    {"limits", "session_statement_bytes", "65536 to 1073741824", "67108864",
     "the maximum total text of one session's prepared statements, portals and cursors, as sent to "
     "PostgreSQL, including masks. In mode transaction it also limits the statements that stay prepared on "
     "a connection",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 65'536, kMaxBytes), c.limits.session_statement_bytes);
     }},
    {"limits", "verdict_cache_bytes", "0 to 1073741824", "67108864",
     "memory for the cache of rewritten statements. 0: no cache",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, kMaxBytes), c.limits.verdict_cache_bytes);
     }},
    {"limits", "counts_bytes", "1048576 to 1099511627776", "2147483648",
     "memory for the combinations of quasi-identifiers while a table is counted. Building the tree takes "
     "about the same amount again",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1'048'576, kMaxCountsBytes), c.limits.counts_bytes);
     }},
    {"limits", "login_timeout", "duration, 1s to 7d", "10s",
     "the maximum time from connecting to the end of authentication",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 1000), c.limits.login_timeout_ms);
     }},
    {"limits", "drain_timeout", "duration, 0ms to 7d", "5s", "how long sessions may continue after SIGTERM",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.limits.drain_timeout_ms);
     }},
    {"limits", "client_idle_timeout", "duration, 0ms to 7d", "0ms",
     "a client that is idle this long outside a transaction is disconnected (57P05). 0ms: never",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.limits.client_idle_timeout_ms);
     }},
    {"limits", "idle_in_transaction_timeout", "duration, 0ms to 7d", "0ms",
     "a client that is idle this long in a transaction is disconnected (25P03). 0ms: never",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.limits.idle_in_transaction_timeout_ms);
     }},
    {"limits", "query_timeout", "duration, 0ms to 7d", "0ms",
     "a client whose request takes longer is disconnected, and its query is canceled (57014). 0ms: never",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.limits.query_timeout_ms);
     }},

    {"log", "level", "debug, info, warning or error", "info", "the minimum level of lines that are written",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kLevels, c.log.level); }},
    {"log", "format", "text or json", "text", "the format of lines on standard error",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kFormats, c.log.format); }},
    {"log", "lines_per_second", "0 to 1000000", "100",
     "the maximum number of lines of one kind per second. Further lines are only counted, and the count is "
     "written. 0: no limit",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, 1'000'000), c.log.lines_per_second);
     }},
    {"log", "log_private", "true or false", "false",
     "also write details that may quote SQL and data. Use it only while investigating a fault",
     [](Config& c, const Value& v, const Origin&) { return store(v.as_boolean(), c.log.log_private); }},
};

constexpr Section kSections[] = {
    {"listen", "Where clients connect", true, nullptr},
    {"backend", "The PostgreSQL server behind pgveil", false, nullptr},
    {"backend.query_role", "Runs all SQL of clients. Grant it SELECT and nothing else", false, nullptr},
    {"backend.admin_role",
     "Builds policies and exports tables, and never runs SQL of clients. Without it, "
     "query_role builds policies, and EXPORT … TO TABLE is refused",
     true, [](Config& c) { c.backend.admin_role.emplace(); }},
    {"auth", "How clients authenticate", true, nullptr},
    {"auth_query",
     "Lets clients log in with the password that PostgreSQL stores for them "
     "(docs/operations.md). RELOAD applies changes",
     true, [](Config& c) { c.auth_query.emplace(); }},
    {"tls", "Encrypted connections, with TLS 1.2 or later. RELOAD reads the files again", true, nullptr},
    {"tls.clients", "TLS between clients and pgveil", true, nullptr},
    {"tls.backend", "TLS between pgveil and PostgreSQL, for all of pgveil's connections", true, nullptr},
    {"admin", "The roles that may use the admin console, which is the virtual database pgveil", true,
     nullptr},
    {"admin.http", "A web page for the roles listed under admin (docs/web.md)", true, nullptr},
    {"admin.http.tls",
     "HTTPS for the page. A change of a path requires a restart. RELOAD reads the files "
     "again",
     true, nullptr},
    {"audit", "The audit log, which records who ran what, and with what outcome", true, nullptr},
    {"metrics", "Pages for Prometheus and for health checks, over HTTP", true, nullptr},
    {"masks", "How protected tables are masked in SQL", true, nullptr},
    {"pool", "How clients share connections to PostgreSQL", true, nullptr},
    {"limits", "Each limit has its own error, which is returned when the limit is exceeded", true, nullptr},
    {"log", "The log for operators", true, nullptr},
};

}  // namespace

std::span<const RetiredKey> retired_keys() {
  return kRetired;
}

std::span<const Option> config_options() {
  return kOptions;
}
std::string full_name(const Option& option) {
  return option.section.empty() ? std::string(option.key) : fmt::format("{}.{}", option.section, option.key);
}
bool is_reloadable(const Option& option) {
  const auto in = [&](std::string_view section) { return option.section == section; };
  if (in("")) return option.key != "state_dir";
  return in("auth_query") || in("tls.clients") || in("tls.backend") || in("admin") || in("masks") ||
         (in("auth") && option.key != "method") ||
         (in("admin.http") &&
          (option.key == "raw_rows" || option.key == "table_jobs" || option.key == "policy_authors"));
}
std::span<const Section> config_sections() {
  return kSections;
}

}  // namespace pgveil::app
