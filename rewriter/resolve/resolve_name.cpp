#include <fmt/format.h>

#include <algorithm>

#include "rewriter/lists/function_access.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"
#include "rewriter/resolve/suggest.hpp"

namespace pgveil::rewriter {
namespace {

constexpr std::string_view kFrozenTransaction = "2";  // FrozenTransactionId

}  // namespace

void Resolver::column_reference(PgQuery__ColumnRef& column, const Scope& scope) {
  const auto fields = pg::nodes(column.fields, column.n_fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool is_star = pg::is_kind(fields[i], PG_QUERY__NODE__NODE_A_STAR);
    if (!is_star && !pg::is_kind(fields[i], PG_QUERY__NODE__NODE_STRING)) {
      refuse(Reason::node_kind, "a column name of an unknown form", {}, column.location);
    }
    if (is_star && i + 1 != fields.size())
      refuse(Reason::node_kind, "\"*\" inside a name", {}, column.location);
  }
  switch (fields.size()) {
    case 1: return bare_name(fields[0], scope, column.location);
    case 2: {
      const Entry* entry = scope.find(pg::string_of(fields[0]));
      if (entry == nullptr) missing_entry(scope, pg::string_of(fields[0]), column.location);
      return field_of(*entry, fields[1], scope, column.location);
    }
    case 3: return relation_column(column, scope, pg::string_of(fields[0]), pg::string_of(fields[1]));
    case 4:
      if (pg::string_of(fields[0]) != snapshot_.catalog().database) {
        name_error(sqlstate::kFeatureNotSupported, "references to other databases are not possible",
                   column.location);
      }
      return relation_column(column, scope, pg::string_of(fields[1]), pg::string_of(fields[2]));
    default: refuse(Reason::name_not_resolved, "a name with too many parts", {}, column.location);
  }
}

// In PostgreSQL's words.
void Resolver::missing_entry(const Scope& scope, std::string_view table, int location) {
  std::string hint = suggest_alias(scope, table);
  const std::string_view what =
      hint.empty() ? "missing FROM-clause entry" : "invalid reference to FROM-clause entry";
  name_error(sqlstate::kUndefinedTable, fmt::format("{} for table \"{}\"", what, table), location,
             std::move(hint));
}

// tableoid of a system catalog, by which comments are looked up, is the same for all its rows. xmin, by which
// tools find changes, tells how many transactions there were, so it becomes the ID of all rows that are older
// than any transaction: age(xmin) <= … is true where a tool asks for everything. Both are NULL where an outer
// join has no row. Null: it is something else.
pg::Node* Resolver::system_column_of_catalog(const PgQuery__ColumnRef& column, const Scope& scope) {
  const auto fields = pg::nodes(column.fields, column.n_fields);
  if (fields.empty() || fields.size() > 2) return nullptr;
  const std::string_view name = pg::string_of(fields.back());
  if (name != "tableoid" && name != "xmin") return nullptr;
  const bool is_alone = fields.size() == 1 && scope.entries.size() == 1;
  const Entry* entry = fields.size() == 2 ? scope.find(pg::string_of(fields[0])) : nullptr;
  if (is_alone) entry = &scope.entries.front();
  if (entry == nullptr || entry->catalog_oid == 0 || !entry->columns) return nullptr;
  if (std::ranges::find(*entry->columns, name) != entry->columns->end()) return nullptr;
  if (entry->columns->empty()) return nullptr;
  // The first column of a catalog is never NULL.
  Node* is_missing = build_.is_null(build_.column({entry->alias, entry->columns->front()}));
  const std::string_view type = name == "xmin" ? "xid" : "oid";
  const auto typed = [&](Node* value) { return build_.cast(value, build_.type_name("pg_catalog", type)); };
  const std::string value =
      name == "xmin" ? std::string(kFrozenTransaction) : std::to_string(entry->catalog_oid);
  const pg::Builder::When no_row[] = {{is_missing, typed(build_.null_constant())}};
  return build_.searched_case(no_row, typed(build_.string_constant(value)));
}

// A name that may bind binds to one of the remaining columns, masked or open, and never to a function.
void Resolver::bare_name(const Node* field, const Scope& scope, int location) {
  if (pg::is_kind(field, PG_QUERY__NODE__NODE_A_STAR)) return;
  const std::string_view name = pg::string_of(field);
  if (scope.may_bind(name)) return;
  if (is_system_column(name)) {
    refuse(Reason::system_column, fmt::format("system column \"{}\"", name),
           "system columns reveal where a row is stored. Leave it out", location);
  }
  name_error(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", name), location,
             suggest_column(scope, {}, name));
}

void Resolver::relation_column(PgQuery__ColumnRef& column, const Scope& scope, std::string_view schema,
                               std::string_view table) {
  const Entry* entry = scope.find_relation(schema, table);
  if (entry == nullptr) missing_entry(scope, table, column.location);
  if (scope.find(entry->alias) != entry) {
    refuse(Reason::name_not_resolved, fmt::format("\"{}\" names two FROM items here", table),
           "give each its own alias", column.location);
  }
  Node* last = column.fields[column.n_fields - 1];
  field_of(*entry, last, scope, column.location);
  Node* const shorter[] = {build_.string(entry->alias), last};
  column.fields = build_.list(shorter);
  column.n_fields = 2;
}

void Resolver::field_of(const Entry& entry, const Node* field, const Scope& scope, int location) {
  if (pg::is_kind(field, PG_QUERY__NODE__NODE_A_STAR)) return;
  const std::string_view name = pg::string_of(field);
  if (!entry.columns) return field_name(name, location);
  if (std::ranges::find(*entry.columns, name) != entry.columns->end()) return;
  if (is_system_column(name)) {
    if (entry.has_system_columns) return;
    refuse(Reason::system_column, fmt::format("system column \"{}\" of \"{}\"", name, entry.alias),
           "system columns reveal where a row is stored. Leave it out", location);
  }
  name_error(sqlstate::kUndefinedColumn, fmt::format("column {}.{} does not exist", entry.alias, name),
             location, suggest_column(scope, entry.alias, name));
}

void Resolver::field_name(std::string_view name, int location) {
  if (may_be_field(name, snapshot_.catalog())) return;
  refuse(Reason::name_not_resolved, fmt::format("\".{}\" could call a function of that name", name),
         "name the column through a table or a sub-query with known columns", location);
}

void Resolver::type_name(PgQuery__TypeName& type) {
  const auto names = pg::nodes(type.names, type.n_names);
  if (type.setof != 0 || type.pct_type != 0 || names.empty() || names.size() > 2) {
    refuse(Reason::type_not_listed, "a type of an unusual form", "name a type of pg_catalog", type.location);
  }
  const std::string name(pg::string_of(names.back()));
  const std::string_view written = names.size() == 2 ? pg::string_of(names[0]) : std::string_view();
  const bool is_ours =
      (written.empty() || written == "pg_catalog") && snapshot_.catalog().pg_catalog_types.contains(name);
  const Catalog::NamedType* elsewhere =
      is_ours ? nullptr : snapshot_.catalog().castable_type(written, name, schemas());
  if (!is_ours && elsewhere == nullptr) {
    refuse(Reason::type_not_listed, fmt::format("type \"{}\" is not on the list", name),
           "cast to a type of pg_catalog, to an enum type or to a type of a reviewed extension",
           type.location);
  }
  if (elsewhere != nullptr) note_values(elsewhere->second.oid);
  Node* const qualified[] = {build_.string(is_ours ? std::string_view("pg_catalog") : elsewhere->first.first),
                             build_.string(name)};
  type.names = build_.list(qualified);
  type.n_names = 2;
  for (const Node* modifier : pg::nodes(type.typmods, type.n_typmods)) {
    // geometry(Point, 4326): PostgreSQL takes a name as a text.
    const bool is_word = elsewhere != nullptr && pg::is_kind(modifier, PG_QUERY__NODE__NODE_COLUMN_REF) &&
                         modifier->column_ref->n_fields == 1 &&
                         pg::is_kind(modifier->column_ref->fields[0], PG_QUERY__NODE__NODE_STRING);
    if (!is_word && !pg::is_kind(modifier, PG_QUERY__NODE__NODE_A_CONST)) {
      refuse(Reason::type_not_listed, "a type modifier that is not a constant", {}, type.location);
    }
  }
}

void Resolver::collation(PgQuery__CollateClause& collate) {
  const auto names = pg::nodes(collate.collname, collate.n_collname);
  const std::string name(names.empty() ? std::string_view() : pg::string_of(names.back()));
  const bool is_ours = names.size() == 1 || (names.size() == 2 && pg::string_of(names[0]) == "pg_catalog");
  if (!is_ours || !snapshot_.catalog().pg_catalog_collations.contains(name)) {
    refuse(Reason::collation_not_listed, fmt::format("collation \"{}\" is not on the list", name),
           "use a collation of pg_catalog", collate.location);
  }
  Node* const qualified[] = {build_.string("pg_catalog"), build_.string(name)};
  collate.collname = build_.list(qualified);
  collate.n_collname = 2;
}

}  // namespace pgveil::rewriter
