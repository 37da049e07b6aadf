#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "settings/config.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

// A whole configuration without a fault; the tests below spoil it.
const std::string kGood = R"(listen: {host: 127.0.0.1, port: 6432}
backend:
  host: db.example
  databases: [demo, other]
  query_role: {user: reader}
auth: {method: trust}
admin: {admin_users: [operator]}
state_dir: state
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("patterns of open_tables are kept apart from tables that are named") {
  const auto config = read_config_text(kGood +
                                           "open_tables: [public.cities, \"public.*\", {table: "
                                           "\"demo:hr.log_*\", readers: [ann], except: [log_x]}, "
                                           "{table: \"hr.*\", except: [secrets, \"tmp_*\"]}]\n",
                                       "pgveil.yaml");
  REQUIRE(config.has_value());
  CHECK(open_tables_of(*config, "demo") == std::vector<std::string>{"public.cities"});
  const auto patterns = open_patterns_of(*config, "demo");
  REQUIRE(patterns.size() == 3);
  CHECK(patterns[0].text == "public.*");
  CHECK_FALSE(patterns[0].access.has_value());
  REQUIRE(patterns[1].access.has_value());
  CHECK(patterns[1].access->readers == std::vector<std::string>{"ann"});
  CHECK(patterns[2].except == std::vector<std::string>{"secrets", "tmp_*"});
  CHECK(open_access_of(*config, "demo").empty());
  for (const char* open : {"public.cities", "public.any", "hr.log_a", "hr.other"}) {
    CAPTURE(open);
    CHECK(is_in_open_tables(*config, "demo", open));
  }
  for (const char* closed : {"other.cities", "hr.secrets", "hr.tmp_1", "publicity.x", "public"}) {
    CAPTURE(closed);
    CHECK_FALSE(is_in_open_tables(*config, "demo", closed));
  }
}

