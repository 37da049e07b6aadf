#include "db/catalog/relation_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "common/assert.hpp"

namespace pgveil::db {
namespace {

// {} is a further condition on c and n.
constexpr std::string_view kRelations = R"(
SELECT c.oid, c.relfilenode, n.nspname, c.relname, c.relkind, c.relrowsecurity,
       EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid),
       EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid),
       (SELECT pg_catalog.array_to_string(k.conkey, ' ') FROM pg_catalog.pg_constraint k
         WHERE k.conrelid = c.oid AND k.contype = 'p'), c.relispartition,
       (SELECT pg_catalog.string_agg(x.indkey[0]::pg_catalog.text, ' ' ORDER BY x.indkey[0])
          FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class xc ON xc.oid = x.indexrelid
          JOIN pg_catalog.pg_am xm ON xm.oid = xc.relam
         WHERE x.indrelid = c.oid AND x.indisvalid AND x.indpred IS NULL AND xm.amname IN ('btree', 'hash')),
       pg_catalog.array_to_string(below.oids, ' '), pg_catalog.hash_array_extended(below.oids, 0)
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN LATERAL (
    WITH RECURSIVE tree AS (
        SELECT c.oid WHERE c.relkind = 'p'
      UNION
        SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN tree ON tree.oid = i.inhparent AND NOT i.inhdetachpending)
    SELECT pg_catalog.array_agg(tree.oid ORDER BY tree.oid) AS oids FROM tree) below ON c.relkind = 'p'
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname !~ '^pg_(toast|temp_|toast_temp_)' {})";

constexpr std::string_view kRelationColumns = R"(
SELECT a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod,
       pg_catalog.format_type(a.atttypid, a.atttypmod), tn.nspname, t.typname, t.typtype, t.typcategory,
       a.attcollation,
       CASE WHEN a.attcollation <> t.typcollation THEN ln.nspname END,
       CASE WHEN a.attcollation <> t.typcollation THEN l.collname END,
       COALESCE(l.collisdeterministic, true), d.oid,
       pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.pg_get_expr(d.adbin, d.adrelid), 'UTF8')), 'hex'),
       a.attgenerated = 'v'
  FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  JOIN pg_catalog.pg_namespace tn ON tn.oid = t.typnamespace
  LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.attgenerated = 's'
            AND a.atttypid = 'pg_catalog.int4'::pg_catalog.regtype AND c.relkind = 'r'
            AND pg_catalog.starts_with(a.attname::pg_catalog.text, '{stored}')
  LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
  LEFT JOIN pg_catalog.pg_namespace ln ON ln.oid = l.collnamespace
 WHERE a.attnum > 0 AND NOT a.attisdropped
   AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname !~ '^pg_(toast|temp_|toast_temp_)' {condition}
 ORDER BY a.attrelid, a.attnum)";

// Per relation and column. A type is an enum with few labels, or there are no rows for it.
constexpr std::string_view kLabels = R"(
SELECT a.attrelid, a.attnum, e.oid, e.enumlabel
  FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_enum e ON e.enumtypid = a.atttypid
 WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND n.nspname !~ '^pg_(toast|temp_|toast_temp_)' {}
 ORDER BY e.oid)";

// Of Citus, which need not be there. A table of one shard is read in one snapshot.
constexpr const char* kHasShards = "SELECT pg_catalog.to_regclass('pg_catalog.pg_dist_shard') IS NOT NULL";
constexpr const char* kDistributedTables =
    "SELECT logicalrelid::pg_catalog.oid FROM pg_catalog.pg_dist_shard GROUP BY 1 HAVING pg_catalog.count(*) "
    "> 1";

// The base type and modifier of each domain.
constexpr const char* kDomains = R"(
WITH RECURSIVE d AS (
    SELECT t.oid, t.typbasetype AS base, t.typtypmod AS typmod FROM pg_catalog.pg_type t WHERE t.typtype = 'd'
  UNION ALL
    SELECT d.oid, t.typbasetype, CASE WHEN d.typmod = -1 THEN t.typtypmod ELSE d.typmod END
      FROM d JOIN pg_catalog.pg_type t ON t.oid = d.base WHERE t.typtype = 'd')
SELECT d.oid, n.nspname, t.typname, pg_catalog.format_type(t.oid, d.typmod), d.typmod
  FROM d JOIN pg_catalog.pg_type t ON t.oid = d.base JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
 WHERE t.typtype <> 'd')";

using Domains = std::map<std::uint32_t, rewriter::BaseType>;

rewriter::RelationKind kind_of(char relkind) {
  switch (relkind) {
    case 'r': return rewriter::RelationKind::table;
    case 'p': return rewriter::RelationKind::partitioned_table;
    case 'v': return rewriter::RelationKind::view;
    case 'm': return rewriter::RelationKind::materialized_view;
    case 'f': return rewriter::RelationKind::foreign_table;
    case 'S': return rewriter::RelationKind::sequence;
    default: break;
  }
  PGVEIL_ASSERT(false);  // the query returns no other kind
  return rewriter::RelationKind::table;
}

std::vector<int> numbers_of(const Field& field) {
  std::vector<int> numbers;
  if (field.is_null()) return numbers;
  int number = 0;
  for (const char c : field.as<std::string>() + " ") {
    if (c != ' ') {
      number = number * 10 + (c - '0');
    } else if (number != 0) {
      numbers.push_back(std::exchange(number, 0));
    }
  }
  return numbers;
}

