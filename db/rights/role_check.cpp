#include "db/rights/role_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/sql_quoting.hpp"
#include "db/catalog/public_functions.hpp"
#include "db/rights/extension_relations.hpp"
#include "db/rights/managed_service.hpp"
#include "db/rights/role_excess.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kAttributes = R"(
SELECT rolsuper, rolreplication, rolbypassrls, rolcreaterole, rolcreatedb
  FROM pg_catalog.pg_roles WHERE rolname = current_user)";

// A role that only stands for a way to log in (rds_iam) gives no right.
constexpr std::string_view kMemberships = R"(
SELECT r.rolname FROM pg_catalog.pg_roles r
 WHERE r.rolname <> current_user AND pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER') AND NOT {}
 ORDER BY 1)";

constexpr const char* kDatabaseRights = R"(
SELECT pg_catalog.has_database_privilege(current_user, pg_catalog.current_database(), 'TEMP'),
       pg_catalog.has_database_privilege(current_user, pg_catalog.current_database(), 'CREATE'))";

constexpr const char* kCreatableSchemas = R"(
SELECT nspname FROM pg_catalog.pg_namespace
 WHERE nspname !~ '^pg_(toast|temp_|toast_temp_)'
   AND pg_catalog.has_schema_privilege(current_user, oid, 'CREATE') ORDER BY 1)";

// Relations on which PUBLIC or the role itself has a right. In system schemas only rights granted to the role
// itself count, because initdb grants the others to PUBLIC.
constexpr std::string_view kRelationRights = R"(
SELECT n.nspname, c.relname, pg_catalog.bool_or(a.privilege_type = 'SELECT'),
       pg_catalog.bool_or(a.privilege_type <> 'SELECT'), c.relkind = 'S',
       n.nspname = 'pgveil' AND (c.relkind = 'v' AND c.relowner = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = $1)
                                 OR c.relkind = 'r' AND c.relname ~ '\.copy\.[0-9]+$'),
       pg_catalog.bool_or(a.privilege_type NOT IN ('SELECT', 'REFERENCES')), {0}, {1}
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_roles me ON me.rolname = current_user
 CROSS JOIN LATERAL (
       SELECT x.grantee, x.privilege_type FROM pg_catalog.aclexplode(c.relacl) x
       UNION ALL
       SELECT y.grantee, y.privilege_type FROM pg_catalog.pg_attribute t
        CROSS JOIN LATERAL pg_catalog.aclexplode(t.attacl) y WHERE t.attrelid = c.oid) a
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relowner <> me.oid
   AND n.nspname !~ '^pg_(toast|temp_|toast_temp_)'
   AND pg_catalog.has_schema_privilege(current_user, n.oid, 'USAGE')
   AND (a.grantee = me.oid OR a.grantee = 0 AND n.nspname NOT IN ('pg_catalog', 'information_schema'))
 GROUP BY 1, 2, 5, 6, 8, 9 ORDER BY 1, 2)";

std::string relation_rights() {
  return fmt::format(kRelationRights, extension_of_sql(), extension_relation_sql());
}

// Every role that query_role may become, and the table with all relations that share rows with it.
constexpr const char* kRawReads = R"(
WITH RECURSIVE t (oid) AS (
  SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE n.nspname || '.' || c.relname = $1
  UNION
  SELECT CASE i.inhparent WHEN t.oid THEN i.inhrelid ELSE i.inhparent END
    FROM pg_catalog.pg_inherits i JOIN t ON t.oid IN (i.inhparent, i.inhrelid))
SELECT DISTINCT n.nspname, c.relname, r.rolname
  FROM t JOIN pg_catalog.pg_class c ON c.oid = t.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_roles r ON pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER')
 WHERE pg_catalog.has_table_privilege(r.oid, c.oid, 'SELECT')
    OR pg_catalog.has_any_column_privilege(r.oid, c.oid, 'SELECT')
 ORDER BY 1, 2, 3)";

constexpr const char* kMaskOwner = R"(
SELECT rolcanlogin, rolsuper OR rolreplication OR rolbypassrls OR rolcreaterole OR rolcreatedb
  FROM pg_catalog.pg_roles WHERE rolname = $1)";

