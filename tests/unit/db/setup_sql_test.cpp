// The script of `pgveil setup-sql` is text; that a server takes it is
// tests/integration/least_privilege_test.py's.
#include <doctest/doctest.h>

#include "db/rights/setup_sql.hpp"

namespace pgveil::db {
namespace {

SetupInput hostile() {
  SetupInput input;
  input.database = "d\"b";
  input.query_role = "q'\"\nDROP TABLE people; --";
  input.admin_role = "a'b";
  input.connection_limit = 7;
  input.schemas = {"public"};
  input.policy_tables = {{"h\"r", "pe\"ople"}};
  input.open_tables = {{"public", "towns"}, {"public", "towns"}};
  input.client_roles = {"an\nalyst"};
  return input;
}

TEST_CASE("names are quoted where they are names, literals and comments") {
  const std::string sql = setup_sql(hostile());
  CHECK(sql.find("GRANT SELECT ON \"h\"\"r\".\"pe\"\"ople\" TO \"a'b\";") != std::string::npos);
  CHECK(sql.find("ON DATABASE \"d\"\"b\" FROM PUBLIC, \"q'\"\"\nDROP TABLE people; --\"") !=
        std::string::npos);
  CHECK(sql.find("rolname = 'q''\"\nDROP TABLE people; --'") != std::string::npos);
  CHECK(sql.find("'a''b'") != std::string::npos);
  // In comments a name stays on its line.
  CHECK(sql.find("\\password \"q'\"\"?DROP TABLE people; --\"") != std::string::npos);
  CHECK(sql.find("\"an?alyst\"  all  reject") != std::string::npos);
}

TEST_CASE("for sources the admin role may act as the query role, which may read what they name") {
  SetupInput input = hostile();
  CHECK(setup_sql(input).find("TEMPORARY ON DATABASE \"d\"\"b\" TO") == std::string::npos);
  CHECK(setup_sql(input).find("RECURSIVE reads") == std::string::npos);
  input.source_relations = {{"", "vi'sits"}, {"h'r", "report"}};
  input.evaluates_sources = input.stages_rows = true;
  const std::string sql = setup_sql(input);
  CHECK(sql.find("GRANT \"q'\"\"\nDROP TABLE people; --\" TO \"a'b\";") != std::string::npos);
  CHECK(sql.find("GRANT TEMPORARY ON DATABASE \"d\"\"b\" TO \"a'b\";") != std::string::npos);
  CHECK(sql.find("c.relname = 'vi''sits'") != std::string::npos);
  CHECK(sql.find("ARRAY['h''r']") != std::string::npos);
}

TEST_CASE("with a mask owner the query role gets nothing on the tables of policies") {
  SetupInput input = hostile();
  input.mask_owner = "o\"w'n";
  const std::string sql = setup_sql(input);
  CHECK(sql.find("GRANT SELECT ON \"h\"\"r\".\"pe\"\"ople\" TO \"q'") == std::string::npos);
  CHECK(sql.find("GRANT REFERENCES ON \"h\"\"r\".\"pe\"\"ople\" TO \"q'") != std::string::npos);
  CHECK(sql.find("GRANT SELECT ON \"h\"\"r\".\"pe\"\"ople\" TO \"o\"\"w'n\";") != std::string::npos);
  CHECK(sql.find("'CREATE ROLE %I NOLOGIN', r.name") != std::string::npos);
  CHECK(sql.find("('backend.mask_owner', 'o\"w''n', 3)") != std::string::npos);
  CHECK(sql.find("REVOKE ALL ON pgveil.mask_view FROM PUBLIC, \"q'") != std::string::npos);
  CHECK(setup_sql(hostile()).find("ON pgveil.mask_view") == std::string::npos);
}

TEST_CASE("the query role gets SELECT on listed tables, each once, and no right on the schema's table") {
  const std::string sql = setup_sql(hostile());
  const std::string grant = "GRANT SELECT ON \"public\".\"towns\"";
  const auto first = sql.find(grant);
  REQUIRE(first != std::string::npos);
  CHECK(sql.find(grant, first + 1) == std::string::npos);
  CHECK(sql.find("CONNECTION LIMIT 7") != std::string::npos);
  CHECK(sql.find("GRANT SELECT, INSERT, UPDATE ON pgveil.version TO \"a'b\";") != std::string::npos);
  CHECK(sql.find("CREATE FUNCTION") == std::string::npos);  // only OR REPLACE: it may run twice
}

TEST_CASE("each role that the script would change is looked at before any is changed") {
  const std::string sql = setup_sql(hostile());
  const auto refusal = sql.find("RAISE EXCEPTION");
  REQUIRE(refusal != std::string::npos);
  for (const char* change : {"CREATE ROLE", "ALTER ROLE", "REVOKE", "GRANT"}) {
    CAPTURE(change);
    CHECK(refusal < sql.find(change));
  }
  CHECK(sql.find(
            "('backend.query_role', 'q''\"\nDROP TABLE people; --', 1), ('backend.admin_role', 'a''b', 2)") !=
        std::string::npos);
  CHECK(sql.find("'backend.mask_owner', ") == std::string::npos);  // it has none
}

TEST_CASE("a setting that another database has is no reason to leave it out in this one") {
  CHECK(setup_sql(hostile()).find("s.setdatabase IN (0, ") != std::string::npos);
}

TEST_CASE("without an admin role there is no schema pgveil, and no word of one") {
  SetupInput input = hostile();
  input.admin_role.reset();
  const std::string sql = setup_sql(input);
  CHECK(sql.find("CREATE SCHEMA") == std::string::npos);
  CHECK(sql.find("a'b") == std::string::npos);
}

SetupInput rented(ManagedService service) {
  SetupInput input = hostile();
  input.managed = service;
  return input;
}

TEST_CASE("on a rented server nothing is taken that only a superuser can take") {
  for (const char* word : {"rds", "cloudsql", "azure", "neon", "supabase", "generic"}) {
    CAPTURE(word);
    const auto service = managed_service_of(word);
    REQUIRE(service.has_value());
    CHECK(word_of(*service) == word);
    SetupInput input = rented(*service);
    input.auth_query_role = "asker";
    const std::string sql = setup_sql(input);
    for (const char* superusers :
         {"REVOKE EXECUTE ON FUNCTION", "pg_catalog.pg_stats", "NOSUPERUSER", "pgveil_auth", "reject"})
      CHECK_MESSAGE(sql.find(superusers) == std::string::npos, superusers);
    CHECK(sql.find("One line of defense is missing") != std::string::npos);
    CHECK(sql.find("Set backend.mask_views: true") != std::string::npos);
    CHECK(sql.find("GRANT SELECT ON \"h\"\"r\".\"pe\"\"ople\" TO \"a'b\";") != std::string::npos);
    input.mask_owner = "masks";
    CHECK(setup_sql(input).find("Set backend.mask_views: true") == std::string::npos);
  }
  CHECK_FALSE(managed_service_of("RDS").has_value());
  CHECK_FALSE(managed_service_of("").has_value());
}

TEST_CASE("roles of a service's administrators are known by name") {
  REQUIRE(find_service_role("neon_superuser") != nullptr);
  CHECK(find_service_role("neon_superuser")->service == ManagedService::neon);
  CHECK(find_service_role("rds_iam") == nullptr);
  CHECK(find_service_role("pgveil_query") == nullptr);
  const std::string sql = setup_sql(rented(ManagedService::neon));
  CHECK(sql.find("g.rolname IN ('rds_superuser'") != std::string::npos);
  CHECK(sql.find("make the role by SQL, not in the console") != std::string::npos);
  CHECK(setup_sql(hostile()).find("'rds_superuser'") == std::string::npos);
}

}  // namespace
}  // namespace pgveil::db