TEST_CASE("a short configuration has the documented defaults") {
  const auto config = read_config_text(kGood, "/etc/pgveil/pgveil.yaml");
  REQUIRE_MESSAGE(config.has_value(), one_line(config.error()));
  CHECK(config->backend.port == 5432);
  CHECK(config->backend.schemas == std::vector<std::string>{"public"});
  CHECK(config->backend.connect_timeout_ms == 10'000);
  CHECK_FALSE(config->backend.admin_role.has_value());
  CHECK(config->limits == LimitsConfig{});
  CHECK(config->state_dir == "/etc/pgveil/state");
  CHECK(config->export_dir.empty());
  CHECK(build_endpoint(*config).user == "reader");
}

TEST_CASE("servers are read with their ports, and pgveil's own logins use them as they must") {
  const auto config =
      read_config_text(replaced(kGood, "  host: db.example\n",
                                "  hosts: [db1, \"[::1]:5433\", \"[fe80::2]\", /run/pg:5434]\n  port: 6000\n"
                                "  target_session_attrs: prefer-standby\n"),
                       "pgveil.yaml");
  REQUIRE_MESSAGE(config.has_value(), one_line(config.error()));
  CHECK(text_of(places_of(config->backend)) == "db1:6000, [::1]:5433, [fe80::2]:6000, /run/pg:5434");
  const auto query = query_endpoint(*config);
  CHECK(query.wanted == WantedServer::prefer_standby);
  CHECK(text_of(db::places_of(query)) == text_of(places_of(config->backend)));
  CHECK(build_endpoint(*config).wanted == WantedServer::primary);
  CHECK(versions_endpoint(*config).wanted == WantedServer::prefer_primary);
  const auto one = read_config_text(kGood, "pgveil.yaml");
  REQUIRE(one.has_value());
  CHECK(build_endpoint(*one).wanted == WantedServer::any);  // it may be a standby
  for (const auto& [word, wanted] :
       {std::pair("read-write", WantedServer::primary), std::pair("read-only", WantedServer::standby),
        std::pair("any", WantedServer::any)}) {
    const auto read =
        read_config_text(replaced(kGood, "  host: db.example\n",
                                  "  host: db.example\n  target_session_attrs: " + std::string(word) + "\n"),
                         "pgveil.yaml");
    REQUIRE(read.has_value());
    CHECK(read->backend.wanted == wanted);
  }
}

TEST_CASE("a command for the password is shared by all logins, and compared by its words") {
  const std::string text = replaced(replaced(kGood, "db.example", "127.0.0.1"), "user: reader",
                                    "user: reader, password_command: [sh, -c, 'echo x y']");
  const auto config = read_config_text(text, "pgveil.yaml");
  REQUIRE_MESSAGE(config.has_value(), one_line(config.error()));
  CHECK(config->backend.query_role.password_command == std::vector<std::string>{"sh", "-c", "echo x y"});
  CHECK(config->backend.query_role.password_command_every_ms == 600'000);
  REQUIRE(query_endpoint(*config).password_command != nullptr);
  CHECK(query_endpoint(*config).password_command == build_endpoint(*config).password_command);
  const auto again = read_config_text(text, "pgveil.yaml");
  CHECK(again->backend == config->backend);
}

TEST_CASE("what a name of listen.host stands for is asked when it is listened on") {
  for (const char* host : {"localhost", "127.lan.example", "127.0.0.2", "::1"}) {
    CAPTURE(host);
    CHECK(read_config_text(
              replaced(kGood, "host: 127.0.0.1, port: 6432", std::string("host: '") + host + "', port: 1"),
              "/etc/pgveil.yaml")
              .has_value());
  }
}

TEST_CASE("every section is taken over") {
  ::setenv("PGVEIL_TEST_PASSWORD", "s3cret", 1);
  const auto config = read_config_text(R"(
policies: [policies/*.yaml, /abs/p.yaml]
open_tables: [public.cities, "other:s.t"]
open_functions: [public.round, "extension:semver"]
acknowledged:
  - {object: public.v, reason: it is empty}
  - {object: 'function public.f(integer, text)', reason: pure, database: other
}
state_dir: /var/lib/pgveil
export_dir: ../exports
listen: {host: 0.0.0.0, port: 0, threads: 4}
backend:
  host: ::1
  port: 5433
  databases: [demo, other]
  schemas: [app, public]
  connect_timeout: 3s
  catalog_check_every: 1m
  query_role: {user: reader, password_env: PGVEIL_TEST_PASSWORD}
  admin_role: {user: builder}
auth: {users_file: users.txt}
admin: {admin_users: [a, b], stats_users: [c]}
limits: {max_clients: 7, statement_bytes: 2048, login_timeout: 5s, verdict_cache_bytes: 0, counts_bytes: 1048576, drain_timeout: 0ms}
log: {level: debug, format: json, log_private: true}
)",
                                       "/etc/pgveil/pgveil.yaml");
  REQUIRE_MESSAGE(config.has_value(), one_line(config.error()));
  CHECK(config->policies[0].pattern == "/etc/pgveil/policies/*.yaml");
  CHECK(config->policies[1].pattern == "/abs/p.yaml");
  CHECK(config->export_dir == "/etc/exports");
  CHECK(config->listen == ListenConfig{"0.0.0.0", 0, "", 0770, 4});
  CHECK(config->backend.schemas == std::vector<std::string>{"app", "public"});
  CHECK(config->backend.catalog_check_every_ms == 60'000);
  CHECK(query_endpoint(*config).password == "s3cret");
  CHECK(build_endpoint(*config).user == "builder");
  CHECK(config->auth.users_file == "/etc/pgveil/users.txt");
  CHECK(config->limits.max_clients == 7);
  CHECK(config->limits.login_timeout_ms == 5'000);
  CHECK(config->log.log_private);
  CHECK(open_tables_of(*config, "demo") == std::vector<std::string>{"public.cities"});
  CHECK(config->open_functions == std::vector<std::string>{"public.round", "extension:semver"});
  CHECK(acknowledged_in(*config, "demo") == std::vector<Acknowledgement>{{"public.v", "it is empty"}});
  CHECK(acknowledged_in(*config, "other").size() == 2);
  CHECK(open_tables_of(*config, "other") == std::vector<std::string>{"public.cities", "s.t"});
}

const std::string kAuthQuery =
    "auth_query: {query: 'SELECT a, b FROM f($1)', user: asker, let_in: [{user: ann}]}\n";

TEST_CASE("auth_query takes the place of the users file, and asks as nobody's own") {
  const std::string scram = replaced(kGood, "method: trust", "method: scram-sha-256");
  const auto config = read_config_text(
      scram + replaced(kAuthQuery, "{user: ann}", "{user: ann, as: analyst}, {user: '*'}"), "pgveil.yaml");
  REQUIRE_MESSAGE(config.has_value(), one_line(config.error()));
  REQUIRE(config->auth_query.has_value());
  CHECK(config->auth_query->cache_ms == 10'000);
  CHECK(config->auth_query->let_in[0].as == "analyst");
  CHECK(config->auth_query->let_in[1].user == kEverybody);
  CHECK(config->auth_query->let_in[1].as.empty());
  CHECK(auth_query_endpoint(*config).user == "asker");

  const auto refused = [&](const std::string& from, const std::string& to) {
    const auto read = read_config_text(scram + replaced(kAuthQuery, from, to), "pgveil.yaml");
    return read ? std::string() : read.error().public_message;
  };
  CHECK(refused("user: asker", "user: reader").find("runs SQL of clients") != std::string::npos);
  CHECK(refused("{user: ann}", "{user: ann, as: operator}").find("an admin") != std::string::npos);
}

struct Wrong {
  std::string name;
  std::string text;
  std::string place;  // "line:column" in the message
  std::string words;
};

std::vector<Wrong> wrong_configurations() {
  const auto good = [](const std::string& from, const std::string& to) { return replaced(kGood, from, to); };
  return {
      {"unknown section", good("listen:", "lissten:"), "1:1", "did you mean \"listen\""},
      {"unknown key", good("port: 6432", "prot: 6432"), "1:27", "did you mean \"port\""},
      {"unknown key two levels down", good("user: reader", "user: reader, passwd: x"), "5:30", "passwd"},
      {"duplicate key", kGood + "state_dir: other\n", "9:1", "state_dir"},
      {"port is no number", good("6432", "none"), "1:33", "none"},
      {"port out of range", good("6432", "65536"), "1:33", "65535"},
      {"threads 0", good("port: 6432", "threads: 0"), "1:36", "1"},
      {"backend is missing", "state_dir: state\nauth: {method: trust}\n", "1:1", "backend is missing"},
      {"backend.host is missing", good("  host: db.example\n", ""), "3:3", "backend.host is missing"},
      {"host and hosts", good("  host: db.example\n", "  host: a\n  hosts: [b]\n"), "4:10", "both given"},
      {"no hosts", good("  host: db.example\n", "  hosts: []\n"), "3:10", "no server"},
      {"a host without a name", good("  host: db.example\n", "  hosts: [a, \":5432\"]\n"), "3:14",
       "no server"},
      {"an IPv6 address without brackets", good("  host: db.example\n", "  hosts: [\"::1\"]\n"), "3:11",
       "IPv6"},
      {"a bracket that is not closed", good("  host: db.example\n", "  hosts: [\"[::1:5432\"]\n"), "3:11",
       "no server"},
      {"a port that is none", good("  host: db.example\n", "  hosts: [a:70000]\n"), "3:11", "no server"},
      {"an unknown kind of server",
       good("  host: db.example\n", "  host: db.example\n  target_session_attrs: master\n"), "4:25",
       "master"},
      {"an empty command", good("user: reader", "user: reader, password_command: []"), "5:48",
       "empty command"},
      {"a command as a text", good("user: reader", "user: reader, password_command: token"), "5:48", ""},
      {"a token in the open", good("user: reader", "user: reader, password_command: [token]"), "3:3",
       "requires tls.backend.mode verify-ca"},
      {"databases are missing", good("  databases: [demo, other]\n", ""), "3:3",
       "backend.databases is missing"},
      {"no database", good("[demo, other]", "[]"), "4:14", "no database"},
      {"a database twice", good("[demo, other]", "[demo, demo]"), "4:21", "listed twice"},
      {"a database named as the console", good("[demo, other]", "[pgveil]"), "4:14", "admin console"},
      {"databases is no list", good("[demo, other]", "demo"), "4:14", ""},
      {"query_role is missing", good("  query_role: {user: reader}\n", ""), "3:3",
       "backend.query_role is missing"},
      {"a role without a user", good("{user: reader}", "{}"), "5:15", "backend.query_role.user is missing"},
      {"an empty user", good("user: reader", "user: ''"), "5:22", "empty text"},
      {"a control character", good("user: reader", "user: \"a\\nb\""), "5:22", "control character"},
      {"the variable is not set", good("user: reader", "user: reader, password_env: PGVEIL_TEST_NONE"),
       "5:44", "the environment has no \"PGVEIL_TEST_NONE\""},
      {"one role for both",
       good("query_role: {user: reader}", "query_role: {user: r}\n  admin_role: {user: r}"), "6:15",
       "same role"},
      {"unknown method", good("method: trust", "method: md5"), "6:16", "md5"},
      {"trust for the world", good("127.0.0.1", "0.0.0.0"), "1:16", "trust"},
      {"trust for a network", good("127.0.0.1", "10.99.99.99"), "1:16", "trust"},
      {"metrics under a name", kGood + "metrics: {host: localhost, port: 1}\n", "9:17", "not an address"},
      {"metrics for no name", kGood + "metrics: {port: 1, names: [a b]}\n", "9:27", "not a host name"},
      {"scram without users", good("method: trust", "method: scram-sha-256"), "6:7",
       "auth.users_file is missing"},
      {"auth_query with trust", kGood + kAuthQuery, "9:13",
       "auth_query can't be used with auth.method trust"},
      {"auth_query without rules", replaced(kGood + kAuthQuery, "[{user: ann}]", "[]"), "9:68",
       "nobody is let in"},
      {"auth_query without let_in", replaced(kGood + kAuthQuery, ", let_in: [{user: ann}]", ""), "9:13",
       "auth_query.let_in is missing"},
      {"auth_query without $1", replaced(kGood + kAuthQuery, "$1", "1"), "9:21", "does not use $1"},
      {"auth_query that believes for too long",
       replaced(kGood + kAuthQuery, "user: asker", "user: asker, cache: 6m"), "9:67", "5m"},
      {"a rule of auth_query without user", replaced(kGood + kAuthQuery, "{user: ann}", "{as: ann}"), "9:69",
       "a rule without user"},
      {"a rule of auth_query as everybody",
       replaced(kGood + kAuthQuery, "{user: ann}", "{user: ann, as: '*'}"), "9:85", "as must name a role"},
      {"a rule of auth_query behind everybody",
       replaced(kGood + kAuthQuery, "{user: ann}", "{user: '*'}, {user: ann}"), "9:82", "no user reaches"},
      {"a role twice", good("[operator]", "[a, a]"), "7:26", "listed twice"},
      {"a name that is too long", good("[operator]", "[" + std::string(64, 'a') + "]"), "7:23", "63"},
      {"state_dir is missing", good("state_dir: state\n", ""), "1:1", "state_dir is missing"},
      {"an open table without a schema", kGood + "open_tables: [cities]\n", "9:15", "schema.table"},
      {"a pattern with a * before its end", kGood + "open_tables: [\"public.a*b\"]\n", "9:15",
       "schema.prefix*"},
      {"a pattern of schemas", kGood + "open_tables: [\"pub*.t\"]\n", "9:15", "schema.prefix*"},
      {"a pattern of catalogs", kGood + "open_tables: [\"pg_catalog.*\"]\n", "9:15", "schemas of your own"},
      {"a pattern of the trees", kGood + "open_tables: [\"pgveil.*\"]\n", "9:15", "schemas of your own"},
      {"everything", kGood + "open_tables: [\"*\"]\n", "9:15", "schema.table"},
      {"exceptions from a table", kGood + "open_tables: [{table: public.t, except: [a]}]\n", "9:41",
       "only be used with a pattern"},
      {"an exception with a * inside", kGood + "open_tables: [{table: \"public.*\", except: [\"a*b\"]}]\n",
       "9:43", "not at its end"},
      {"a pattern by PostgreSQL's grants",
       kGood + "open_tables: [{table: \"public.*\", access: from_database}]\n", "9:43", "not with a pattern"},
      {"an open table with an empty part", kGood + "open_tables: [\"public.\"]\n", "9:15", "schema.table"},
      {"an open table of an unknown database", kGood + "open_tables: [\"nope:public.t\"]\n", "9:14",
       "\"nope\" is not listed"},
      {"an open function without its schema", kGood + "open_functions: [round]\n", "9:18",
       "names no function"},
      {"an open extension without a name", kGood + "open_functions: [\"extension:\"]\n", "9:18",
       "names no function"},
      {"a decision without a reason", kGood + "acknowledged: [{object: public.v}]\n", "9:16",
       "a decision without \"reason\""},
      {"a decision about nothing", kGood + "acknowledged: [{reason: because}]\n", "9:16",
       "a decision without \"object\""},
      {"a decision with another key", kGood + "acknowledged: [{object: a, reason: b, relation: c}]\n", "9:39",
       "relation"},
      {"a decision with an empty reason", kGood + "acknowledged: [{object: a, reason: \"\"}]\n", "9:36",
       "empty"},
      {"a decision for an unknown database",
       kGood + "acknowledged: [{object: a, reason: b, database: nope}]\n", "9:15", "\"nope\" is not listed"},
      {"TLS over a socket", good("db.example", "/run/postgresql") + "tls: {backend: {mode: require}}\n",
       "9:23", "Unix socket"},
      {"revoked certificates without authorities", kGood + "tls: {clients: {crl_file: a}}\n", "9:27",
       "needs ca_file"},
      {"half of a key pair", kGood + "tls: {clients: {key_file: a}}\n", "9:16", "one of cert_file"},
      {"channel binding without TLS", kGood + "tls: {backend: {channel_binding: require}}\n", "9:34",
       "without TLS"},
      {"direct TLS without TLS", kGood + "tls: {backend: {negotiation: direct}}\n", "9:30", "without TLS"},
      {"a negotiation that is none", kGood + "tls: {backend: {mode: require, negotiation: drect}}\n", "9:45",
       "direct"},
      {"a version of the protocol that is none", good("[demo, other]", "[demo]\n  max_protocol_version: 3.1"),
       "5:25", "unknown value"},
      {"pgveil's own schema", good("[demo, other]", "[demo]\n  schemas: [public, pgveil]"), "5:12",
       "contains the trees"},
      {"an open table twice", kGood + "open_tables: [public.t, {table: public.t, readers: [ann]}]\n", "9:14",
       "listed twice"},
      {"max_clients 0", kGood + "limits: {max_clients: 0}\n", "9:23", "1"},
      {"statement_bytes over what the parser's stack holds", kGood + "limits: {statement_bytes: 262145}\n",
       "9:27", "262144"},
      {"nesting over 500", kGood + "limits: {nesting: 501}\n", "9:19", "500"},
      {"a duration without a unit", kGood + "limits: {login_timeout: 60}\n", "9:25", "60"},
      {"a duration that is too short", kGood + "limits: {login_timeout: 10ms}\n", "9:25", "out of range"},
      {"a duration that is too long", kGood + "limits: {login_timeout: 8d}\n", "9:25", "out of range"},
      {"unknown level", kGood + "log: {level: loud}\n", "9:14", "loud"},
      {"log_private is no boolean", kGood + "log: {log_private: yes}\n", "9:20", ""},
      {"an anchor", good("[operator]", "&a [operator]"), "7:22", ""},
      {"not a map", "- listen\n", "1:1", ""},
      {"two documents", kGood + "---\na: 1\n", "", ""},
      {"no YAML", "\tlisten: 1\n", "1:", ""},
  };
}

TEST_CASE("every mistake is one line with file, line, column and the fix") {
  ::unsetenv("PGVEIL_TEST_NONE");
  CHECK(wrong_configurations().size() >= 25);
  for (const auto& [name, text, place, words] : wrong_configurations()) {
    CAPTURE(name);
    const auto config = read_config_text(text, "pgveil.yaml");
    REQUIRE(config.has_error());
    const std::string message = one_line(config.error());
    CAPTURE(message);
    CHECK(config.error().kind == ErrorKind::configuration);
    CHECK(message.find("pgveil.yaml:" + place) == 0);
    CHECK(message.find(words) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("a password file is read only when nobody else can read it, and never quoted") {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& role) {
    folder.write("pgveil.yaml", replaced(kGood, "user: reader", "user: reader, " + role));
    return read_config(folder.path("pgveil.yaml"));
  };
  folder.write("good", "s3cret\nsecond line\n");
  const auto good = with("password_file: good");
  REQUIRE_MESSAGE(good.has_value(), one_line(good.error()));
  CHECK(good->backend.query_role.password == "s3cret");

  folder.write("group", "s3cret\n", 0660);
  folder.write("world", "s3cret\n", 0604);
  folder.write("empty", "\n");
  folder.write("long", std::string(5'000, 'x'));
  std::filesystem::create_directory(folder.path("folder"));
  for (const std::string bad : {"group", "world", "empty", "long", "folder", "missing"}) {
    CAPTURE(bad);
    const auto config = with("password_file: " + bad);
    REQUIRE(config.has_error());
    CHECK(one_line(config.error()).find("pgveil.yaml:5:") != std::string::npos);
    CHECK(one_line(config.error()).find("s3cret") == std::string::npos);
  }
  // A command that logs in nowhere needs none of them, and still reads everything else.
  folder.write("pgveil.yaml", replaced(kGood, "user: reader", "user: reader, password_file: missing"));
  CHECK(read_config(folder.path("pgveil.yaml"), Passwords::left_out).has_value());
  folder.write("pgveil.yaml", replaced(kGood, "user: reader", "user: reader, password_env: PGVEIL_NOT_SET"));
  CHECK(read_config(folder.path("pgveil.yaml"), Passwords::left_out).has_value());
  CHECK_FALSE(read_config(folder.path("pgveil.yaml")).has_value());
  ::setenv("PGVEIL_TEST_PASSWORD", "other", 1);
  const auto both = with("password_env: PGVEIL_TEST_PASSWORD, password_file: good");
  REQUIRE(both.has_error());
  CHECK(one_line(both.error()).find("keep one of them") != std::string::npos);
}

TEST_CASE("a configuration that is not there is an error that names it") {
  const auto config = read_config("/no/such/pgveil.yaml");
  REQUIRE(config.has_error());
  CHECK(one_line(config.error()).find("/no/such/pgveil.yaml") != std::string::npos);
}

std::string scram() {
  return replaced(kGood, "{method: trust}", "{users_file: users}");
}

std::string error_in(const std::string& text) {
  const auto config = read_config_text(text, "/etc/pgveil/pgveil.yaml");
  return config ? "" : one_line(config.error());
}

TEST_CASE("sockets, access file and audit log are taken over") {
  const auto config = read_config_text(
      replaced(replaced(scram(), "port: 6432}", "port: 6432, socket_dir: run, socket_mode: '0777'}"),
               "users}", "users, hba_file: access}") +
          "audit: {file: audit.log, sql_bytes: 0}\nlog: {lines_per_second: 5}\n",
      "/etc/pgveil/pgveil.yaml");
  REQUIRE_MESSAGE(config.has_value(), one_line(config.error()));
  CHECK(config->listen.socket_dir == "/etc/pgveil/run");
  CHECK(config->listen.socket_mode == 0777);
  CHECK(config->auth.hba_file == "/etc/pgveil/access");
  CHECK(config->audit.file == "/etc/pgveil/audit.log");
  CHECK(config->audit.sql_bytes == 0);
  CHECK(config->log.lines_per_second == 5);
  for (const std::string mode : {"'0778'", "'-1'", "'77'", "rwx", "'1777'", "''"}) {
    CAPTURE(mode);
    CHECK_FALSE(error_in(replaced(kGood, "port: 6432}", "port: 6432, socket_mode: " + mode + "}")).empty());
  }
  CHECK(error_in(kGood + "audit: {key_file: /dev/null}\n").find("not a regular file") != std::string::npos);
}

TEST_CASE("TLS to a server behind a Unix socket is refused") {
  const std::string local = replaced(kGood, "host: db.example", "host: /run/postgresql");
  CHECK(error_in(local).empty());
  CHECK(error_in(local + "tls: {backend: {mode: require}}\n").find("over a Unix socket") !=
        std::string::npos);
}

TEST_CASE("bypass roles are read whole, with one secret each") {
  ::setenv("PGVEIL_TEST_PASSWORD", "s3cret", 1);
  const std::string tail = "audit: {file: audit.log}\n";
  const auto config = read_config_text(
      scram() + tail +
          "bypass_roles: [{role: dba, user: raw, password_env: PGVEIL_TEST_PASSWORD, databases: [demo]}]\n",
      "/etc/pgveil/pgveil.yaml");
  REQUIRE_MESSAGE(config.has_value(), one_line(config.error()));
  REQUIRE(config->bypass_roles.size() == 1);
  const BypassRole& role = config->bypass_roles.front();
  CHECK(role.backend.user == "raw");
  CHECK(role.backend.password == "s3cret");
  CHECK(find_bypass(*config, "dba") == &role);
  CHECK(find_bypass(*config, "raw") == nullptr);
  CHECK(bypass_endpoint(*config, role).user == "raw");
  const std::string two = "{role: dba, user: raw, password_env: PGVEIL_TEST_PASSWORD}";
  CHECK(error_in(scram() + tail + "bypass_roles: [" + two + ", " + two + "]\n").find("listed twice") !=
        std::string::npos);
  CHECK(error_in(scram() + "bypass_roles: [" + two + "]\n").find("requires audit.file") != std::string::npos);
  CHECK(error_in(kGood + tail + "bypass_roles: [" + two + "]\n").find("trust") != std::string::npos);
  CHECK(error_in(scram() + tail + "bypass_roles: [{role: dba, user: raw}]\n").find("one of password_env") !=
        std::string::npos);
  CHECK(error_in(scram() + tail + "bypass_roles: [{role: dba, password_env: PGVEIL_TEST_PASSWORD}]\n")
            .find("needs role and user") != std::string::npos);
}

// Of the page, with what it needs; the tests below spoil it.
const std::string kPage = R"(backend:
  host: db.example
  databases: [demo]
  query_role: {user: reader}
  admin_role: {user: builder}
auth: {users_file: users.txt}
audit: {file: audit.log}
admin:
  admin_users: [operator]
  stats_users: [watcher]
  http: {port: 0HTTP}
state_dir: state
)";

std::string page_error(const std::string& http, const std::string& from = "", const std::string& to = "") {
  auto text = replaced(kPage, "HTTP", http);
  if (!from.empty()) text = replaced(text, from, to);
  const auto config = read_config_text(text, "/etc/pgveil/pgveil.yaml");
  return config ? "" : config.error().public_message;
}

TEST_CASE("the page has TLS, names and roles that see more when the configuration says so") {
  const auto text =
      replaced(kPage, "HTTP",
               ", host: 192.0.2.1, names: [pgveil.example.org], tls: {cert_file: a.crt, key_file: "
               "a.key}, raw_rows: [operator], table_jobs: [operator], "
               "policy_authors: [operator]");
  const auto config = read_config_text(text, "/etc/pgveil/pgveil.yaml");
  REQUIRE_MESSAGE(config.has_value(), one_line(config.error()));
  CHECK(config->page.tls.certificate == "/etc/pgveil/a.crt");
  CHECK(config->page.raw_rows == std::vector<std::string>{"operator"});
  CHECK(config->page.table_jobs == std::vector<std::string>{"operator"});
  CHECK(config->page.policy_authors == std::vector<std::string>{"operator"});
  const auto plain = read_config_text(replaced(kPage, "HTTP", ""), "/etc/pgveil/pgveil.yaml");
  REQUIRE_MESSAGE(plain.has_value(), one_line(plain.error()));
  CHECK(plain->page.raw_rows.empty());
  CHECK(plain->page.table_jobs.empty());
  CHECK(plain->page.policy_authors.empty());
}

TEST_CASE("a key of an earlier release has no effect and is warned of") {
  const auto plain = read_config_text(replaced(kPage, "HTTP", ""), "/etc/pgveil/pgveil.yaml");
  const auto text = replaced(kPage, "HTTP", ", spark: {command: /opt/pgveil-spark, most_workers: 8}");
  const auto config = read_config_text(text, "/etc/pgveil/pgveil.yaml");
  REQUIRE(plain.has_value());
  REQUIRE_MESSAGE(config.has_value(), one_line(config.error()));
  CHECK(plain->warnings.empty());
  REQUIRE(config->warnings.size() == 1);
  CHECK(config->warnings[0].starts_with("/etc/pgveil/pgveil.yaml:"));
  CHECK(config->warnings[0].find("admin.http.spark has no effect any more: ") != std::string::npos);
  CHECK(config->page == plain->page);
  CHECK(config->written == plain->written);
  CHECK(page_error(", sparks: {}").find("sparks") != std::string::npos);
}

TEST_CASE("without TLS the page is on loopback and has no other names") {
  CHECK(page_error(", host: 192.0.2.1").find("not a loopback address") != std::string::npos);
  CHECK(page_error(", names: [a.example]").find("without admin.http.tls") != std::string::npos);
  CHECK(page_error(", tls: {cert_file: a.crt}").find("one of cert_file and key_file") != std::string::npos);
  const std::string tls = ", tls: {cert_file: a.crt, key_file: a.key}";
  CHECK(page_error(tls).empty());
  CHECK(page_error(tls + ", host: 192.0.2.1").find("admin.http.names") != std::string::npos);
  for (const char* name : {"A.example", "a.example:1", "'*'", "'http://a'"}) {
    CAPTURE(name);
    CHECK(page_error(tls + ", names: [" + name + "]").find("is not a host name") != std::string::npos);
  }
}

TEST_CASE("raw rows and jobs over tables are for listed admins, on record, through admin_role") {
  for (const char* key : {"raw_rows", "table_jobs", "policy_authors"}) {
    CAPTURE(key);
    const std::string http = std::string(", ") + key + ": [operator]";
    CHECK(page_error(http).empty());
    CHECK(page_error(std::string(", ") + key + ": []", "audit: {file: audit.log}\n", "").empty());
    CHECK(page_error(std::string(", ") + key + ": [watcher]").find("not in admin.admin_users") !=
          std::string::npos);
    CHECK(page_error(http, "audit: {file: audit.log}\n", "").find("audit.file") != std::string::npos);
    CHECK(page_error(http, "audit.log}", "audit.log, sql_bytes: 0}").find("sql_bytes") != std::string::npos);
    CHECK(page_error(http, "  admin_role: {user: builder}\n", "").find("admin_role") != std::string::npos);
  }
}

}  // namespace
}  // namespace pgveil::app