// PostgreSQL records that a user mapping belongs to the role that it is for. The role needs it to read
// foreign tables and cannot change it without USAGE on the server, which kServers finds.
constexpr const char* kOwned = R"(
SELECT pg_catalog.count(*) FROM pg_catalog.pg_shdepend d
  JOIN pg_catalog.pg_roles me ON me.rolname = current_user AND me.oid = d.refobjid
 WHERE d.deptype = 'o' AND d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass
   AND d.classid <> 'pg_catalog.pg_user_mapping'::pg_catalog.regclass
   AND d.dbid IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())))";

constexpr const char* kLargeObjects = R"(
SELECT pg_catalog.count(*) FROM pg_catalog.pg_largeobject_metadata m
  JOIN pg_catalog.pg_roles me ON me.rolname = current_user
 CROSS JOIN LATERAL pg_catalog.aclexplode(m.lomacl) a WHERE a.grantee IN (0, me.oid))";

constexpr const char* kServers = R"(
SELECT DISTINCT s.srvname FROM pg_catalog.pg_foreign_server s
  JOIN pg_catalog.pg_roles me ON me.rolname = current_user
 CROSS JOIN LATERAL pg_catalog.aclexplode(s.srvacl) a WHERE a.grantee IN (0, me.oid) ORDER BY 1)";

constexpr const char* kParameters = R"(
SELECT DISTINCT p.parname FROM pg_catalog.pg_parameter_acl p
  JOIN pg_catalog.pg_roles me ON me.rolname = current_user
 CROSS JOIN LATERAL pg_catalog.aclexplode(p.paracl) a WHERE a.grantee IN (0, me.oid) ORDER BY 1)";

constexpr const char* kPublicViews = R"(
SELECT pg_catalog.has_table_privilege(current_user, 'pg_catalog.pg_stats', 'SELECT'),
       pg_catalog.has_table_privilege(current_user, 'pg_catalog.pg_settings', 'UPDATE'))";

constexpr const char* kIsReadOnly = R"(
SELECT EXISTS (SELECT FROM pg_catalog.pg_db_role_setting s
         JOIN pg_catalog.pg_roles me ON me.rolname = current_user AND s.setrole IN (0, me.oid)
        WHERE 'default_transaction_read_only=on' = ANY (s.setconfig) AND s.setdatabase IN
              (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))))";

constexpr const char* kAdminRole = R"(
SELECT r.rolsuper, pg_catalog.pg_has_role(r.oid, me.oid, 'MEMBER'),
       pg_catalog.has_database_privilege(r.oid, pg_catalog.current_database(), 'TEMP')
  FROM pg_catalog.pg_roles r JOIN pg_catalog.pg_roles me ON me.rolname = current_user WHERE r.rolname = $1)";

// The roles of a rented server's administrators that admin_role is a member of.
constexpr std::string_view kAdminInService = R"(
SELECT s.rolname FROM pg_catalog.pg_roles r JOIN pg_catalog.pg_roles s ON pg_catalog.pg_has_role(r.oid, s.oid, 'MEMBER')
 WHERE r.rolname = $1 AND NOT r.rolsuper AND s.rolname <> r.rolname AND s.rolname IN ({}) ORDER BY 1)";

std::string made_in_a_console(const ServiceRole& of, std::string_view role) {
  return fmt::format("make {} by SQL, not in the console (pgveil setup-sql --managed {} prints it)", role,
                     word_of(of.service));
}

class RoleCheck {
 public:
  RoleCheck(Connection& server, const std::string& user, const RoleNeeds& needs)
      : server_(server), role_(quoted_name(user)), database_(quoted_name(server.database())), needs_(needs) {}

  RoleFindings run() {
    attributes();
    if (!is_superuser_) {  // a superuser may do everything, so nothing else is reported
      memberships();
      database_rights();
      relations();
      others();
    }
    judge();
    masked_tables();
    if (!is_superuser_) {
      defaults_of_everybody();
      findings_.missing = missing_rights(server_, role_, needs_.reads);
      admin_role();
    }
    return std::move(findings_);
  }

