#include <fmt/format.h>

#include <algorithm>

#include "pg/fields.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/lists/refusal_hints.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/resolve/column_label.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"
#include "rewriter/resolve/suggest.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

ColumnNames names_of(const Relation& relation) {
  std::vector<std::string> out;
  for (const Column& column : relation.columns) out.push_back(column.name);
  return out;
}

// `AS t(a, b)` renames from the left; longer lists are the server's error.
ColumnNames under_alias(ColumnNames columns, const PgQuery__Alias* alias) {
  if (alias == nullptr || !columns) return columns;
  const auto names = pg::nodes(alias->colnames, alias->n_colnames);
  for (std::size_t i = 0; i < names.size() && i < columns->size(); ++i)
    (*columns)[i] = pg::string_of(names[i]);
  return columns;
}

// Columns of a join: merged ones first, then the others of each side.
ColumnNames joined(const ColumnNames& left, const ColumnNames& right,
                   const std::vector<std::string>& merged) {
  if (!left || !right) return std::nullopt;
  std::vector<std::string> out = merged;
  for (const auto* side : {&*left, &*right}) {
    for (const std::string& name : *side) {
      if (std::ranges::find(merged, name) == merged.end()) out.push_back(name);
    }
  }
  return out;
}

// The primary key, with the names that its columns have here. Empty: there is none, or it is not shown as it
// is.
std::vector<std::string> shown_key(const Relation& relation, const std::vector<std::string>& names,
                                   const Mask& mask) {
  std::vector<std::string> out;
  for (const int number : relation.primary_key) {
    const auto at = std::ranges::find(relation.columns, number, &Column::number);
    const auto index = static_cast<std::size_t>(at - relation.columns.begin());
    if (at == relation.columns.end() || !mask.shows_raw[index]) return {};
    out.push_back(names[index]);
  }
  return out;
}

// What somebody can ask for who may not read a relation of this kind.
std::string_view hint_of_unlisted(RelationKind kind) {
  switch (kind) {
    case RelationKind::table:
    case RelationKind::partitioned_table:
    case RelationKind::sequence: break;
    case RelationKind::view:
      return "ask the data owner to list the view in open_tables. It then shows each role "
             "what the role may see of its tables";
    case RelationKind::materialized_view:
    case RelationKind::foreign_table:
      return "ask the data owner for a policy with this as its source, which names this role as a reader";
  }
  return "ask the data owner for a policy that names this role as a reader";
}

// What an exempt role reads as it is. A view would run as its text says, and the tables of schema pgveil are
// empty.
bool has_rows_of_its_own(const Relation& relation) {
  return (relation.kind == RelationKind::table || relation.kind == RelationKind::partitioned_table) &&
         relation.schema != kOwnSchema;
}

bool is_exempt(const policy::PolicySpec& spec, const std::string& role) {
  return std::ranges::find(spec.exempt_roles, role) != spec.exempt_roles.end();
}

// Uses PostgreSQL's own words, because its grants decide.
[[noreturn]] void refuse_as_database(const Relation& relation, const std::string& role, int location) {
  const bool is_view = relation.kind == RelationKind::view;
  refuse(Reason::relation_not_listed,
         fmt::format("permission denied for {} {}", is_view ? "view" : "table", relation.name),
         fmt::format("its owner can GRANT SELECT on it to role \"{}\", which the database has to have", role),
         location);
}

// Tools ask for some catalogs that are refused to everybody.
std::optional<std::string_view> hint_of_catalog(const Relation& relation) {
  return relation.schema == "pg_catalog" ? hint_for_catalog(relation.name) : std::nullopt;
}

// In the join's own condition a row of either side is there.
void mark_nullable(PgQuery__JoinType type, std::span<Entry> left, std::span<Entry> right) {
  const bool is_full = type == PG_QUERY__JOIN_TYPE__JOIN_FULL;
  if (is_full || type == PG_QUERY__JOIN_TYPE__JOIN_RIGHT) {
    for (Entry& entry : left) entry.is_nullable = true;
  }
  if (is_full || type == PG_QUERY__JOIN_TYPE__JOIN_LEFT) {
    for (Entry& entry : right) entry.is_nullable = true;
  }
}

