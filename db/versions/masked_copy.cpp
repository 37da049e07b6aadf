#include "db/versions/masked_copy.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/column_code.hpp"
#include "db/catalog/relation_query.hpp"
#include "db/policy_table/export_plan.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kCopySchema = "pgveil";
constexpr std::size_t kNameBytes = 24;  // together with a transaction number of 20 digits: 50 in all

// The transaction's number, which no other copy has. A comment says whose copy it is, because names of
// policies are too long.
constexpr const char* kTransaction = "SELECT pg_catalog.pg_current_xact_id()::pg_catalog.text";

constexpr const char* kCopies = R"(
SELECT c.relname FROM pg_catalog.pg_class c
 WHERE c.relnamespace = 'pgveil'::pg_catalog.regnamespace AND c.relkind = 'r'
   AND pg_catalog.obj_description(c.oid, 'pg_class') = $1
 ORDER BY pg_catalog.length(c.relname) DESC, c.relname COLLATE pg_catalog."C" DESC)";

constexpr const char* kAllCopies = R"(
SELECT c.relname, pg_catalog.obj_description(c.oid, 'pg_class') FROM pg_catalog.pg_class c
 WHERE c.relnamespace = pg_catalog.to_regnamespace('pgveil') AND c.relkind = 'r'
   AND pg_catalog.starts_with(pg_catalog.obj_description(c.oid, 'pg_class'), $1)
 ORDER BY c.relname COLLATE pg_catalog."C")";

constexpr std::string_view kComment = "pgveil: masked rows of policy ";

// The table's plain b-tree indexes, by the names of their columns. Indexes on expressions or on a part of the
// rows are left out, because both read raw values.
constexpr const char* kIndexes = R"(
SELECT DISTINCT pg_catalog.array_to_string(ARRAY(
         SELECT pg_catalog.quote_ident(a.attname)
           FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY AS k (number, position)
           JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
          WHERE k.position <= i.indnkeyatts ORDER BY k.position), ', ')
  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  JOIN pg_catalog.pg_am m ON m.oid = c.relam
 WHERE i.indrelid = $1::pg_catalog.oid AND i.indisvalid AND i.indexprs IS NULL AND i.indpred IS NULL AND m.amname = 'btree'
   AND NOT EXISTS (SELECT FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY AS k (number, position)
                    WHERE k.position <= i.indnkeyatts AND k.number <> ALL ($2::pg_catalog.int2[]))
   AND NOT EXISTS (SELECT FROM pg_catalog.unnest(i.indclass::pg_catalog.oid[]) AS o (class)
                     JOIN pg_catalog.pg_opclass p ON p.oid = o.class WHERE NOT p.opcdefault)
   AND NOT EXISTS (SELECT FROM pg_catalog.unnest(i.indcollation::pg_catalog.oid[]) WITH ORDINALITY AS l (collation_oid, position)
                     JOIN pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY AS k (number, position) USING (position)
                     JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
                    WHERE l.collation_oid <> a.attcollation)
 ORDER BY 1)";

std::string comment_of(const std::string& policy) {
  return std::string(kComment) + policy;
}

// The numbers of the columns whose values a copy has, as a PostgreSQL array.
std::string shown_columns(const policy::PolicySpec& spec, const rewriter::Relation& table) {
  std::string numbers;
  for (const auto& rule : spec.columns) {
    const auto* column = table.find_column(rule.name);
    if (rule.column_class == policy::ColumnClass::identifier || column == nullptr) continue;
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", column->number);
  }
  return "{" + numbers + "}";
}

void index_copy(TableReading& reading, const std::string& copy) {
  Connection& server = reading.connection();
  const auto columns = shown_columns(reading.spec(), reading.relation());
  for (const auto& row : server.run(kIndexes, std::to_string(reading.relation().oid), columns))
    server.run(fmt::format("CREATE INDEX ON {} ({})", copy, row[0].as<std::string>()));
}

// Otherwise each read would look up whether the transaction of the rows is over. Only speed depends on it.
void mark_visible(Connection& server, const policy::TableShape& copy) {
  try {
    server.run("VACUUM (FREEZE) " + qualified_name(copy.schema, copy.name));
  } catch (const SqlFailure&) {
    // PostgreSQL does it later by itself.
  }
}

// The transaction in a copy's name in the form that rows have: its lower 32 bits. nullopt: the name has none.
std::optional<std::uint32_t> written_by(const std::string& name) {
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = name.data() + name.size();
  const auto [read_to, error] = std::from_chars(name.data() + dot + 1, end, number);
  if (error != std::errc() || read_to != end) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

// A statement may be using it; do not wait for it.
void try_to_drop(Connection& server, const std::string& name) {
  try {
    server.run("BEGIN");
    server.run("SET LOCAL lock_timeout = '100ms'");
    server.run("DROP TABLE IF EXISTS " + qualified_name(kCopySchema, name));
    server.run("COMMIT");
  } catch (const SqlFailure&) {
    server.run("ROLLBACK");
  }
}

}  // namespace

