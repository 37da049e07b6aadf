#include "db/policy_table/staged_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/column_code.hpp"
#include "db/catalog/relation_query.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"
#include "policy/spec/entity_group.hpp"

namespace pgveil::db {
namespace {

constexpr std::string_view kTemporarySchema = "pg_temp";

constexpr const char* kMayStage = R"(
SELECT pg_catalog.has_database_privilege(current_user, pg_catalog.current_database(), 'TEMPORARY'),
       pg_catalog.pg_has_role(current_user, $1, 'MEMBER'))";

std::string name_of_rows(std::size_t index) {
  return fmt::format("pgveil rows {}", index + 1);
}

// Asks before anything is evaluated, because the server's own words would not name the remedy.
void need_rights(Connection& server, const Endpoint& endpoint, const std::string& reader, bool has_select) {
  const auto may = server.run(kMayStage, reader);
  if (may[0][0].as<bool>() && (!has_select || may[0][1].as<bool>())) return;
  throw Abandon{Error{ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
                      fmt::format("role {} can't evaluate sources in database {}", quoted_name(endpoint.user),
                                  quoted_name(server.database())),
                      fmt::format("run GRANT TEMPORARY ON DATABASE {} TO {}; GRANT {} TO {}; or what pgveil "
                                  "setup-sql prints",
                                  quoted_name(server.database()), quoted_name(endpoint.user),
                                  quoted_name(reader), quoted_name(endpoint.user))}};
}

// In the newest catalog. REQUIRES: the relation is locked.
constexpr const char* kKind = R"(
SELECT COALESCE((pg_catalog.pg_identify_object_as_address(1259, pg_catalog.to_regclass($1)::pg_catalog.oid, 0)).type, ''))";

// A view in a table's place would run what its owner wrote, with our rights. It was a table when the policy
// was examined.
void refuse_views(Connection& server, const policy::PolicySpec& spec, const std::string& relation) {
  const auto kind = server.run(kKind, relation)[0][0].as<std::string>();
  if (kind == "table" || kind == "materialized view" || kind == "foreign table") return;
  throw Abandon{Error{ErrorKind::policy, std::string(sqlstate::kSerializationFailure),
                      fmt::format("policy {}: {} is no table any more", spec.name, relation),
                      "build it again"}};
}

Error hidden_rows(const policy::PolicySpec& spec) {
  return {ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
          fmt::format("policy {}: its table has row-level security", spec.name),
          "disable row-level security on it, or publish a copy"};
}

Error distributed_rows(const policy::PolicySpec& spec) {
  return {ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
          fmt::format("policy {}: its table is {}", spec.name, rewriter::kDistributed),
          "copy it into a plain table or a materialized view under a lock (docs/larger.md)"};
}

// Also for columns that no policy lists, because a copy has NULL of their types.
void refuse_code(Connection& server, const policy::PolicySpec& spec, const std::string& relation) {
  const auto columns = columns_with_code(server, relation);
  if (columns.empty()) return;
  throw Abandon{
      Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
            fmt::format("policy {}: column {} has type {}, which runs code of the type's owner", spec.name,
                        quoted_name(columns.front().name), columns.front().type),
            "publish the table with source: SELECT …, and leave the column out or cast it to a type "
            "of PostgreSQL's own"}};
}

// The planner would run it as soon as it plans to read the table. An object that somebody makes in the short
// time after this look is not noticed (docs/attack-model.md, "Code of table owners").
void refuse_objects(Connection& server, const policy::PolicySpec& spec, const std::string& relation) {
  const auto objects = objects_with_code(server, relation);
  if (objects.empty()) return;
  throw Abandon{
      Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
            fmt::format("policy {}: {} of {} calls a function of a user's, which the planner may run",
                        spec.name, objects.front(), relation),
            "write the expression with functions of PostgreSQL's own, or publish a copy of the table"}};
}