// The name by which other parts of the statement may refer to it; empty: none.
std::string alias_of(const Node& node) {
  const auto name = [](const PgQuery__Alias* alias) { return alias == nullptr ? "" : alias->aliasname; };
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
      return node.range_var->alias != nullptr ? name(node.range_var->alias) : node.range_var->relname;
    case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE: return alias_of(*node.range_table_sample->relation);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT: return name(node.range_subselect->alias);
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION: return name(node.range_function->alias);
    case PG_QUERY__NODE__NODE_RANGE_TABLE_FUNC: return name(node.range_table_func->alias);
    case PG_QUERY__NODE__NODE_JOIN_EXPR: return name(node.join_expr->alias);
    default: return {};
  }
}

bool is_unnest_of_several(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_FUNC_CALL)) return false;
  const PgQuery__FuncCall& call = *node->func_call;
  return call.n_funcname == 1 && pg::string_of(call.funcname[0]) == "unnest" && call.n_args > 1 &&
         call.n_agg_order == 0 && call.agg_filter == nullptr && call.over == nullptr && call.agg_star == 0 &&
         call.agg_distinct == 0 && call.func_variadic == 0;
}

constexpr std::string_view kAllSettings = "pg_show_all_settings";

// FROM f(), with or without an alias, and nothing more.
bool is_only_call(const PgQuery__RangeFunction& function, std::string_view name) {
  if (function.n_functions != 1 || function.ordinality != 0 || function.n_coldeflist > 0) return false;
  const Node* called = function.functions[0]->list->items[0];
  if (!pg::is_kind(called, PG_QUERY__NODE__NODE_FUNC_CALL)) return false;
  const PgQuery__FuncCall& call = *called->func_call;
  const auto names = pg::nodes(call.funcname, call.n_funcname);
  const bool is_ours = names.size() == 1 || (names.size() == 2 && pg::string_of(names[0]) == "pg_catalog");
  return is_ours && pg::string_of(names.back()) == name && call.n_args == 0 && call.agg_star == 0 &&
         call.agg_filter == nullptr && call.over == nullptr && call.func_variadic == 0;
}

// unnest(a, b) in FROM is short for ROWS FROM (unnest(a), unnest(b)), but only under its unqualified name. No
// function takes two arrays, so the qualified name, which we send, would not be found.
void expand_unnest(PgQuery__RangeFunction& function, pg::Builder& build) {
  std::vector<Node*> items;
  for (Node* item : pg::nodes(function.functions, function.n_functions)) {
    const Node* called = item->list->items[0];
    if (!is_unnest_of_several(called)) {
      items.push_back(item);
      continue;
    }
    for (Node* const argument : pg::nodes(called->func_call->args, called->func_call->n_args)) {
      Node* const arguments[] = {argument};
      Node* const pair[] = {build.call("unnest", arguments), build.node(PG_QUERY__NODE__NODE__NOT_SET)};
      Node* one = build.node(PG_QUERY__NODE__NODE_LIST);
      one->list = build.make<PgQuery__List>(pg_query__list__descriptor);
      one->list->items = build.list(pair);
      one->list->n_items = std::size(pair);
      items.push_back(one);
    }
  }
  if (items.size() == function.n_functions) return;
  function.functions = build.list(items);
  function.n_functions = items.size();
  function.is_rowsfrom = 1;
}

}  // namespace

// An item that stopped may have any columns, so names that refer to it do not stop as well.
ColumnNames Resolver::from_item(Node*& node, Scope& scope, const CteScope* ctes) {
  ColumnNames columns;
  const std::size_t before = scope.entries.size();
  bool is_done = false;
  attempt([&] {
    columns = any_from_item(node, scope, ctes);
    is_done = true;
  });
  if (is_done) return columns;
  scope.entries.resize(before);
  scope.entries.push_back({.alias = alias_of(*node), .has_system_columns = true, .columns = std::nullopt});
  return std::nullopt;
}

ColumnNames Resolver::any_from_item(Node*& node, Scope& scope, const CteScope* ctes) {
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR: return relation(node, scope, ctes);
    case PG_QUERY__NODE__NODE_JOIN_EXPR: return join(*node->join_expr, scope, ctes);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT: return subquery(*node->range_subselect, scope, ctes);
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
      return asks_settings(*node->range_function) ? settings_item(node, scope)
                                                  : function_item(node, scope, ctes);
    case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE: return sample(node, scope, ctes);
    case PG_QUERY__NODE__NODE_RANGE_TABLE_FUNC: return xml_table(*node->range_table_func, scope, ctes);
    default: refuse(Reason::node_kind, "this kind of FROM item is not supported", {}, pg::location_of(node));
  }
}