 private:
  void add(std::string word, std::string what, const std::string& mending_sql) {
    excesses_.push_back({std::move(word), std::move(what), "run " + mending_sql});
  }

  // Everything else may depend on a role that rules the server or owns something. So nobody is told to take
  // its rights away.
  void add_of_another_role(std::string word, std::string what) {
    excesses_.push_back({std::move(word), std::move(what),
                         "name a role for pgveil alone as backend.query_role (pgveil setup-sql makes it)"});
  }

  void attributes() {
    const auto row = server_.run(kAttributes)[0];
    const auto attribute = [&](int column, std::string_view option, std::string_view what) {
      if (!row[column].as<bool>()) return;
      std::string word(option);
      std::ranges::transform(word, word.begin(), [](char c) { return static_cast<char>(c - 'A' + 'a'); });
      add(word, std::string(what), fmt::format("ALTER ROLE {} NO{}", role_, option));
    };
    is_superuser_ = row[0].as<bool>();
    if (is_superuser_) return add_of_another_role("superuser", "is a superuser");
    attribute(1, "REPLICATION", "may replicate");
    attribute(2, "BYPASSRLS", "bypasses row-level security");
    attribute(3, "CREATEROLE", "may create roles");
    attribute(4, "CREATEDB", "may create databases");
  }

  void memberships() {
    for (const auto& row : server_.run(fmt::format(fmt::runtime(kMemberships), is_mere_login_role_sql()))) {
      const auto other = row[0].as<std::string>();
      if (const auto* service = find_service_role(other)) {
        excesses_.push_back({"member:" + other,
                             fmt::format("is a member of {}, as roles are that the console of {} makes",
                                         quoted_name(other), name_of(service->service)),
                             made_in_a_console(*service, "query_role")});
        continue;
      }
      add("member:" + other, fmt::format("is a member of {}", quoted_name(other)),
          fmt::format("REVOKE {} FROM {}", quoted_name(other), role_));
    }
  }

  void database_rights() {
    const auto row = server_.run(kDatabaseRights)[0];
    if (row[0].as<bool>()) {
      add("temp", fmt::format("may create temporary tables in database {}", database_),
          fmt::format("REVOKE TEMPORARY ON DATABASE {} FROM {}, PUBLIC", database_, role_));
    }
    if (row[1].as<bool>()) {
      add("create", fmt::format("may create schemas in database {}", database_),
          fmt::format("REVOKE CREATE ON DATABASE {} FROM {}, PUBLIC", database_, role_));
    }
    for (const auto& schema : server_.run(kCreatableSchemas)) {
      const auto name = schema[0].as<std::string>();
      add("create:" + name, fmt::format("may create objects in schema {}", quoted_name(name)),
          fmt::format("REVOKE CREATE ON SCHEMA {} FROM {}, PUBLIC", quoted_name(name), role_));
    }
  }

  void relations() {
    for (const auto& row : server_.run(relation_rights(), needs_.mask_owner.value_or(""))) {
      const auto schema = row[0].as<std::string>();
      const auto name = row[1].as<std::string>();
      const std::string plain = schema + "." + name;
      const std::string quoted = qualified_name(schema, name);
      const bool is_sequence = row[4].as<bool>();
      const std::string mend =
          fmt::format("ALL ON {}{} FROM {}, PUBLIC", is_sequence ? "SEQUENCE " : "", quoted, role_);
      const bool is_masked_rows = row[5].as<bool>(false);  // a mask view or a copy
      const bool is_masked = std::ranges::find(needs_.masked_tables, plain) !=
                             needs_.masked_tables.end();  // masked_tables() reports it
      const bool is_listed = is_masked_rows || plain == "pgveil.current_version" || is_masked ||
                             std::ranges::find(needs_.tables, plain) != needs_.tables.end() ||
                             is_in_pattern(schema, name);
      if (row[2].as<bool>() && !is_listed)
        readable(plain, quoted, "REVOKE " + mend, row[7].as<std::string>(""), row[8].as<std::string>());
      // REFERENCES lets information_schema list tables that cannot be read. Without a right to create tables
      // it has no other effect.
      if (is_masked ? row[6].as<bool>() : row[3].as<bool>()) {
        add("write:" + plain, fmt::format("has more than SELECT on {}", quoted),
            (is_sequence ? "REVOKE ALL" : "REVOKE INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER") +
                mend.substr(std::string_view("ALL").size()));
      }
    }
  }

