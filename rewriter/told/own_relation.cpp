#include "rewriter/told/own_relation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "common/sql_quoting.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/told/mask_notice.hpp"
#include "rewriter/told/told_columns.hpp"

namespace pgveil::rewriter {
namespace {

struct OwnColumn {
  std::string_view name;
  std::string_view type;  // in pg_catalog
};

constexpr auto kColumns = std::to_array<OwnColumn>({{"table_schema", "text"},
                                                    {"table_name", "text"},
                                                    {"column_name", "text"},
                                                    {"policy", "text"},
                                                    {"class", "text"},
                                                    {"shown_percent", "int4"},
                                                    {"hidden_as", "text"},
                                                    {"level_of", "text"},
                                                    {"level", "text"},
                                                    {"k", "int8"},
                                                    {"enforcement", "text"},
                                                    {"built_at", "timestamptz"},
                                                    {"copy_age", "interval"}});
constexpr auto kPolicies = std::to_array<OwnColumn>({{"policy", "text"},
                                                     {"table_schema", "text"},
                                                     {"table_name", "text"},
                                                     {"state", "text"},
                                                     {"k", "int8"},
                                                     {"enforcement", "text"},
                                                     {"built_at", "timestamptz"},
                                                     {"copy_age", "interval"}});

constexpr auto kComments =
    std::to_array<OwnColumn>({{"relation", "oid"}, {"number", "int4"}, {"note", "text"}});

constexpr auto kNullable = std::to_array<OwnColumn>(
    {{"relation", "oid"}, {"table_schema", "text"}, {"table_name", "text"}, {"numbers", "_int4"}});

// copy_age is not listed but computed of the two before it, enforcement and built_at.
bool has_age(OwnRelation which) {
  return which != OwnRelation::comments && which != OwnRelation::nullable;
}

std::span<const OwnColumn> columns_of(OwnRelation which) {
  switch (which) {
    case OwnRelation::columns: return kColumns;
    case OwnRelation::policies: return kPolicies;
    case OwnRelation::comments: return kComments;
    case OwnRelation::nullable: return kNullable;
  }
  return {};
}

std::span<const OwnColumn> listed_columns(OwnRelation which) {
  const auto columns = columns_of(which);
  return has_age(which) ? columns.first(columns.size() - 1) : columns;
}

std::string literal_or_null(std::string_view text) {
  return text.empty() ? "NULL" : quoted_literal(text);
}

std::string built_at_of(const Snapshot::ProtectedTable& table) {
  return table.state.version == nullptr ? "NULL" : literal_or_null(table.state.version->built_at);
}

std::string row_of(const Snapshot::ProtectedTable& table, const ToldColumn& column) {
  const policy::PolicySpec& spec = *table.state.spec;
  using policy::ColumnClass;
  const bool may_hide =
      column.column_class != ColumnClass::sensitive && column.column_class != ColumnClass::insensitive;
  return fmt::format("({}, {}, {}, {}, '{}', {}, {}, {}, {}, {}, '{}', {})", quoted_literal(spec.schema),
                     quoted_literal(spec.table), quoted_literal(column.name), quoted_literal(spec.name),
                     class_name(column.column_class), column.shown_percent, may_hide ? "'NULL'" : "NULL",
                     literal_or_null(column.level == nullptr ? "" : column.level->source),
                     literal_or_null(column.level == nullptr ? "" : level_name(column.level->method)), spec.k,
                     enforcement_name(spec.enforcement), built_at_of(table));
}

std::string row_of(const Snapshot::ProtectedTable& table) {
  const policy::PolicySpec& spec = *table.state.spec;
  return fmt::format("({}, {}, {}, '{}', {}, '{}', {})", quoted_literal(spec.name),
                     quoted_literal(spec.schema), quoted_literal(spec.table),
                     table.mask == nullptr ? "closed" : "open", spec.k, enforcement_name(spec.enforcement),
                     built_at_of(table));
}

std::string comment_row(const Relation& relation, int number, const std::string& note) {
  return fmt::format(", ('{}', {}, {})", relation.oid, number, quoted_literal(note));
}

std::string comment_rows(const Snapshot::ProtectedTable& table) {
  const Relation& relation = *table.relation;
  std::string out = comment_row(relation, 0, table_comment(table));
  const auto columns = told_columns(table);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string note = column_comment(*table.state.spec, columns[i]);
    if (!note.empty()) out += comment_row(relation, relation.columns[i].number, note);
  }
  return out;
}

// Any mask of such a class may show NULL, whatever today's tree shows: an answer that changes with each build
// would be of no use to who asks.
std::string nullable_row(const Snapshot::ProtectedTable& table) {
  std::string numbers;
  const auto columns = told_columns(table);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (is_shown_as_it_is(columns[i])) continue;
    numbers += (numbers.empty() ? "" : ",") + std::to_string(table.relation->columns[i].number);
  }
  return fmt::format(", ('{}', {}, {}, '{{{}}}')", table.relation->oid,
                     quoted_literal(table.relation->schema), quoted_literal(table.relation->name), numbers);
}