const Relation& Resolver::find_relation(const PgQuery__RangeVar& range) {
  const std::string_view name(range.relname);
  const std::string_view schema(range.schemaname);
  const std::string_view database(range.catalogname);
  const Catalog& catalog = snapshot_.catalog();
  if (schema == kStandInSchema)
    refuse(Reason::relation_not_listed, "a relation of a reserved schema", {}, range.location);
  if (!database.empty() && database != catalog.database) {
    name_error(sqlstate::kFeatureNotSupported, "references to other databases are not possible",
               range.location);
  }
  const Relation* found = schema.empty() ? catalog.resolve(name, schemas()) : catalog.find(schema, name);
  if (found == nullptr && views_.empty() && (schema.empty() || schema == kOwnSchema))
    found = published_select(range);
  if (found == nullptr) refuse_unlisted(range, RelationKind::table);
  return *found;
}

// What a policy whose source is a SELECT publishes under its own name; null: no policy has this name, or the
// client may not know of it. Before the first BUILD there is no table yet.
const Relation* Resolver::published_select(const PgQuery__RangeVar& range) const {
  for (const Snapshot::ProtectedTable& table : snapshot_.protected_tables()) {
    const policy::PolicySpec& spec = *table.state.spec;
    if (!spec.source || spec.source->select.empty() || spec.name != range.relname) continue;
    if (table.relation != nullptr) return table.relation;
    if (std::ranges::find(spec.readers, client_.role) != spec.readers.end())
      refuse_closed(table, false, range);
  }
  return nullptr;
}

void Resolver::refuse_closed(const Snapshot::ProtectedTable& table, bool has_row_security,
                             const PgQuery__RangeVar& range) {
  std::string hint = "build needed: an admin can run BUILD POLICY " + table.state.spec->name;
  if (table.is_waiting) hint = "its masks are being made: try again in a moment";
  if (has_row_security)
    hint = "it has row-level security. Ask the data owner for a copy of the rows that all readers may see";
  refuse(Reason::policy_not_built, fmt::format("the policy of relation \"{}\" is closed", range.relname),
         std::move(hint), range.location);
}

// The same words whether a table exists or not. The names in a view's definition are not the client's.
void Resolver::refuse_unlisted(const PgQuery__RangeVar& range, RelationKind kind) {
  if (snapshot_.is_for_source()) {
    const std::string alike = suggest_relation(readable(), range.schemaname, range.relname);
    refuse(Reason::relation_not_listed, fmt::format("there is no relation \"{}\" to read", range.relname),
           alike.empty() ? "check the name, or write schema.name" : alike, range.location);
  }
  const std::string_view remedy = hint_of_unlisted(kind);
  std::string hint(remedy);
  if (remedy == hint_of_unlisted(RelationKind::table) && views_.empty()) {
    const std::string alike = suggest_relation(readable(), range.schemaname, range.relname);
    hint = alike.empty() ? fmt::format("check the name, or {}", remedy)
                         : fmt::format("{} Otherwise {}", alike, remedy);
  }
  refuse(Reason::relation_not_listed,
         fmt::format("relation \"{}\" is not listed for this role", range.relname), std::move(hint),
         range.location);
}

ColumnNames Resolver::relation(Node*& node, Scope& scope, const CteScope* ctes) {
  PgQuery__RangeVar& range = *node->range_var;
  if (range.schemaname[0] == '\0' && range.catalogname[0] == '\0') {
    if (const Cte* cte = ctes->find(range.relname)) {
      const ColumnNames columns = under_alias(cte->columns, range.alias);
      scope.entries.push_back(
          {.alias = range.alias != nullptr ? range.alias->aliasname : range.relname, .columns = columns});
      return columns;
    }
  }
  if (const auto own = own_relation_of(range)) return own_relation_item(node, *own, scope);
  const Relation& found = find_relation(range);
  return snapshot_.is_expanded(found, client_.role) ? view(node, found, scope)
                                                    : listed_relation(node, found, scope);
}