// Names that the statements of entity_tables.cpp use beside the columns.
void refuse_own_names(const policy::PolicySpec& spec, const rewriter::Relation& relation) {
  for (const auto& column : relation.columns) {
    if (!column.name.starts_with("pgveil ")) continue;
    throw Abandon{Error{
        ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
        fmt::format("policy {}: the name of column {} is reserved", spec.name, quoted_name(column.name)),
        "publish the table with source: SELECT …, and give the column another name"}};
  }
}

// Makes the temporary table with admin_role's rights. This evaluates nothing, but it locks what the SELECT
// reads. Then fills the table with the reader's rights. The table is never analyzed: statistics would write
// raw values to the write-ahead log.
void evaluate(Connection& server, const ToStage& one, const std::string& rows, const std::string& reader) {
  server.run(
      fmt::format("CREATE TEMPORARY TABLE {} ON COMMIT PRESERVE ROWS AS {} WITH NO DATA", rows, one.select));
  for (const auto& [schema, name] : one.reads) {
    refuse_views(server, one.spec, qualified_name(schema, name));
    refuse_objects(server, one.spec, qualified_name(schema, name));
  }
  refuse_code(server, one.spec, rows);
  server.run(fmt::format("GRANT INSERT ON {} TO {}", rows, quoted_name(reader)));
  server.run("SET LOCAL ROLE " + quoted_name(reader));
  server.run(fmt::format("INSERT INTO {} {}", rows, one.select));
  server.run("RESET ROLE");
}

std::string columns_of(const rewriter::Relation& relation) {
  std::string names;
  for (const auto& column : relation.columns)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", quoted_name(column.name));
  return names;
}

constexpr const char* kSameColumns = R"(
SELECT ARRAY(SELECT ROW(a.attname, a.atttypid, a.atttypmod, a.attcollation)::pg_catalog.text
               FROM pg_catalog.pg_attribute a WHERE a.attrelid = pg_catalog.to_regclass($1)
                AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
     = ARRAY(SELECT ROW(a.attname, a.atttypid, a.atttypmod, a.attcollation)::pg_catalog.text
               FROM pg_catalog.pg_attribute a WHERE a.attrelid = pg_catalog.to_regclass($2)
                AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum))";

std::string comment_of_published(const std::string& policy) {
  return "pgveil: the columns of policy " + policy + "; its rows are in a masked copy";
}

// The empty table under which readers find the rows of a SELECT.
rewriter::Relation publish_columns(Connection& server, const policy::PolicySpec& spec,
                                   const std::string& rows) {
  const std::string name = qualified_name(spec.schema, spec.table);
  auto known = one_relation(server, spec.schema, spec.table);
  if (known && server.run(kSameColumns, name, rows)[0][0].as<bool>()) return std::move(*known);
  if (known) server.run("DROP TABLE " + name);
  server.run(fmt::format("CREATE TABLE {} AS SELECT * FROM {} WITH NO DATA", name, rows));
  server.run(fmt::format("REVOKE ALL ON {} FROM PUBLIC", name));
  server.run(fmt::format("COMMENT ON TABLE {} IS {}", name, quoted_literal(comment_of_published(spec.name))));
  auto made = one_relation(server, spec.schema, spec.table);
  if (made) return std::move(*made);
  throw Abandon{Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
                      fmt::format("policy {}: its source can't be published as a table", spec.name),
                      "look for event triggers"}};
}

rewriter::Relation find_published(Connection& server, const policy::PolicySpec& spec) {
  auto found = one_relation(server, spec.schema, spec.table);
  if (found) return std::move(*found);
  throw Abandon{Error{ErrorKind::policy, std::string(sqlstate::kUndefinedTable),
                      fmt::format("policy {}: relation {} does not exist", spec.name,
                                  qualified_name(spec.schema, spec.table)),
                      "create it, or correct the policy"}};
}