  // The owner wants these to be read, also those that stay closed for now.
  bool is_in_pattern(const std::string& schema, const std::string& name) const {
    return std::ranges::any_of(needs_.patterns,
                               [&](const auto& pattern) { return matches(pattern, schema, name); });
  }

  // Clients can name no relation that is not listed. That query_role can't read it either is the second line
  // of defense, which matters where there are rows of persons: not for what extensions show of the server.
  void readable(const std::string& plain, const std::string& quoted, const std::string& mend,
                const std::string& extension, const std::string& kind) {
    switch (extension_relation_of(kind)) {
      case ExtensionRelation::none:
        add("select:" + plain, fmt::format("may read {}, which no policy and no open_tables names", quoted),
            mend);
        return;
      case ExtensionRelation::view:
        extension_views_.push_back(
            {"select:" + plain, fmt::format("may read {} of extension {}", quoted, extension),
             fmt::format("run {}, as pgveil setup-sql --database {} prints it", mend, database_)});
        return;
      case ExtensionRelation::harmless: return;
    }
  }

  // Applies with mask_views. No word accepts this excess, because the views would then be useless.
  void masked_tables() {
    if (!needs_.mask_owner) return;
    for (const auto& table : needs_.masked_tables) {
      for (const auto& row : server_.run(kRawReads, table)) {
        const std::string quoted = qualified_name(row[0].as<std::string>(), row[1].as<std::string>());
        const std::string by = quoted_name(row[2].as<std::string>());
        findings_.errors.push_back(fmt::format(
            "backend.mask_views: query_role {} may read {}{}: run what pgveil setup-sql --database {} "
            "prints",
            role_, quoted, by == role_ ? "" : " as " + by, database_));
      }
    }
    const std::string owner = quoted_name(*needs_.mask_owner);
    const auto found = server_.run(kMaskOwner, *needs_.mask_owner);
    const auto refuse = [&](std::string_view what) {
      findings_.errors.push_back(
          fmt::format("backend.mask_views: mask_owner {} {}: run what pgveil setup-sql --database {} prints",
                      owner, what, database_));
    };
    if (found.empty()) return refuse("does not exist");
    if (found[0][0].as<bool>()) refuse("may log in");
    if (found[0][1].as<bool>()) refuse("has attributes of a superuser's");
  }

  void others() {
    if (server_.run(kOwned)[0][0].as<std::int64_t>() > 0) {
      add_of_another_role("own", fmt::format("owns objects in database {}", database_));
    }
    if (server_.run(kLargeObjects)[0][0].as<std::int64_t>() > 0) {
      add("large_objects", "has rights on large objects",
          fmt::format("REVOKE ALL ON LARGE OBJECT … FROM {}, PUBLIC", role_));
    }
    for (const auto& row : server_.run(kServers)) {
      const auto name = row[0].as<std::string>();
      add("server:" + name, fmt::format("may use foreign server {}", quoted_name(name)),
          fmt::format("REVOKE ALL ON FOREIGN SERVER {} FROM {}, PUBLIC", quoted_name(name), role_));
    }
    for (const auto& row : server_.run(kParameters)) {
      const auto name = row[0].as<std::string>();
      add("set:" + name, fmt::format("was given setting {}", name),
          fmt::format("REVOKE ALL ON PARAMETER {} FROM {}, PUBLIC", name, role_));
    }
  }

  void judge() {
    const auto is_accepted = [&](const RoleExcess& excess) {
      return std::ranges::any_of(needs_.accept_excess,
                                 [&](const auto& word) { return accepts(word, excess.word); });
    };
    for (const auto& excess : excesses_) {
      if (!is_accepted(excess)) findings_.errors.push_back(explain_excess(role_, excess));
    }
    for (const auto& excess : extension_views_) {
      if (!is_accepted(excess)) findings_.warnings.push_back(explain_excess(role_, excess));
    }
    for (const auto& word : needs_.accept_excess) {
      const bool is_used =
          std::ranges::any_of(excesses_, [&](const auto& excess) { return accepts(word, excess.word); }) ||
          std::ranges::any_of(extension_views_,
                              [&](const auto& excess) { return accepts(word, excess.word); });
      if (!is_used) {
        findings_.warnings.push_back(fmt::format(
            "backend.accept_excess: query_role {} has no right \"{}\" in database {}: remove the word", role_,
            word, database_));
      }
    }
  }