// Inside a view the name is that of a real relation.
std::optional<OwnRelation> Resolver::own_relation_of(const PgQuery__RangeVar& range) const {
  const std::string_view database(range.catalogname);
  const bool is_here = database.empty() || database == snapshot_.catalog().database;
  return is_here && views_.empty() && !snapshot_.is_for_source()
             ? own_relation(range.schemaname, range.relname)
             : std::nullopt;
}

ColumnNames Resolver::own_relation_item(Node*& node, OwnRelation which, Scope& scope) {
  const PgQuery__RangeVar& range = *node->range_var;
  const Relation& relation = relation_of(which);
  Entry entry{.alias = range.alias != nullptr ? range.alias->aliasname : range.relname,
              .relation = range.alias == nullptr ? &relation : nullptr,
              .columns = under_alias(names_of(relation), range.alias)};
  PgQuery__Alias* alias = range.alias != nullptr ? range.alias : build_.alias(range.relname);
  node = build_.from_subquery(stand_in(own_stand_in_name(which), build_), alias);
  const ColumnNames columns = entry.columns;
  scope.entries.push_back(std::move(entry));
  return columns;
}

ColumnNames Resolver::listed_relation(Node*& node, const Relation& relation, Scope& scope) {
  PgQuery__RangeVar& range = *node->range_var;
  Entry entry{.alias = range.alias != nullptr ? range.alias->aliasname : range.relname,
              .relation = range.alias == nullptr ? &relation : nullptr,
              .columns = under_alias(names_of(relation), range.alias)};
  for (const Column& column : relation.columns) note_values(column.type_oid);
  range.catalogname = build_.arena().copy("");
  range.schemaname = build_.arena().copy(relation.schema);
  if (range.inh == 0 && relation.has_children) {
    refuse(Reason::row_layout, "ONLY on a table with partitions or children", "leave ONLY out",
           range.location);
  }
  // Reads a table's own rows only, because a table that becomes its child is another table.
  range.inh = relation.kind == RelationKind::table ? 0 : 1;
  const Mask* mask = snapshot_.catalog_mask(relation);
  if (mask != nullptr) entry.catalog_oid = relation.oid;
  if (mask == nullptr) entry.table = &relation;
  if (snapshot_.is_open(relation, client_.role)) {
    entry.has_system_columns = true;
  } else if (mask == nullptr) {
    const Snapshot::ProtectedTable* table = snapshot_.policy_for(relation, client_.role);
    if (table == nullptr) {
      if (const std::string* why = snapshot_.shut_because(relation)) {
        if (snapshot_.is_for_source()) {
          refuse(Reason::relation_not_listed, fmt::format("relation \"{}\" is {}", range.relname, *why),
                 "name the table that contains the rows", range.location);
        }
        refuse(Reason::relation_not_listed, fmt::format("relation \"{}\" is closed: {}", range.relname, *why),
               "ask the data owner: pgveil check says what to do about it", range.location);
      }
      if (snapshot_.asks_database(relation)) refuse_as_database(relation, client_.role, range.location);
      if (const auto hint = hint_of_catalog(relation)) {
        refuse(Reason::relation_not_listed,
               fmt::format("relation \"{}\" is not listed for this role", range.relname), std::string(*hint),
               range.location);
      }
      refuse_unlisted(range, relation.kind);
    }
    if (is_exempt(*table->state.spec, client_.role) && snapshot_.mask_source() == MaskSource::view) {
      refuse(
          Reason::relation_not_listed,
          fmt::format("relation \"{}\" can't be read by exempt roles where masks are views", range.relname),
          "with backend.mask_views, pgveil has no right to read the table", range.location);
    }
    if (is_exempt(*table->state.spec, client_.role) && !has_rows_of_its_own(relation)) {
      refuse(Reason::relation_not_listed,
             fmt::format("relation \"{}\" can't be read by exempt roles: it is no table", range.relname),
             "ask the data owner for the tables that it reads", range.location);
    }
    has_protected_ = true;
    const PolicyRead read{table->state.spec->name, !is_exempt(*table->state.spec, client_.role)};
    if (std::ranges::find(policies_read_, read) == policies_read_.end()) policies_read_.push_back(read);
    if (!is_exempt(*table->state.spec, client_.role)) {
      if (table->mask == nullptr) {
        refuse_closed(*table, relation.has_row_security, range);
      }
      mask = table->mask.get();
      has_masked_ = true;
      const VersionId version{mask->policy, mask->number};
      if (std::ranges::find(versions_, version) == versions_.end()) versions_.push_back(version);
      entry.policy = table->state.spec.get();
      note_masked(*table);
    } else {
      mask = table->plain.get();
    }
  }
  if (PgQuery__SelectStmt* own = own_catalog(relation)) {
    PgQuery__Alias* alias = range.alias != nullptr ? range.alias : build_.alias(range.relname);
    if (relation.name != "pg_description") {  // its own rows are as many as the mask's
      entry.masked = &relation;
      entry.key = shown_key(relation, *entry.columns, *mask);
    }
    node = build_.from_subquery(own, alias);
  } else if (mask != nullptr) {
    entry.masked = &relation;
    entry.key = shown_key(relation, *entry.columns, *mask);
    PgQuery__Alias* alias = range.alias != nullptr ? range.alias : build_.alias(range.relname);
    PgQuery__SelectStmt* in_its_place = stand_in({.oid = mask->table_oid, .left_out = {}}, build_);
    stand_ins_.push_back({.name = in_its_place->from_clause[0]->range_var,
                          .mask = mask,
                          .has_renamed_columns = alias->n_colnames > 0});
    node = build_.from_subquery(in_its_place, alias);
  }
  if (mask == nullptr) scope.as_they_are.push_back(&relation);
  const ColumnNames columns = entry.columns;
  scope.entries.push_back(std::move(entry));
  return columns;
}