rewriter::Relation relation_of(const Row& row) {
  rewriter::Relation relation;
  relation.oid = row[0].as<std::uint32_t>();
  relation.relfilenode = row[1].as<std::uint32_t>();
  relation.schema = row[2].as<std::string>();
  relation.name = row[3].as<std::string>();
  relation.kind = kind_of(row[4].c_str()[0]);
  relation.has_row_security = row[5].as<bool>();
  relation.has_children = row[6].as<bool>();
  relation.has_parent = row[7].as<bool>();
  relation.primary_key = numbers_of(row[8]);
  relation.is_partition = row[9].as<bool>();
  relation.indexed = numbers_of(row[10]);
  if (row[11].is_null()) return relation;
  std::istringstream partitions(row[11].as<std::string>());
  relation.partitions.assign(std::istream_iterator<std::uint32_t>(partitions), {});
  relation.partitions_hash = row[12].as<std::int64_t>();
  return relation;
}

rewriter::Column column_of(const Row& row) {
  rewriter::Column column;
  column.number = row[1].as<int>();
  column.name = row[2].as<std::string>();
  column.type_oid = row[3].as<std::uint32_t>();
  column.typmod = row[4].as<std::int32_t>();
  column.type_text = row[5].as<std::string>();
  column.type_schema = row[6].as<std::string>();
  column.type_name = row[7].as<std::string>();
  column.type_kind = row[8].c_str()[0];
  column.type_category = row[9].c_str()[0];
  column.collation_oid = row[10].as<std::uint32_t>();
  if (!row[11].is_null()) column.collation_schema = row[11].as<std::string>();
  if (!row[12].is_null()) column.collation_name = row[12].as<std::string>();
  column.collation_is_deterministic = row[13].as<bool>();
  column.is_virtual = row[16].as<bool>();
  return column;
}

std::string columns_query(std::string_view condition) {
  return fmt::format(kRelationColumns, fmt::arg("stored", rewriter::kStoredPrefix),
                     fmt::arg("condition", condition));
}

void add_column(const Row& row, rewriter::Relation& relation) {
  constexpr int kDefault = 14;
  if (row[kDefault].is_null() || row[kDefault + 1].is_null()) {
    relation.columns.push_back(column_of(row));
  } else {
    relation.stored.push_back({row[1].as<int>(), row[2].as<std::string>(),
                               row[kDefault + 1].as<std::string>(), row[kDefault].as<std::uint32_t>()});
  }
}

void add_label(const Row& row, rewriter::Relation& relation) {
  const auto column =
      std::ranges::find(relation.columns, row[1].as<int>(), [](const auto& each) { return each.number; });
  if (column == relation.columns.end()) return;
  column->labels.push_back({row[2].as<std::uint32_t>(), row[3].as<std::string>()});
}

Domains domains_of(const Rows& rows) {
  Domains out;
  for (const auto& row : rows) {
    out.emplace(row[0].as<std::uint32_t>(),
                rewriter::BaseType{row[1].as<std::string>(), row[2].as<std::string>(),
                                   row[3].as<std::string>(), row[4].as<std::int32_t>()});
  }
  return out;
}

void add_bases(const Domains& domains, rewriter::Relation& relation) {
  for (auto& column : relation.columns) {
    if (const auto found = domains.find(column.type_oid); found != domains.end()) column.base = found->second;
  }
}

void mark_distributed(Connection& connection, std::vector<rewriter::Relation>& relations) {
  if (!connection.run(kHasShards)[0][0].as<bool>()) return;
  std::set<std::uint32_t> distributed;
  for (const auto& row : connection.run(kDistributedTables)) distributed.insert(row[0].as<std::uint32_t>());
  for (auto& relation : relations) relation.is_distributed = distributed.contains(relation.oid);
}

std::vector<rewriter::Relation> with_columns(const Rows& relations, const Rows& columns, const Rows& labels,
                                             const Domains& domains) {
  std::vector<rewriter::Relation> out;
  std::map<std::uint32_t, std::size_t> by_oid;
  for (const auto& row : relations) {
    out.push_back(relation_of(row));
    by_oid.emplace(out.back().oid, out.size() - 1);
  }
  for (const auto& row : columns) {
    const auto found = by_oid.find(row[0].as<std::uint32_t>());
    if (found != by_oid.end()) add_column(row, out[found->second]);
  }
  for (const auto& row : labels) {
    const auto found = by_oid.find(row[0].as<std::uint32_t>());
    if (found != by_oid.end()) add_label(row, out[found->second]);
  }
  for (auto& relation : out) add_bases(domains, relation);
  return out;
}

}  // namespace

std::vector<rewriter::Relation> all_relations(Connection& connection) {
  const auto relations = connection.run(fmt::format(kRelations, ""));
  const auto columns = connection.run(columns_query(""));
  const auto labels = connection.run(fmt::format(kLabels, ""));
  auto all = with_columns(relations, columns, labels, domains_of(connection.run(kDomains)));
  mark_distributed(connection, all);
  return all;
}

std::optional<rewriter::Relation> one_relation(Connection& connection, const std::string& schema,
                                               const std::string& name) {
  constexpr std::string_view condition = "AND n.nspname = $1 AND c.relname = $2";
  const auto relations = connection.run(fmt::format(kRelations, condition), schema, name);
  const auto columns = connection.run(columns_query(condition), schema, name);
  const auto labels = connection.run(fmt::format(kLabels, condition), schema, name);
  auto found = with_columns(relations, columns, labels, domains_of(connection.run(kDomains)));
  if (found.empty()) return std::nullopt;
  mark_distributed(connection, found);
  return std::move(found.front());
}

}  // namespace pgveil::db
