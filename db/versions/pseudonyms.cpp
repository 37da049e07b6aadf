#include "db/versions/pseudonyms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/server/failure.hpp"
#include "policy/spec/entity_group.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kSecret = "pg_temp.\"pgveil secret\"";

std::string rows_of(const TableReading& reading) {
  return qualified_name(reading.rows().schema, reading.rows().name);
}

constexpr int kDigestCharacters = 32;
constexpr int kVarcharHeader = 4;  // typmod of varchar(n) is n + 4

// The largest number of an integer type; 0: another type.
std::uint64_t largest_of(const rewriter::Column& column) {
  if (column.type_name == "int2") return INT16_MAX;
  if (column.type_name == "int4") return INT32_MAX;
  if (column.type_name == "int8") return INT64_MAX;
  return 0;
}
bool is_text(const rewriter::Column& column) {
  return column.type_name == "text" || column.type_name == "varchar";
}
bool holds_digest(const rewriter::Column& column) {
  return is_text(column) && (column.typmod < 0 || column.typmod - kVarcharHeader >= kDigestCharacters);
}

// The pseudonym as an expression over the person's number n and digest d. Numbers of persons are all
// different and digests are checked to be, so the pseudonyms are. More persons than the type has positive
// numbers get all of its numbers from the least one on.
std::string pseudonym_sql(const rewriter::Column& column, std::uint64_t persons) {
  if (const auto largest = largest_of(column); largest > 0) {
    const std::uint64_t shift = persons > largest ? largest + 2 : 0;
    return fmt::format("(n OPERATOR(pg_catalog.-) {})::pg_catalog.{}", shift, column.type_name);
  }
  const std::string hex = "pg_catalog.encode(pg_catalog.substr(d, 1, 16), 'hex')";
  if (column.type_name == "uuid") return hex + "::pg_catalog.uuid";
  PGVEIL_ASSERT(is_text(column));
  return hex;
}

void refuse_bad_keys(Connection& server, const TableReading& persons, const std::string& key) {
  const auto counted = server.run(fmt::format(
      "SELECT pg_catalog.count(*), pg_catalog.count({0}), pg_catalog.count(DISTINCT {0}) FROM {1}", key,
      rows_of(persons)));
  const auto rows = counted[0][0].as<std::uint64_t>();
  const auto keys = counted[0][1].as<std::uint64_t>();
  const auto distinct = counted[0][2].as<std::uint64_t>();
  if (rows == keys && keys == distinct) return;
  throw Abandon{Error{
      ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
      fmt::format("policy {}: its key {} must tell each {} apart, but {} of {} rows have no key, and {} "
                  "rows have a key that another row has, too",
                  persons.spec().name, key, persons.spec().entity.value_or("person"), rows - keys, rows,
                  keys - distinct),
      "name a column that is unique and never NULL, or publish one row for each with source: SELECT …"}};
}

void refuse_narrow_key(const TableReading& reading, const rewriter::Column& key, std::uint64_t persons) {
  const auto largest = largest_of(key);
  const bool fits = largest > 0 ? persons <= 2 * largest + 2 : key.type_name == "uuid" || holds_digest(key);
  if (largest == INT64_MAX || fits) return;
  throw Abandon{Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
                      fmt::format("policy {}: {} pseudonyms don't fit into a key of type {}",
                                  reading.spec().name, persons, key.type_text),
                      "use a smallint, integer, bigint, uuid or text column as the key"}};
}

}  // namespace

const rewriter::Column& key_column(const TableReading& reading) {
  const auto* rule = policy::key_of(reading.spec());
  PGVEIL_ASSERT(rule != nullptr);
  const auto* column = reading.rows().find_column(rule->name);
  if (column != nullptr) return *column;
  throw Abandon{
      Error{ErrorKind::policy, std::string(sqlstate::kUndefinedColumn),
            fmt::format("policy {} has no column \"{}\" for its key", reading.spec().name, rule->name),
            "mend the policy"}};
}