void Resolver::note_masked(const Snapshot::ProtectedTable& table) {
  if (table.notice == nullptr) return;
  const std::string& policy = table.state.spec->name;
  if (std::ranges::find(notices_.tables, policy, &Notices::OfTable::policy) == notices_.tables.end())
    notices_.tables.push_back({policy, table.notice});
}

ColumnNames Resolver::join(PgQuery__JoinExpr& join, Scope& scope, const CteScope* ctes) {
  if (join.is_natural != 0 || join.n_using_clause > 0) unqualified("USING", {"="}, -1);
  const std::size_t before = scope.entries.size();
  const ColumnNames left = from_item(join.larg, scope, ctes);
  const std::size_t middle = scope.entries.size();
  const ColumnNames right = from_item(join.rarg, scope, ctes);
  std::vector<std::string> merged;
  for (const Node* name : pg::nodes(join.using_clause, join.n_using_clause))
    merged.emplace_back(pg::string_of(name));
  ColumnNames columns;
  if (join.is_natural != 0) {
    if (left && right) {
      for (const std::string& name : *left) {
        if (std::ranges::find(*right, name) != right->end()) merged.push_back(name);
      }
      columns = joined(left, right, merged);
    }
  } else {
    columns = joined(left, right, merged);
  }
  optional_expression(join.quals, scope, ctes);
  const std::span entries(scope.entries);
  const std::span<Entry> left_entries = entries.subspan(before, middle - before);
  const std::span<Entry> right_entries = entries.subspan(middle);
  note_conditions(join.quals, scope);
  for (const std::string& name : merged) note_merged(name, left_entries, right_entries);
  mark_nullable(join.jointype, left_entries, right_entries);
  if (join.join_using_alias != nullptr) {
    scope.entries.push_back({.alias = join.join_using_alias->aliasname, .columns = merged});
  }
  if (join.alias == nullptr) return columns;
  // (a JOIN b) AS j hides a and b.
  scope.entries.resize(before);
  columns = under_alias(columns, join.alias);
  scope.entries.push_back({.alias = join.alias->aliasname, .columns = columns});
  return columns;
}

