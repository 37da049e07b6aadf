// What catalogs say to this role that their masks, which are the same for all roles, do not: its name in its
// own row of pg_stat_activity, and that columns which a mask may hide are nullable.
#include <fmt/format.h>

#include <map>
#include <string>

#include "common/sql_quoting.hpp"
#include "pg/print.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/told/told_columns.hpp"

namespace pgveil::rewriter {
namespace {

// By column: what stands in its place, over the alias c.
using Replacements = std::map<std::string_view, std::string>;

std::string replaced(const Relation& relation, const Replacements& replacements) {
  std::string out;
  for (const Column& column : relation.columns) {
    const std::string name = pg::quote_identifier(column.name);
    const auto at = replacements.find(column.name);
    out += fmt::format("{}{} AS {}", out.empty() ? "SELECT " : ", ",
                       at == replacements.end() ? "c." + name : at->second, name);
  }
  return out + fmt::format(" FROM (SELECT * FROM \"{}\".\"{}\") AS c", kStandInSchema, relation.oid);
}

// key, over the aliases c of the catalog and n of the list: equal for a column that a mask may hide.
std::string if_nullable(std::string_view column, std::string_view listed, std::string_view yes,
                        std::string_view otherwise) {
  return fmt::format(
      "CASE WHEN {} OPERATOR(pg_catalog.=) ANY (SELECT {}, pg_catalog.unnest(n.numbers) FROM (SELECT * FROM "
      "\"{}\".\"{}\") AS n) THEN {} ELSE {} END",
      column, listed, kStandInSchema, own_stand_in_name(OwnRelation::nullable), yes, otherwise);
}

// The OIDs of domains of columns that masks of the role may hide. A domain may be NOT NULL. Empty: none.
std::string hidden_domains(const std::string& role, const Snapshot& snapshot) {
  std::string out;
  for (const Snapshot::ProtectedTable& table : snapshot.protected_tables()) {
    if (table.mask == nullptr || !is_told_of(table, role, snapshot)) continue;
    const auto columns = told_columns(table);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Column& column = table.relation->columns[i];
      if (column.base && !is_shown_as_it_is(columns[i]))
        out += (out.empty() ? "" : ",") + std::to_string(column.type_oid);
    }
  }
  return out;
}

}  // namespace

PgQuery__SelectStmt* Resolver::own_session(const Relation& activity) {
  Replacements known = {{"usename", quoted_literal(client_.role) + "::pg_catalog.name"}};
  const Relation* databases = snapshot_.catalog().find("pg_catalog", "pg_database");
  if (databases != nullptr && snapshot_.catalog_mask(*databases) != nullptr) {
    known.emplace("datid",
                  fmt::format("(SELECT d.oid FROM (SELECT * FROM \"{}\".\"{}\") AS d WHERE d.datname "
                              "OPERATOR(pg_catalog.=) pg_catalog.current_database())",
                              kStandInSchema, databases->oid));
  }
  return own_select(replaced(activity, known));
}

// Null: the mask alone stands in the catalog's place.
PgQuery__SelectStmt* Resolver::own_catalog(const Relation& relation) {
  if (snapshot_.catalog_mask(relation) == nullptr) return nullptr;
  const bool is_pg = relation.schema == "pg_catalog";
  if (is_pg && relation.name == "pg_stat_activity") return own_session(relation);
  if (!reads_masks(client_.role, snapshot_)) return nullptr;
  if (is_pg && relation.name == "pg_description") return descriptions(relation);
  if (is_pg && relation.name == "pg_attribute") {
    return own_select(
        replaced(relation, {{"attnotnull", if_nullable("(c.attrelid, c.attnum::pg_catalog.int4)",
                                                       "n.relation", "false", "c.attnotnull")}}));
  }
  if (is_pg && relation.name == "pg_type") {
    const std::string domains = hidden_domains(client_.role, snapshot_);
    if (domains.empty()) return nullptr;
    const std::string not_null = fmt::format(
        "CASE WHEN c.oid OPERATOR(pg_catalog.=) ANY ('{{{}}}'::pg_catalog.oid[]) THEN false ELSE "
        "c.typnotnull END",
        domains);
    return own_select(replaced(relation, {{"typnotnull", not_null}}));
  }
  if (relation.schema == "information_schema" && relation.name == "columns") {
    // information_schema.yes_or_no is a domain over varchar(3), and as that its columns are described.
    const std::string yes_or_no = if_nullable(
        "(c.table_schema::pg_catalog.text, c.table_name::pg_catalog.text, "
        "c.ordinal_position::pg_catalog.int4)",
        "n.table_schema, n.table_name", "'YES'", "c.is_nullable");
    return own_select(
        replaced(relation, {{"is_nullable", fmt::format("({})::pg_catalog.\"varchar\"(3)", yes_or_no)}}));
  }
  return nullptr;
}

}  // namespace pgveil::rewriter