void add_rows(OwnRelation which, const Snapshot::ProtectedTable& table, std::string& out) {
  switch (which) {
    case OwnRelation::policies: out += ", " + row_of(table); return;
    case OwnRelation::columns:
      if (table.mask == nullptr) return;
      for (const ToldColumn& column : told_columns(table)) out += ", " + row_of(table, column);
      return;
    case OwnRelation::comments:
      if (table.mask != nullptr) out += comment_rows(table);
      return;
    case OwnRelation::nullable:
      if (table.mask != nullptr) out += nullable_row(table);
      return;
  }
}

std::string rows_of(OwnRelation which, const std::string& role, const Snapshot& snapshot) {
  std::string out;
  for (const OwnColumn& column : listed_columns(which))
    out += fmt::format("{}NULL::pg_catalog.{}", out.empty() ? "(" : ", ", column.type);
  out += ")";
  for (const Snapshot::ProtectedTable& table : snapshot.protected_tables()) {
    if (is_told_of(table, role, snapshot)) add_rows(which, table, out);
  }
  return out;
}

// Positions are those of VALUES: the last is built_at, the one before it enforcement.
std::string age_target(std::size_t last, std::string_view name) {
  return fmt::format(
      ", CASE WHEN t.column{} OPERATOR(pg_catalog.=) 'copy'::pg_catalog.text "
      "THEN pg_catalog.statement_timestamp() OPERATOR(pg_catalog.-) t.column{} "
      "ELSE NULL::pg_catalog.interval END AS {}",
      last - 1, last, quoted_name(name));
}

std::string targets_of(OwnRelation which) {
  const auto listed = listed_columns(which);
  std::string out;
  for (std::size_t i = 0; i < listed.size(); ++i)
    out += fmt::format("{}t.column{} AS {}", i == 0 ? "" : ", ", i + 1, quoted_name(listed[i].name));
  return has_age(which) ? out + age_target(listed.size(), columns_of(which).back().name) : out;
}

Relation described(OwnRelation which, std::string_view name) {
  Relation out;
  out.schema = kOwnSchema;
  out.name = name;
  for (const OwnColumn& each : columns_of(which)) {
    Column& column = out.columns.emplace_back();
    column.number = static_cast<int>(out.columns.size());
    column.name = each.name;
    column.type_schema = "pg_catalog";
    column.type_name = each.type;
  }
  return out;
}

}  // namespace

std::optional<OwnRelation> own_relation(std::string_view schema, std::string_view name) {
  if (schema != kOwnSchema) return std::nullopt;
  if (name == kOwnColumns) return OwnRelation::columns;
  if (name == kOwnPolicies) return OwnRelation::policies;
  return std::nullopt;
}

const Relation& relation_of(OwnRelation which) {
  static const Relation columns = described(OwnRelation::columns, kOwnColumns);
  static const Relation policies = described(OwnRelation::policies, kOwnPolicies);
  static const Relation comments = described(OwnRelation::comments, kOwnComments);
  static const Relation nullable = described(OwnRelation::nullable, kOwnNullable);
  switch (which) {
    case OwnRelation::columns: break;
    case OwnRelation::policies: return policies;
    case OwnRelation::comments: return comments;
    case OwnRelation::nullable: return nullable;
  }
  return columns;
}

std::string own_stand_in_name(OwnRelation which) {
  const Relation& relation = relation_of(which);
  return relation.schema + "." + relation.name;
}

bool reads_masks(const std::string& role, const Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.protected_tables(), [&](const Snapshot::ProtectedTable& table) {
    return table.mask != nullptr && is_told_of(table, role, snapshot);
  });
}

std::string own_relation_text(OwnRelation which, const std::string& role, const Snapshot& snapshot) {
  return fmt::format("SELECT {} FROM (VALUES {}) AS t WHERE t.column1 IS NOT NULL", targets_of(which),
                     rows_of(which, role, snapshot));
}

}  // namespace pgveil::rewriter
