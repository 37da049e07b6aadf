#include "settings/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "settings/store.hpp"
#include "settings/values.hpp"

namespace pgveil::app {
namespace {

using yaml::Value;

constexpr std::array<std::pair<std::string_view, session::ClientAuthentication>, 2> kMethods{
    {{"scram-sha-256", session::ClientAuthentication::scram_sha_256},
     {"trust", session::ClientAuthentication::trust}}};
constexpr std::array<std::pair<std::string_view, ClientTls>, 5> kClientTls{
    {{"disable", ClientTls::disable},
     {"allow", ClientTls::allow},
     {"prefer", ClientTls::prefer},
     {"require", ClientTls::require},
     {"verify-ca", ClientTls::verify_ca}}};
constexpr std::array<std::pair<std::string_view, BackendTls>, 4> kBackendTls{
    {{"disable", BackendTls::disable},
     {"require", BackendTls::require},
     {"verify-ca", BackendTls::verify_ca},
     {"verify-full", BackendTls::verify_full}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kChannelBinding{
    {{"prefer", false}, {"require", true}}};
constexpr std::array<std::pair<std::string_view, rewriter::MaskChoice>, 3> kMaskForms{
    {{"cheapest", rewriter::MaskChoice::cheapest},
     {"by_column", rewriter::MaskChoice::by_column},
     {"by_row", rewriter::MaskChoice::by_row}}};
constexpr std::array<std::pair<std::string_view, log::Level>, 4> kLevels{{{"debug", log::Level::debug},
                                                                          {"info", log::Level::info},
                                                                          {"warning", log::Level::warning},
                                                                          {"error", log::Level::error}}};
constexpr std::array<std::pair<std::string_view, log::Format>, 2> kFormats{
    {{"text", log::Format::text}, {"json", log::Format::json}}};

using Origin = ConfigOrigin;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;
constexpr std::int64_t kMaxCountsBytes = std::int64_t{1} << 40;

constexpr auto kRetired = std::to_array<RetiredKey>({
    {"admin.http.spark",
     "the page runs no jobs on a cluster; pgveil-spark reads the database itself (docs/spark.md)"},
});

constexpr Option kOptions[] = {
    {"", "policies", "list of paths", "[]",
     "policy files; * and ? match within a folder; relative to this file",
     [](Config& c, const Value& v, const Origin& o) { return store_paths(v, c.policies, o); }},
    {"", "jobs", "list of paths", "[]",
     "files of jobs that ANONYMIZE JOB may run (docs/anonymize.md); * and ? as in policies",
     [](Config& c, const Value& v, const Origin& o) { return store_paths(v, c.jobs, o); }},
    {"", "open_tables", "list of tables", "[]",
     "tables without a policy that every role may read, and views, which show what their tables show to the "
     "role: "
     "schema.table, or database:schema.table; for some roles only {table: …, readers: […]}, or access: "
     "from_database, which asks PostgreSQL's grants for the role of the client's name",
     [](Config& c, const Value& v, const Origin&) { return store_open_tables(v, c); }},
    {"", "acknowledged", "list of {object: …, reason: …}", "[]",
     "what `pgveil check` found and you decided to live with; object as check writes it, database: where it "
     "holds "
     "(every one)",
     [](Config& c, const Value& v, const Origin&) { return store_acknowledged(v, c); }},
    {"", "bypass_roles", "list of {role: …, user: …, password_file: …}", "[]",
     "client roles whose whole protocol is passed on unjudged and unmasked to a backend role of their own: "
     "docs/least-privilege.md. password_env instead of password_file; databases: the ones it may use (every "
     "one)",
     [](Config& c, const Value& v, const Origin& o) { return store_bypass_roles(v, c, o); }},
    {"", "state_dir", "path", kRequired,
     "where versions of policies of databases without the schema pgveil are kept: "
     "state_dir/database/policy.json",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.state_dir); }},
    {"", "export_dir", "path", "none",
     "EXPORT … TO FILE and ANONYMIZE JOB write files below it; without it only tables",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.export_dir); }},