ColumnNames Resolver::subquery(PgQuery__RangeSubselect& subselect, Scope& scope, const CteScope* ctes) {
  if (!pg::is_kind(subselect.subquery, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    refuse(Reason::node_kind, "a sub-query that is not a SELECT");
  }
  const Scope* outer = subselect.lateral != 0 ? &scope : scope.outer;
  const ColumnNames columns =
      under_alias(select(*subselect.subquery->select_stmt, outer, ctes), subselect.alias);
  // Parsers since 16 let the name be left out, and an older server needs one. Nobody can mean this one.
  if (subselect.alias == nullptr)
    subselect.alias = build_.alias(fmt::format("pgveil unnamed {}", scope.entries.size() + 1));
  scope.entries.push_back({.alias = subselect.alias->aliasname, .columns = columns});
  return columns;
}

ColumnNames Resolver::function_item(Node*& node, Scope& scope, const CteScope* ctes) {
  PgQuery__RangeFunction& function = *node->range_function;
  expand_unnest(function, build_);
  ColumnNames columns = column_definitions(pg::nodes(function.coldeflist, function.n_coldeflist));
  std::string name;
  const bool is_simple = function.n_functions == 1 && function.ordinality == 0 && function.n_coldeflist == 0;
  for (Node* item : pg::nodes(function.functions, function.n_functions)) {
    PgQuery__List& pair = *item->list;
    if (pair.n_items > 1 &&
        pg::is_kind(pair.items[1], PG_QUERY__NODE__NODE_LIST)) {  // ROWS FROM (f() AS (a int))
      static_cast<void>(
          column_definitions(pg::nodes(pair.items[1]->list->items, pair.items[1]->list->n_items)));
    }
    if (name.empty()) name = column_label(pair.items[0]);
    expression(pair.items[0], scope, ctes);
    const bool is_call = pg::is_kind(pair.items[0], PG_QUERY__NODE__NODE_FUNC_CALL) ||
                         pg::is_kind(pair.items[0], PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION);
    if (!is_call && is_simple) return value_item(node, name, scope);
    if (!is_call)
      refuse(Reason::function_not_listed, fmt::format("\"{}\" in this form of FROM", name),
             "call it in the select list");
  }
  if (function.alias == nullptr && function.n_functions == 1 &&
      column_label(function.functions[0]->list->items[0]) != name) {
    function.alias = build_.alias(name);  // the function was replaced: keep the name that people see
  }
  Entry entry;
  entry.alias = function.alias != nullptr ? function.alias->aliasname : name;
  entry.columns = columns;
  scope.entries.push_back(std::move(entry));
  return columns;
}

// FROM current_schema(): a value has taken the call's place, so the item becomes a query of one row. Like the
// arguments of a call, the value may name items before it.
ColumnNames Resolver::value_item(Node*& node, const std::string& name, Scope& scope) {
  const PgQuery__RangeFunction& function = *node->range_function;
  PgQuery__Alias* alias = function.alias != nullptr ? function.alias : build_.alias(name);
  Node* const targets[] = {build_.target(function.functions[0]->list->items[0], alias->aliasname)};
  node = build_.from_subquery(build_.select(targets, nullptr, nullptr), alias);
  node->range_subselect->lateral = 1;
  const ColumnNames columns = under_alias(std::vector<std::string>{alias->aliasname}, alias);
  scope.entries.push_back({.alias = alias->aliasname, .columns = columns});
  return columns;
}

// pg_show_all_settings() is what the view pg_settings reads, with the same columns.
ColumnNames Resolver::settings_item(Node*& node, Scope& scope) {
  PgQuery__Alias* alias = node->range_function->alias;
  node = build_.relation("pg_catalog", "pg_settings", kAllSettings);
  if (alias != nullptr) node->range_var->alias = alias;
  return listed_relation(node, *snapshot_.catalog().find("pg_catalog", "pg_settings"), scope);
}

bool Resolver::asks_settings(const PgQuery__RangeFunction& function) const {
  const Relation* settings = snapshot_.catalog().find("pg_catalog", "pg_settings");
  return settings != nullptr && snapshot_.catalog_mask(*settings) != nullptr &&
         is_only_call(function, kAllSettings);
}

// json_to_record(…) AS x(a int, b text): the caller says what the record contains. nullopt: there is no list.
ColumnNames Resolver::column_definitions(std::span<Node* const> definitions) {
  if (definitions.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (Node* item : definitions) {
    if (!pg::is_kind(item, PG_QUERY__NODE__NODE_COLUMN_DEF))
      refuse(Reason::node_kind, "a column definition of an unknown form", {}, pg::location_of(item));
    PgQuery__ColumnDef& definition = *item->column_def;
    type_name(*definition.type_name);
    if (definition.coll_clause != nullptr) collation(*definition.coll_clause);
    names.emplace_back(definition.colname);
  }
  return names;
}

}  // namespace pgveil::rewriter