Result<policy::TableShape> write_copy(TableReading& reading, const std::string& query_role,
                                      const WriteRows& write_rows) {
  Connection& server = reading.connection();
  const std::string& policy = reading.spec().name;
  const auto name = fmt::format("{}.copy.{}", policy.substr(0, kNameBytes),
                                server.run(kTransaction)[0][0].as<std::string>());
  if (auto written = write_rows(kCopySchema, name); !written) return written.error();
  const std::string copy = qualified_name(kCopySchema, name);
  index_copy(reading, copy);
  server.run(fmt::format("COMMENT ON TABLE {} IS {}", copy, quoted_literal(comment_of(policy))));
  // Statistics of such columns would be computed with code of their types' owners.
  for (const auto& column : columns_with_code(server, copy))
    server.run(
        fmt::format("ALTER TABLE {} ALTER COLUMN {} SET STATISTICS 0", copy, quoted_name(column.name)));
  server.run("ANALYZE " + copy);
  server.run(fmt::format("REVOKE ALL ON {} FROM PUBLIC", copy));
  server.run(fmt::format("REVOKE INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER ON {} FROM CURRENT_USER", copy));
  server.run(fmt::format("GRANT SELECT ON {} TO {}", copy, quoted_name(query_role)));
  const auto made = one_relation(server, kCopySchema, name);
  auto shape = made ? rewriter::shape_of(*made) : policy::TableShape{};
  if (!policy::is_copy_of(shape, rewriter::shape_of(reading.relation()))) {
    return Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
                 fmt::format("policy {}: a masked copy would have columns of other types", policy),
                 "use enforcement: query"};
  }
  server.run("COMMIT");
  mark_visible(server, shape);
  return shape;
}

Result<MadeCopy> make_masked_copy(TableReading& reading, const policy::PolicyVersion& version,
                                  const std::string& query_role, const Progress& progress) {
  auto plan = plan_export(reading, version, progress);
  if (!plan) return plan.error();
  if (progress) progress("writing the masked copy", 0);
  auto shape = guarded<policy::TableShape>("making the masked copy of policy " + version.policy, [&] {
    return write_copy(reading, query_role, [&](const std::string& schema, const std::string& name) {
      return write_masked_table(reading, *plan, schema, name);
    });
  });
  if (!shape) return shape.error();
  return MadeCopy{std::move(*shape), std::move(plan->tree),    std::move(plan->lineage),
                  plan->disclosure,  std::move(plan->utility), plan->collapsed};
}

Result<void> drop_outdated_copies(const Endpoint& admin, const std::string& database,
                                  const std::string& policy, const std::string& kept) {
  auto connection = Connection::open(admin, database, Access::read_write);
  if (!connection) return connection.error();
  const auto done = guarded<bool>("dropping outdated copies of policy " + policy, [&]() -> Result<bool> {
    Connection& server = **connection;
    bool is_past_kept = false;
    bool is_past_previous = false;
    for (const auto& row : server.run(kCopies, comment_of(policy))) {
      const auto name = row[0].as<std::string>();
      if (is_past_previous) try_to_drop(server, name);
      is_past_previous = is_past_kept;
      is_past_kept = is_past_kept || name == kept;
    }
    return true;
  });
  if (!done) return done.error();
  return {};
}

Result<bool> has_rows_of_its_build(const Endpoint& admin, const std::string& database,
                                   const std::string& name, std::uint64_t rows) {
  auto connection = Connection::open(admin, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<bool>("looking at a masked copy", [&]() -> Result<bool> {
    const auto writer = written_by(name);
    if (!writer) return false;
    const auto counted =
        (*connection)
            ->run(fmt::format(
                "SELECT pg_catalog.count(*), pg_catalog.count(*) FILTER (WHERE c.xmin OPERATOR(pg_catalog.=) "
                "'{}'::pg_catalog.xid) FROM ONLY {} AS c",
                *writer, qualified_name(kCopySchema, name)));
    return counted[0][0].as<std::uint64_t>() == rows && counted[0][1].as<std::uint64_t>() == rows;
  });
}

Result<std::vector<MaskedCopy>> masked_copies(const Endpoint& admin, const std::string& database) {
  auto connection = Connection::open(admin, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<std::vector<MaskedCopy>>(
      "looking for masked copies", [&]() -> Result<std::vector<MaskedCopy>> {
        std::vector<MaskedCopy> copies;
        for (const auto& row : (*connection)->run(kAllCopies, std::string(kComment)))
          copies.push_back({row[0].as<std::string>(), row[1].as<std::string>().substr(kComment.size())});
        return copies;
      });
}

// Revokes the right first, because a drop waits for readers and then gives up.
Result<void> retire_copy(const Endpoint& admin, const std::string& database, const std::string& name,
                         const std::string& query_role) {
  auto connection = Connection::open(admin, database, Access::read_write);
  if (!connection) return connection.error();
  const auto done = guarded<bool>("dropping a masked copy that no policy has", [&]() -> Result<bool> {
    Connection& server = **connection;
    server.run(
        fmt::format("REVOKE ALL ON {} FROM {}", qualified_name(kCopySchema, name), quoted_name(query_role)));
    try_to_drop(server, name);
    return true;
  });
  if (!done) return done.error();
  return {};
}

Result<void> drop_copy(const Endpoint& admin, const std::string& database, const std::string& name) {
  auto connection = Connection::open(admin, database, Access::read_write);
  if (!connection) return connection.error();
  const auto done = guarded<bool>("dropping a masked copy", [&]() -> Result<bool> {
    try_to_drop(**connection, name);
    return true;
  });
  if (!done) return done.error();
  return {};
}

}  // namespace pgveil::db