    {"listen", "host", "name or address", "127.0.0.1", "where clients connect",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.listen.host); }},
    {"listen", "port", "port", "6432", "0: any free one; the start line tells which",
     [](Config& c, const Value& v, const Origin&) { return store(read_port(v), c.listen.port); }},
    {"listen", "socket_dir", "path", "none",
     "folder of a Unix socket to listen on as well, named as psql -h folder looks for it",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.listen.socket_dir); }},
    {"listen", "socket_mode", "mode", "0770", "rights on it: who may write it may connect",
     [](Config& c, const Value& v, const Origin&) { return store(read_mode(v), c.listen.socket_mode); }},
    {"listen", "threads", "1 to 64", "2", "network threads; each drives its share of the sessions",
     [](Config& c, const Value& v, const Origin&) { return store(read_count(v, 1, 64), c.listen.threads); }},

    {"backend", "host", "name, address or folder", kRequired,
     "the PostgreSQL 15 server; a folder, with / at its start: of its Unix socket",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.backend.host); }},
    {"backend", "port", "port", "5432", "its port",
     [](Config& c, const Value& v, const Origin&) { return store(read_port(v), c.backend.port); }},
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
    {"backend", "catalog_check_every", "duration, 1s to 7d", "5s",
     "how often tables are compared with what the versions were built from; a changed one closes",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 1000), c.backend.catalog_check_every_ms);
     }},
    {"backend", "accept_excess", "list of rights", "[]",
     "rights that query_role has beyond what it needs and that are accepted all the same, one word each, as "
     "docs/least-privilege.md lists them; any other one keeps pgveil from starting",
     [](Config& c, const Value& v, const Origin&) { return store_excess(v, c); }},

    {"backend", "mask_views", "true or false", "false",
     "masks become views of the schema pgveil, so that query_role needs no right on the tables of policies; "
     "needs an admin_role and what `pgveil setup-sql` then prints: docs/least-privilege.md",
     [](Config& c, const Value& v, const Origin&) { return store(v.as_boolean(), c.backend.mask_views); }},
    {"backend", "mask_owner", "name", "pgveil_masks",
     "with mask_views: the role that owns the views and reads the tables; nobody logs in as it",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.backend.mask_owner); }},

    {"backend.query_role", "user", "name", kRequired, "the role",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.backend.query_role.user); }},
    {"backend.query_role", "password_env", "name", "none", "environment variable with the password",
     [](Config& c, const Value& v, const Origin&) {
       return store_password(read_password_variable(v), c.backend.query_role, v);
     }},
    {"backend.query_role", "password_file", "path", "none", "file with the password, mode 0600",
     [](Config& c, const Value& v, const Origin& o) {
       return store_password(read_password_file(v, o), c.backend.query_role, v);
     }},

    {"backend.admin_role", "user", "name", kRequired, "the role",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_word(v), c.backend.admin_role->user);
     }},
    {"backend.admin_role", "password_env", "name", "none", "environment variable with the password",
     [](Config& c, const Value& v, const Origin&) {
       return store_password(read_password_variable(v), *c.backend.admin_role, v);
     }},
    {"backend.admin_role", "password_file", "path", "none", "file with the password, mode 0600",
     [](Config& c, const Value& v, const Origin& o) {
       return store_password(read_password_file(v, o), *c.backend.admin_role, v);
     }},

    {"auth", "method", "scram-sha-256 or trust", "scram-sha-256",
     "how clients log in; trust is for demonstrations and needs a loopback listen.host",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kMethods, c.auth.method); }},
    {"auth", "users_file", "path", "none",
     "one \"role\" \"SCRAM-SHA-256$…\" a line; required for scram-sha-256 without auth_query. With trust and "
     "no file any role is let in",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.auth.users_file); }},

    {"auth", "hba_file", "path", "none",
     "who may log in from where, in a part of pg_hba.conf's syntax (docs/operations.md); none: everybody "
     "from everywhere",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.auth.hba_file); }},

    {"auth_query", "query", "SQL", kShippedVerifierQuery,
     "gives the name and the SCRAM verifier of the role $1, or no row; runs in a read-only transaction with "
     "search_path = pg_catalog",
     [](Config& c, const Value& v, const Origin&) { return store_auth_query(v, c); }},
    {"auth_query", "user", "name", kRequired, "the role that asks; never query_role",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.auth_query->role.user); }},
    {"auth_query", "password_env", "name", "none", "environment variable with the password",
     [](Config& c, const Value& v, const Origin&) {
       return store_password(read_password_variable(v), c.auth_query->role, v);
     }},
    {"auth_query", "password_file", "path", "none", "file with the password, mode 0600",
     [](Config& c, const Value& v, const Origin& o) {
       return store_password(read_password_file(v, o), c.auth_query->role, v);
     }},
    {"auth_query", "database", "name", "none", "where it asks; none: the first of backend.databases",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.auth_query->database); }},
    {"auth_query", "let_in", "list of {user: …, as: …}", kRequired,
     "who of those it finds may log in, \"*\": everybody, and as which role of the policies (its own name); "
     "the first that fits counts. All of them are masked: admins, bypass roles and exempt roles need "
     "users_file, which comes first for every name in it",
     [](Config& c, const Value& v, const Origin&) { return store_let_in(v, c); }},
    {"auth_query", "cache", "duration, 0ms to 5m", "10s",
     "how long what it said of a name is believed; RELOAD forgets it",
     [](Config& c, const Value& v, const Origin&) { return store_cache(v, c); }},

    {"tls.clients", "mode", "disable, allow, prefer, require or verify-ca", "disable",
     "allow and prefer: TLS for those who ask; require: nobody else is let in (over TCP); verify-ca: only "
     "with a certificate that one of ca_file has signed",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kClientTls, c.tls.clients); }},
    {"tls.clients", "cert_file", "path", "none",
     "our certificate, then those between it and its authority; PEM",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.client_files.certificate);
     }},
    {"tls.clients", "key_file", "path", "none",
     "its key, PEM without a pass phrase; mode 0600, or 0640 when root owns it",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.client_files.key);
     }},
    {"tls.clients", "ca_file", "path", "none",
     "authorities of clients' certificates; one that a client shows is checked in every mode",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.client_files.authorities);
     }},
    {"tls.clients", "crl_file", "path", "none",
     "certificates of clients that are revoked: PEM lists, one of each authority in ca_file",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.client_files.revoked);
     }},
    {"tls.backend", "mode", "disable, require, verify-ca or verify-full", "disable",
     "as libpq's sslmode: require believes any certificate, verify-full wants backend.host in it",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kBackendTls, c.tls.backend); }},
    {"tls.backend", "ca_file", "path", "none",
     "authorities of the server's certificate; for verify-ca and verify-full",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.backend_files.authorities);
     }},
    {"tls.backend", "crl_file", "path", "none", "certificates of servers that are revoked, as in tls.clients",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.backend_files.revoked);
     }},
    {"tls.backend", "cert_file", "path", "none", "a certificate of ours, where the server wants one",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.backend_files.certificate);
     }},
    {"tls.backend", "key_file", "path", "none", "its key, as in tls.clients",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.tls.backend_files.key);
     }},
    {"tls.backend", "channel_binding", "prefer or require", "prefer",
     "SCRAM-SHA-256-PLUS at the server: where both can, or else no login",
     [](Config& c, const Value& v, const Origin&) {
       return store_choice(v, kChannelBinding, c.tls.backend_channel_binding);
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
     "where the page is; an address that is not loopback needs tls and names. Or reach it from elsewhere "
     "through a tunnel (ssh -L)",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.page.host); }},
    {"admin.http", "port", "port", "none", "none: there is no page; 0: any free one, which the log tells",
     [](Config& c, const Value& v, const Origin&) { return store(read_port(v), c.page.port); }},
    {"admin.http", "names", "list of names", "[]",
     "with tls: names that browsers ask for the page under, in small letters, beside localhost and loopback "
     "addresses",
     [](Config& c, const Value& v, const Origin&) { return store(read_names(v, "name"), c.page.names); }},
    {"admin.http", "raw_rows", "list of names", "[]",
     "admins who are shown rows of policies' tables as they are, beside the masked ones, each time with "
     "their password and on record; needs audit.file and admin_role. RELOAD takes it over",
     [](Config& c, const Value& v, const Origin&) { return store(read_names(v, "role"), c.page.raw_rows); }},
    {"admin.http", "table_jobs", "list of names", "[]",
     "admins who set up jobs over tables that admin_role reads, and that publish to tables: they choose what "
     "is published, so they can read all of it; needs audit.file and admin_role. RELOAD takes it over",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_names(v, "role"), c.page.table_jobs);
     }},
    {"admin.http.tls", "cert_file", "path", "none", "as in tls.clients",
     [](Config& c, const Value& v, const Origin& o) {
       return store(read_path(v, o), c.page.tls.certificate);
     }},
    {"admin.http.tls", "key_file", "path", "none", "as in tls.clients",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.page.tls.key); }},

    {"audit", "file", "path", "none",
     "one line of JSON for each login, statement, answer and command (docs/operations.md); created with mode "
     "0600. A "
     "line that can't be written ends the session before anything is done. Without it nothing is audited",
     [](Config& c, const Value& v, const Origin& o) { return store(read_path(v, o), c.audit.file); }},
    {"audit", "sql_bytes", "0 to 262144", "8192",
     "longest text of a statement in it, its literals replaced by ?; 0: none",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, 262'144), c.audit.sql_bytes);
     }},
    {"audit", "key_file", "path", "none",
     "file with a key, mode 0600: the lines' chain is then HMAC-SHA-256 and can't be made without it, else "
     "SHA-256",
     [](Config& c, const Value& v, const Origin& o) { return store(read_password_file(v, o), c.audit.key); }},

    {"metrics", "host", "address", "127.0.0.1",
     "where /metrics, /healthz and /readyz are; there is no login there",
     [](Config& c, const Value& v, const Origin&) { return store(read_word(v), c.metrics.host); }},
    {"metrics", "port", "port", "none", "none: they are not served; 0: any free one, which the log tells",
     [](Config& c, const Value& v, const Origin&) { return store(read_port(v), c.metrics.port); }},
    {"metrics", "names", "list of names", "[]",
     "names that the pages are asked for under, in small letters, beside localhost and addresses; others are "
     "refused (421)",
     [](Config& c, const Value& v, const Origin&) { return store(read_names(v, "name"), c.metrics.names); }},

    {"masks", "form", "cheapest, by_column or by_row", "cheapest",
     "how masks are written: a decision in each column, or one for the row where that is possible. All show "
     "the "
     "same; cheapest picks by statement",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kMaskForms, c.mask_form); }},
    {"masks", "look_ups", "true or false", "true",
     "masked_column = constant finds its rows by an index of the table; the time then tells how many rows "
     "have a value that "
     "is shown somewhere, hidden ones included: docs/attack-model.md",
     [](Config& c, const Value& v, const Origin&) { return store(v.as_boolean(), c.look_ups); }},

    {"pool", "mode", "none, session or transaction", "none",
     "none: each client has a connection to PostgreSQL of its own; session: its connection is cleaned and "
     "used again when the client has gone; transaction: clients share connections from one transaction to "
     "the next: docs/pooling.md",
     [](Config& c, const Value& v, const Origin&) { return store(read_pool_mode(v), c.pool.mode); }},
    {"pool", "size", "1 to 10000", "20", "connections for one role of one database; not with mode none",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1, kMaxPoolSize), c.pool.size);
     }},
    {"pool", "reserve_size", "0 to 10000", "0", "so many more when a client has waited for reserve_after",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, kMaxPoolSize), c.pool.reserve_size);
     }},
    {"pool", "reserve_after", "duration, 0ms to 7d", "5s", "how long a client waits for the reserve",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.pool.reserve_after_ms);
     }},
    {"pool", "wait_timeout", "duration, 100ms to 7d", "120s",
     "a client that has waited so long for a connection is ended with 53300",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 100), c.pool.wait_timeout_ms);
     }},
    {"pool", "server_lifetime", "duration, 1s to 7d", "1h",
     "an older connection is closed when nobody uses it",
     [](Config& c, const Value& v,
        const Origin&) { return store(read_duration_ms(v, 1000), c.pool.server_lifetime_ms); }},
    {"pool", "server_idle_timeout", "duration, 1s to 7d", "10m",
     "a connection that nobody has used for so long is closed",
     [](Config& c, const Value& v,
        const Origin&) { return store(read_duration_ms(v, 1000), c.pool.server_idle_timeout_ms); }},
    {"pool", "prepared_statements", "1 to 100000", "200",
     "kept prepared on one connection in mode transaction; the one that was not used for longest goes",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1, 100'000), c.pool.prepared_statements);
     }},
    {"pool", "rules", "list of {database: …, role: …, mode: …, size: …, reserve_size: …}", "[]",
     "other values for a database, a role or both; the first that fits counts",
     [](Config& c, const Value& v, const Origin&) { return store_pool_rules(v, c); }},

    {"limits", "max_clients", "1 to 100000", "500", "connections at once that have logged in; more get 53300",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1, 100'000), c.limits.max_clients);
     }},
    {"limits", "max_role_clients", "0 to 100000", "0",
     "connections of one role at once; more get 53300; 0: no limit but max_clients",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, 100'000), c.limits.max_role_clients);
     }},
    {"limits", "login_clients", "1 to 100000", "200",
     "connections at once that have not logged in; when a new one comes, the oldest one of the address that "
     "has most of them is closed",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1, 100'000), c.limits.login_clients);
     }},
    {"limits", "admin_clients", "0 to 1000", "5",
     "places beyond max_clients for admin_users on the console, so that they come in when all are taken",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, 1000), c.limits.admin_clients);
     }},
    {"limits", "statement_bytes", "1024 to 262144", "262144", "longest text of a client's statement",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1024, 262'144), c.limits.statement_bytes);
     }},
    {"limits", "output_bytes", "65536 to 268435456", "16777216", "longest text of a rewritten statement",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 65'536, 268'435'456), c.limits.output_bytes);
     }},
    {"limits", "nesting", "10 to 500", "500", "deepest nesting of a client's statement",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 10, 500), c.limits.nesting);
     }},
    {"limits", "client_message_bytes", "65536 to 1073741824", "4194304", "longest message of a client",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 65'536, kMaxBytes), c.limits.client_message_bytes);
     }},
    {"limits", "session_statements", "1 to 1000000", "10000",
     "prepared statements and portals of one session",
     [](Config& c, const Value& v,
        const Origin&) { return store(read_count(v, 1, 1'000'000), c.limits.session_statements); }},
    {"limits", "session_statement_bytes", "65536 to 1073741824", "67108864",
     "text of one session's prepared statements, portals and cursors, as it was sent to PostgreSQL, masks "
     "included; the same of what is kept prepared on a connection in mode transaction",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 65'536, kMaxBytes), c.limits.session_statement_bytes);
     }},
    {"limits", "verdict_cache_bytes", "0 to 1073741824", "67108864",
     "memory for rewritten statements; 0: no cache",
     [](Config& c, const Value& v,
        const Origin&) { return store(read_count(v, 0, kMaxBytes), c.limits.verdict_cache_bytes); }},
    {"limits", "counts_bytes", "1048576 to 1099511627776", "2147483648",
     "memory for the combinations of quasi-identifiers of one table that is counted; building the tree takes "
     "about as much "
     "again",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 1'048'576, kMaxCountsBytes), c.limits.counts_bytes);
     }},
    {"limits", "login_timeout", "duration, 1s to 7d", "10s",
     "from connect until the client has shown who it is",
     [](Config& c, const Value& v,
        const Origin&) { return store(read_duration_ms(v, 1000), c.limits.login_timeout_ms); }},
    {"limits", "drain_timeout", "duration, 0ms to 7d", "5s", "how long sessions may go on after SIGTERM",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.limits.drain_timeout_ms);
     }},
    {"limits", "client_idle_timeout", "duration, 0ms to 7d", "0ms",
     "a client that says nothing for so long outside a transaction is ended (57P05); 0ms: never",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.limits.client_idle_timeout_ms);
     }},
    {"limits", "idle_in_transaction_timeout", "duration, 0ms to 7d", "0ms",
     "a client that says nothing for so long in a transaction is ended (25P03); 0ms: never",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.limits.idle_in_transaction_timeout_ms);
     }},
    {"limits", "query_timeout", "duration, 0ms to 7d", "0ms",
     "a client whose request takes longer is ended and its query cancelled (57014); 0ms: never",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_duration_ms(v, 0), c.limits.query_timeout_ms);
     }},

    {"log", "level", "debug, info, warning or error", "info", "lines below it are not written",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kLevels, c.log.level); }},
    {"log", "format", "text or json", "text", "form of a line on standard error",
     [](Config& c, const Value& v, const Origin&) { return store_choice(v, kFormats, c.log.format); }},
    {"log", "lines_per_second", "0 to 1000000", "100",
     "of one kind of line; more are counted, and the count is written; 0: no limit",
     [](Config& c, const Value& v, const Origin&) {
       return store(read_count(v, 0, 1'000'000), c.log.lines_per_second);
     }},
    {"log", "log_private", "true or false", "false",
     "also write details that may quote SQL and data; only while looking for a fault",
     [](Config& c, const Value& v, const Origin&) { return store(v.as_boolean(), c.log.log_private); }},
};

