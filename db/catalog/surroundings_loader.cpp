#include "db/catalog/surroundings_loader.hpp"

#include <fmt/format.h>

#include <sstream>

#include "common/sql_quoting.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

using rewriter::Surroundings;

// A view's rule has the name _RETURN and ev_type '1'. The relations that a rule reads are recorded as its
// dependencies.
constexpr const char* kReads = R"(
SELECT DISTINCT r.ev_class, d.refobjid, r.ev_type = '1'
  FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
 WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class AND r.oid >= 16384)";

constexpr const char* kInheritance = "SELECT inhrelid, inhparent FROM pg_inherits";

constexpr const char* kForeignKeys = R"(
SELECT conname, conrelid, array_to_string(conkey, ' '), confrelid, array_to_string(confkey, ' ')
  FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 ORDER BY conrelid, conname)";

// From a row type up to the types made from it: arrays, domains, other composites.
constexpr const char* kRowTypes = R"(
WITH RECURSIVE step(base, type) AS (
  SELECT oid, typarray FROM pg_type WHERE typarray <> 0
  UNION ALL SELECT typbasetype, oid FROM pg_type WHERE typbasetype <> 0
  UNION ALL SELECT a.atttypid, c.reltype FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
             WHERE c.relkind = 'c' AND NOT a.attisdropped),
made(type, of) AS (
  SELECT reltype, oid FROM pg_class WHERE reltype <> 0 AND oid >= 16384 AND relkind IN ('r', 'p', 'v', 'm', 'f')
  UNION SELECT step.type, made.of FROM made JOIN step ON step.base = made.type)
SELECT DISTINCT a.attrelid, a.attnum, made.of
  FROM made JOIN pg_attribute a ON a.atttypid = made.type AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))";

constexpr const char* kForeignTables = R"(
SELECT t.ftrelid,
       (SELECT option_value FROM pg_options_to_table(t.ftoptions) WHERE option_name = 'schema_name'),
       (SELECT option_value FROM pg_options_to_table(t.ftoptions) WHERE option_name = 'table_name')
  FROM pg_foreign_table t)";

constexpr const char* kSequences = R"(
SELECT d.objid, d.refobjid, d.refobjsubid FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
 WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
   AND d.refobjsubid > 0)";

constexpr const char* kRoutines = R"(
SELECT CASE p.prokind WHEN 'p' THEN 'procedure ' ELSE 'function ' END || p.oid::regprocedure, p.prosecdef,
       has_function_privilege(p.oid, 'EXECUTE'),
       CASE WHEN l.lanname IN ('c', 'internal') OR p.prosqlbody IS NOT NULL THEN '' ELSE p.prosrc END,
       (SELECT string_agg(DISTINCT d.refobjid::text, ' ') FROM pg_depend d
         WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_class'::regclass)
  FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang JOIN pg_namespace n ON n.oid = p.pronamespace
 WHERE p.oid >= 16384 AND n.nspname !~ '^(pg_temp|pg_toast|pgveil$)' AND p.prokind <> 'a'
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
                      AND d.deptype = 'e')
 ORDER BY 1)";

constexpr const char* kTriggers = R"(
SELECT tgname, tgrelid, tgfoid::regprocedure::text FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgrelid, tgname)";

// indkey also has the included columns, after the key columns.
constexpr const char* kIndexes = R"(
SELECT c.relname, i.indrelid, array_to_string((i.indkey::int2[])[0:i.indnkeyatts - 1], ' '),
       i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL, i.indisclustered
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
 WHERE t.oid >= 16384 AND t.relkind IN ('r', 'p', 'm') AND i.indisvalid ORDER BY i.indrelid, c.relname)";

template <class Number>
std::vector<Number> numbers_of(const Field& field) {
  std::vector<Number> numbers;
  if (field.is_null()) return numbers;
  std::istringstream words(field.c_str());
  for (Number number; words >> number;) numbers.push_back(number);
  return numbers;
}

rewriter::RelationOid oid_of(const Field& field) {
  return field.as<rewriter::RelationOid>();
}

constexpr const char* kReadable = R"(
SELECT c.oid FROM pg_catalog.pg_class c
 WHERE c.relkind IN ('r', 'p') AND pg_catalog.has_schema_privilege(current_user, c.relnamespace, 'USAGE')
   AND pg_catalog.has_any_column_privilege(current_user, c.oid, 'SELECT'))";

void read_edges(Connection& connection, Surroundings& out) {
  for (const auto& row : connection.run(kReads)) {
    out.reads.push_back({oid_of(row[0]), oid_of(row[1]),
                         row[2].as<bool>() ? rewriter::ReadKind::query : rewriter::ReadKind::rule});
  }
  for (const auto& row : connection.run(kInheritance))
    out.inheritance.push_back({oid_of(row[0]), oid_of(row[1])});
  for (const auto& row : connection.run(kForeignKeys)) {
    out.foreign_keys.push_back({row[0].as<std::string>(), oid_of(row[1]), numbers_of<int>(row[2]),
                                oid_of(row[3]), numbers_of<int>(row[4])});
  }
  for (const auto& row : connection.run(kRowTypes))
    out.row_types.push_back({oid_of(row[0]), row[1].as<int>(), oid_of(row[2])});
  for (const auto& row : connection.run(kForeignTables))
    out.foreign_tables.push_back({oid_of(row[0]), row[1].as<std::string>(""), row[2].as<std::string>("")});
  for (const auto& row : connection.run(kSequences))
    out.sequences.push_back({oid_of(row[0]), oid_of(row[1]), row[2].as<int>()});
}

void read_code(Connection& connection, Surroundings& out) {
  for (const auto& row : connection.run(kRoutines)) {
    out.routines.push_back({row[0].as<std::string>(), row[1].as<bool>(), row[2].as<bool>(),
                            row[3].as<std::string>(), numbers_of<rewriter::RelationOid>(row[4])});
  }
  for (const auto& row : connection.run(kTriggers))
    out.triggers.push_back({row[0].as<std::string>(), oid_of(row[1]), row[2].as<std::string>()});
  for (const auto& row : connection.run(kIndexes)) {
    out.indexes.push_back({row[0].as<std::string>(), oid_of(row[1]), numbers_of<int>(row[2]),
                           row[3].as<bool>(), row[4].as<bool>()});
  }
}

}  // namespace

Result<Surroundings> load_surroundings(const Endpoint& endpoint, const std::string& database) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<Surroundings>(
      fmt::format("reading what surrounds the tables of database {}", quoted_name(database)),
      [&]() -> Result<Surroundings> {
        (*connection)->run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        Surroundings out;
        read_edges(**connection, out);
        read_code(**connection, out);
        for (const auto& row : (*connection)->run(kReadable)) out.readable.insert(oid_of(row[0]));
        (*connection)->run("COMMIT");
        return out;
      });
}

}  // namespace pgveil::db