// A table with rows about the members of an entity may have none yet.
void refuse_empty(Connection& server, const policy::PolicySpec& spec, const std::string& rows) {
  if (policy::key_of(spec) != nullptr && !spec.entity) return;
  if (!server.run(fmt::format("SELECT NOT EXISTS (SELECT FROM {})", rows))[0][0].as<bool>()) return;
  throw Abandon{
      Error{ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
            fmt::format("policy {}: its {} has no rows", spec.name, spec.source ? "source" : "table"),
            "nothing can be shown of fewer than k persons: build again when there are rows"}};
}

}  // namespace

StagedTables::StagedTables(std::shared_ptr<Connection> connection, std::vector<Staged> staged,
                           std::uint64_t counts_bytes)
    : connection_(std::move(connection)), staged_(std::move(staged)), counts_bytes_(counts_bytes) {}

Result<StagedTables> StagedTables::stage(const Endpoint& endpoint, const std::string& database,
                                         const std::vector<ToStage>& tables, const std::string& reader,
                                         const Progress& progress) {
  auto opened = Connection::open(endpoint, database, Access::read_write);
  if (!opened) return opened.error();
  std::shared_ptr<Connection> connection = std::move(*opened);
  return guarded<StagedTables>("evaluating the source of a policy", [&]() -> Result<StagedTables> {
    Connection& server = *connection;
    const bool has_select = std::ranges::any_of(tables, [](const auto& one) { return !one.select.empty(); });
    need_rights(server, endpoint, reader, has_select);
    server.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE");
    // LOCK takes no snapshot: the snapshot is taken after any DDL we waited for.
    for (const auto& one : tables) {
      if (one.select.empty()) {
        server.run(fmt::format("LOCK TABLE {} IN ACCESS SHARE MODE",
                               qualified_name(one.spec.schema, one.spec.table)));
      }
    }
    std::vector<Staged> staged;
    for (const auto& one : tables) {
      if (progress) progress("evaluating the source of " + one.spec.name, 0);
      const auto name = name_of_rows(staged.size());
      const auto rows = qualified_name(std::string(kTemporarySchema), name);
      const bool is_select = one.spec.source && !one.spec.source->select.empty();
      rewriter::Relation published;
      if (one.select.empty()) {
        published = find_published(server, one.spec);
        refuse_views(server, one.spec, qualified_name(one.spec.schema, one.spec.table));
        refuse_code(server, one.spec, qualified_name(one.spec.schema, one.spec.table));
        refuse_objects(server, one.spec, qualified_name(one.spec.schema, one.spec.table));
        if (published.has_row_security) throw Abandon{hidden_rows(one.spec)};
        if (published.is_distributed) throw Abandon{distributed_rows(one.spec)};
        server.run(fmt::format("CREATE TEMPORARY TABLE {} ON COMMIT PRESERVE ROWS AS SELECT {} FROM {}", rows,
                               columns_of(published), qualified_name(one.spec.schema, one.spec.table)));
      } else {
        evaluate(server, one, rows, reader);
        published = is_select ? publish_columns(server, one.spec, rows) : find_published(server, one.spec);
      }
      refuse_own_names(one.spec, published);
      refuse_empty(server, one.spec, rows);
      auto where = published;
      where.schema = kTemporarySchema;
      where.name = name;
      where.kind = rewriter::RelationKind::table;
      staged.push_back({one.spec, std::move(published), std::move(where)});
    }
    server.run("COMMIT");
    return StagedTables(connection, std::move(staged), endpoint.counts_bytes);
  });
}

TableReading StagedTables::reading(std::size_t index) const {
  const Staged& one = staged_.at(index);
  return {connection_, one.spec, one.published, one.rows, counts_bytes_};
}

TableReading StagedTables::reading_of(policy::PolicySpec spec, rewriter::Relation relation,
                                      rewriter::Relation rows) const {
  return {connection_, std::move(spec), std::move(relation), std::move(rows), counts_bytes_};
}

}  // namespace pgveil::db