constexpr Section kSections[] = {
    {"listen", "where clients connect", true, nullptr},
    {"backend", "the PostgreSQL server behind", false, nullptr},
    {"backend.query_role", "carries all SQL of clients. Give it SELECT and nothing else", false, nullptr},
    {"backend.admin_role",
     "builds and exports; never carries SQL of clients. Without it query_role builds, and "
     "EXPORT … TO TABLE is refused",
     true, [](Config& c) { c.backend.admin_role.emplace(); }},
    {"auth", "how clients prove who they are", true, nullptr},
    {"auth_query",
     "clients that log in with the password PostgreSQL has of them: docs/operations.md. RELOAD takes it over",
     true, [](Config& c) { c.auth_query.emplace(); }},
    {"tls", "encrypted connections, TLS 1.2 and up. RELOAD reads the files again", true, nullptr},
    {"tls.clients", "between clients and pgveil", true, nullptr},
    {"tls.backend", "between pgveil and PostgreSQL, for all of pgveil's connections", true, nullptr},
    {"admin", "who may use the console, the virtual database pgveil", true, nullptr},
    {"admin.http", "a page for browsers, for the roles of admin (docs/web.md)", true, nullptr},
    {"admin.http.tls", "HTTPS for it. Another path needs a restart; RELOAD reads the files again", true,
     nullptr},
    {"audit", "who asked what, and what became of it", true, nullptr},
    {"metrics", "pages for Prometheus and for health checks, over HTTP", true, nullptr},
    {"masks", "how protected tables are masked in SQL", true, nullptr},
    {"pool", "how clients share connections to PostgreSQL", true, nullptr},
    {"limits", "each has an error of its own when it is crossed", true, nullptr},
    {"log", "lines for operators", true, nullptr},
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
  return in("auth_query") || in("tls.clients") || in("tls.backend") || in("admin") ||
         (in("auth") && option.key != "method") ||
         (in("admin.http") && (option.key == "raw_rows" || option.key == "table_jobs"));
}
std::span<const Section> config_sections() {
  return kSections;
}

}  // namespace pgveil::app