  // Rights that setup-sql revokes from PUBLIC. If it did not run on a server, that is a warning.
  void defaults_of_everybody() {
    const auto warn = [&](std::string_view what, std::string_view elsewhere = "") {
      findings_.warnings.push_back(
          fmt::format("query_role {} {}: run what pgveil setup-sql --database {} prints{}", role_, what,
                      database_, elsewhere));
    };
    // On a rented server nobody can take these from PUBLIC.
    const std::string_view if_rented = needs_.mask_owner
                                           ? " as a superuser; on a rented server it stays"
                                           : " as a superuser; on a rented server it stays, and "
                                             "backend.mask_views: true is the line of defense instead";
    const auto views = server_.run(kPublicViews)[0];
    if (views[0].as<bool>()) warn("may read pg_stats", if_rented);
    if (views[1].as<bool>()) warn("may update pg_settings", if_rented);
    const auto functions = server_.run(public_functions_count_sql())[0][0].as<std::int64_t>();
    if (functions > 0) {
      warn(fmt::format("may call {} functions that run SQL, lock, notify, sleep or reach large objects",
                       functions),
           if_rented);
    }
    if (!server_.run(kIsReadOnly)[0][0].as<bool>()) warn("does not start its transactions read only");
  }

  // It never runs SQL of clients, so it stops nothing. But whoever gets its password gets what it may do.
  void admin_role() {
    if (!needs_.admin_role || needs_.admin_role->empty()) return;
    const auto found = server_.run(kAdminRole, *needs_.admin_role);
    if (found.empty()) return;
    const std::string admin = quoted_name(*needs_.admin_role);
    if (needs_.evaluates_sources && !found[0][1].as<bool>()) {
      findings_.missing.push_back(
          {fmt::format("admin_role {} may not act as query_role {}, as which BUILD evaluates sources", admin,
                       role_),
           fmt::format("GRANT {} TO {}", role_, admin)});
    }
    if (needs_.stages_rows && !found[0][2].as<bool>()) {
      findings_.missing.push_back(
          {fmt::format("admin_role {} may not make temporary tables in database {}, in which BUILD keeps "
                       "rows of sources and of tables with keys",
                       admin, database_),
           fmt::format("GRANT TEMPORARY ON DATABASE {} TO {}", database_, admin)});
    }
    for (const auto& row :
         server_.run(fmt::format(fmt::runtime(kAdminInService), service_roles_sql()), *needs_.admin_role)) {
      const auto other = row[0].as<std::string>();
      const auto* service = find_service_role(other);
      findings_.warnings.push_back(
          fmt::format("admin_role {} is a member of {}, and pgveil keeps its password: {}", admin,
                      quoted_name(other), made_in_a_console(*service, "admin_role")));
    }
    if (!found[0][0].as<bool>()) return;
    findings_.warnings.push_back(fmt::format(
        "admin_role {} is a superuser, and pgveil keeps its password: name a role for pgveil alone "
        "as backend.admin_role (pgveil setup-sql makes it)",
        quoted_name(*needs_.admin_role)));
  }

  Connection& server_;
  std::string role_;
  std::string database_;
  const RoleNeeds& needs_;
  bool is_superuser_ = false;
  std::vector<RoleExcess> excesses_;
  std::vector<RoleExcess> extension_views_;  // stop nothing
  RoleFindings findings_;
};

}  // namespace

Result<RoleFindings> check_query_role(const Endpoint& endpoint, const std::string& database,
                                      const RoleNeeds& needs) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<RoleFindings>("checking query_role", [&]() -> Result<RoleFindings> {
    return RoleCheck(**connection, endpoint.user, needs).run();
  });
}

}  // namespace pgveil::db