std::uint64_t number_persons(Connection& server, const TableReading& persons) {
  // Made on the server, so that no statement's text has it.
  server.run(
      fmt::format("CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT pg_catalog.sha256("
                  "pg_catalog.uuid_send(pg_catalog.gen_random_uuid()) OPERATOR(pg_catalog.||) "
                  "pg_catalog.uuid_send(pg_catalog.gen_random_uuid())) AS \"pgveil bytes\"",
                  kSecret));
  const auto& key = key_column(persons);
  const auto quoted = quoted_name(key.name);
  refuse_bad_keys(server, persons, quoted);
  const auto count =
      server.run("SELECT pg_catalog.count(*) FROM " + rows_of(persons))[0][0].as<std::uint64_t>();
  refuse_narrow_key(persons, key, count);
  server.run(fmt::format(
      R"(CREATE TEMPORARY TABLE {} ON COMMIT PRESERVE ROWS AS
SELECT k AS "pgveil key", n AS "pgveil number", {} AS "pgveil pseudonym"
  FROM (SELECT k, d, pg_catalog.row_number() OVER (ORDER BY d) AS n
          FROM (SELECT f.{} AS k, pg_catalog.sha256(s."pgveil bytes" OPERATOR(pg_catalog.||)
                       pg_catalog.textsend(f.{}::pg_catalog.text)) AS d FROM {} AS f, {} AS s) AS x) AS y)",
      kPersons, pseudonym_sql(key, count), quoted, quoted, rows_of(persons), kSecret));
  server.run(fmt::format("CREATE UNIQUE INDEX ON {} (\"pgveil pseudonym\")", kPersons));
  return count;
}

void refuse_other_key(const TableReading& fact, const rewriter::Column& key,
                      const rewriter::Column& persons_key, std::uint64_t persons) {
  const auto least = std::min(largest_of(key), largest_of(persons_key));
  const bool fits = key.type_name == persons_key.type_name ? !is_text(key) || holds_digest(key)
                    : is_text(persons_key)                 ? holds_digest(key)
                                                           : least > 0 && persons <= least;
  if (fits) return;
  throw Abandon{
      Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
            fmt::format("policy {}: its key has type {}, which can't show the pseudonyms of keys of "
                        "type {}",
                        fact.spec().name, key.type_text, persons_key.type_text),
            "give both keys one type; source: SELECT … can cast one of them"}};
}

std::string shown_pseudonym(const rewriter::Column& key) {
  const bool has_collation = !key.collation_name.empty();
  return fmt::format(
      "(p.\"pgveil pseudonym\")::{}{}", key.type_text,
      has_collation ? " COLLATE " + qualified_name(key.collation_schema, key.collation_name) : "");
}

std::uint64_t cut_off(Connection& server, const TableReading& fact) {
  if (!fact.spec().max_rows_per_person) return 0;
  const auto key = quoted_name(key_column(fact).name);
  const auto rows = rows_of(fact);
  // Which rows stay is decided by a digest, so it says nothing of their order.
  const auto deleted = server.run(fmt::format(
      R"(WITH many AS (SELECT {0} AS k FROM {1} WHERE {0} IS NOT NULL GROUP BY {0}
               HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) {2})
DELETE FROM {1} WHERE ctid = ANY (ARRAY(
  SELECT c FROM (SELECT f.ctid AS c, pg_catalog.row_number() OVER (PARTITION BY f.{0}
                        ORDER BY pg_catalog.sha256(s."pgveil bytes" OPERATOR(pg_catalog.||)
                          pg_catalog.textsend(ROW(f.*)::pg_catalog.text))) AS place
                   FROM {1} AS f JOIN many ON many.k = f.{0} CROSS JOIN {3} AS s) AS x
   WHERE place OPERATOR(pg_catalog.>) {2})))",
      key, rows, *fact.spec().max_rows_per_person, kSecret));
  return static_cast<std::uint64_t>(deleted.affected_rows());
}

}  // namespace pgveil::db
