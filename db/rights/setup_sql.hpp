#pragma once
// What `pgveil setup-sql` prints: a psql script that makes the roles as weak as they should be, and creates
// the grants that they need and the schema pgveil. It only makes text and asks no server.
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/rights/managed_service.hpp"
#include "rewriter/catalog/open_pattern.hpp"

namespace pgveil::db {

struct SetupInput {
  using Table = std::pair<std::string, std::string>;  // schema, name
  std::string database;
  std::string query_role;
  std::optional<std::string> admin_role;
  std::optional<std::string> mask_owner;  // owns masks as views: query_role gets no right on policy_tables
  std::optional<std::string>
      auth_query_role;               // runs auth_query's default, pgveil_auth.verifier_of, which is then made
  std::size_t connection_limit = 0;  // of query_role
  std::vector<std::string> schemas;  // the search path of clients
  std::vector<Table> policy_tables;
  std::vector<Table> open_tables;
  std::vector<rewriter::OpenPattern> open_patterns;
  // Relations that sources name. Without a schema: in the first schema of `schemas` that has it. query_role
  // reads these, and the tables that views among them read.
  std::vector<Table> source_relations = {};
  bool evaluates_sources = false;  // admin_role acts as query_role to evaluate sources
  bool stages_rows = false;        // admin_role makes temporary tables: some policy has a source or a key
  std::vector<std::string> client_roles;  // readers named by policies: they must not log in past pgveil
  // Set: the server is rented. The script then needs a role that may create roles and owns the database and
  // the tables, on PostgreSQL 15 to 18, and leaves out what only a superuser can do.
  std::optional<ManagedService> managed = std::nullopt;
};

// The script is idempotent. Statements that only a superuser may run are skipped for other roles or end in a
// PostgreSQL warning.
[[nodiscard]] std::string setup_sql(const SetupInput& input);

// The schemas in which nobody but their owners may create anything.
[[nodiscard]] std::set<std::string> searched_schemas(const SetupInput& input);
// The tables that query_role reads: those of policies, unless masks are views, and open_tables. Sorted.
[[nodiscard]] std::vector<SetupInput::Table> readable_tables(const SetupInput& input);

}  // namespace pgveil::db
