// What the mask does to a column of a table: pgveil.hidden(column), and notices of comparisons that a hidden
// column decides. Both are made of the policy's words and of masked values, so neither can tell more than the
// mask does.
#include <fmt/format.h>

#include <algorithm>

#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"
#include "rewriter/told/mask_notice.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;
using policy::ColumnClass;

constexpr std::string_view kHidden = "hidden";
constexpr std::size_t kMostConditions = 10;

[[noreturn]] void refuse_hidden(std::string message, int location) {
  refuse(Reason::function_not_listed, std::move(message),
         "write pgveil.hidden(p.city). The table itself must be p in the FROM of this "
         "query or of an outer one. A sub-query can return the result",
         location);
}

// The name that the table has for what is called `name` here; null: it has no such column.
const std::string* table_column(const Entry& entry, std::string_view name) {
  if (entry.table == nullptr || !entry.columns) return nullptr;
  const auto at = std::ranges::find(*entry.columns, name);
  const auto index = static_cast<std::size_t>(at - entry.columns->begin());
  return index < entry.table->columns.size() ? &entry.table->columns[index].name : nullptr;
}

// What the mask does to it. exempt and open tables: shown.
enum class Treatment { always_hidden, hidden_by_row, shown };
Treatment treatment_of(const Entry& entry, std::string_view table_column) {
  if (entry.policy == nullptr) return Treatment::shown;
  const auto rule = std::ranges::find(entry.policy->columns, table_column, &policy::ColumnRule::name);
  if (rule == entry.policy->columns.end()) return Treatment::always_hidden;
  switch (rule->column_class) {
    case ColumnClass::identifier: return Treatment::always_hidden;
    case ColumnClass::quasi_identifier:
    case ColumnClass::key: return Treatment::hidden_by_row;
    case ColumnClass::sensitive:
    case ColumnClass::insensitive: break;
  }
  return Treatment::shown;
}

// The only one of them with a column of this name; null: none, several, or one whose columns are not known.
const Entry* only_entry(std::span<const Entry> entries, std::string_view name) {
  const Entry* found = nullptr;
  for (const Entry& entry : entries) {
    if (!entry.columns) return nullptr;
    if (std::ranges::find(*entry.columns, name) == entry.columns->end()) continue;
    if (found != nullptr) return nullptr;
    found = &entry;
  }
  return found;
}

bool has_column(std::span<const Entry> entries, std::string_view name) {
  return std::ranges::any_of(entries, [&](const Entry& entry) {
    return !entry.columns || std::ranges::find(*entry.columns, name) != entry.columns->end();
  });
}

// A column that was resolved: one or two names. Null: it is not clear.
const Entry* entry_of(const PgQuery__ColumnRef& column, const Scope& scope) {
  const auto fields = pg::nodes(column.fields, column.n_fields);
  const bool is_name = !fields.empty() && pg::is_kind(fields.back(), PG_QUERY__NODE__NODE_STRING);
  if (!is_name || fields.size() > 2) return nullptr;
  if (fields.size() == 2) return scope.find(pg::string_of(fields[0]));
  const std::string_view name = pg::string_of(fields[0]);
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    if (has_column(at->entries, name)) return only_entry(at->entries, name);
  }
  return nullptr;
}

bool is_equality(const PgQuery__AExpr& node) {
  const bool is_kind =
      node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP || node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_IN;
  return is_kind && node.n_name > 0 && pg::string_of(node.name[node.n_name - 1]) == "=";
}

}  // namespace

bool Resolver::is_hidden_call(const PgQuery__FuncCall& call) const {
  return views_.empty() && !snapshot_.is_for_source() && call.n_funcname == 2 &&
         pg::string_of(call.funcname[0]) == kOwnSchema && pg::string_of(call.funcname[1]) == kHidden;
}

// A quasi-identifier's NULL is never released, so in a row of the table "nothing is shown" and "hidden" are
// the same; whether the raw value is NULL must not be told (docs/attack-model.md).
void Resolver::hidden(Node*& node, const Scope& scope) {
  PgQuery__FuncCall& call = *node->func_call;
  const bool is_of_column =
      is_plain(call) && call.n_args == 1 && pg::is_kind(call.args[0], PG_QUERY__NODE__NODE_COLUMN_REF);
  if (!is_of_column) refuse_hidden("pgveil.hidden() takes exactly one column", call.location);
  PgQuery__ColumnRef& column = *call.args[0]->column_ref;
  column_reference(column, scope);
  const Entry* entry = entry_of(column, scope);
  if (entry == nullptr || entry->table == nullptr || scope.find(entry->alias) != entry)
    refuse_hidden("the argument of pgveil.hidden() is not clearly a column of a table", call.location);
  const std::string* name = table_column(*entry, pg::string_of(column.fields[column.n_fields - 1]));
  if (name == nullptr)
    refuse_hidden("the argument of pgveil.hidden() is not a column of its table", call.location);
  const auto truth = [&](Node* constant) {
    return build_.cast(constant, build_.type_name("pg_catalog", "bool"));
  };
  switch (treatment_of(*entry, *name)) {
    case Treatment::always_hidden: node = truth(build_.true_constant()); break;
    case Treatment::hidden_by_row: node = build_.is_null(call.args[0]); break;
    case Treatment::shown: node = truth(build_.false_constant()); break;
  }
  if (!entry->is_nullable) return;
  // NULL where an outer join has no row: then the row as a whole is NULL, not a row of NULLs.
  Node* const row[] = {build_.column({entry->alias, "*"})};
  row[0]->column_ref->fields[1] = star();
  const pg::Builder::When is_there[] = {
      {build_.equals(build_.call("num_nonnulls", row), build_.integer_constant(1)), node}};
  node = build_.searched_case(is_there, truth(build_.null_constant()));
}

pg::Node* Resolver::star() {
  Node* star = build_.node(PG_QUERY__NODE__NODE_A_STAR);
  star->a_star = build_.make<PgQuery__AStar>(pg_query__a__star__descriptor);
  return star;
}

void Resolver::note_condition(const Entry& entry, std::string_view name, HiddenCondition condition) {
  const std::string* column = table_column(entry, name);
  if (column == nullptr || treatment_of(entry, *column) != Treatment::always_hidden) return;
  Notice notice = hidden_condition_notice(*entry.policy, *column, condition);
  std::vector<Notice>& known = notices_.conditions;
  if (known.size() < kMostConditions && std::ranges::find(known, notice) == known.end())
    known.push_back(std::move(notice));
}

void Resolver::note_comparison(const Node* side, const Node* other, const Scope& scope) {
  if (!pg::is_kind(side, PG_QUERY__NODE__NODE_COLUMN_REF)) return;
  const PgQuery__ColumnRef& column = *side->column_ref;
  const Entry* entry = entry_of(column, scope);
  if (entry == nullptr) return;
  const bool is_join = other != nullptr && (pg::is_kind(other, PG_QUERY__NODE__NODE_COLUMN_REF) ||
                                            pg::is_kind(other, PG_QUERY__NODE__NODE_SUB_LINK));
  note_condition(*entry, pg::string_of(column.fields[column.n_fields - 1]),
                 is_join ? HiddenCondition::join : HiddenCondition::comparison);
}

void Resolver::note_conditions(const Node* condition, const Scope& scope) {
  if (condition == nullptr || !views_.empty() || snapshot_.notices() == ReaderNotices::no) return;
  if (pg::is_kind(condition, PG_QUERY__NODE__NODE_BOOL_EXPR)) {
    const PgQuery__BoolExpr& node = *condition->bool_expr;
    if (node.boolop != PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR) return;
    for (const Node* each : pg::nodes(node.args, node.n_args)) note_conditions(each, scope);
  } else if (pg::is_kind(condition, PG_QUERY__NODE__NODE_A_EXPR) && is_equality(*condition->a_expr)) {
    const PgQuery__AExpr& node = *condition->a_expr;
    note_comparison(node.lexpr, node.rexpr, scope);
    note_comparison(node.rexpr, node.lexpr, scope);
  } else if (pg::is_kind(condition, PG_QUERY__NODE__NODE_SUB_LINK) &&
             condition->sub_link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK &&
             condition->sub_link->n_oper_name == 0) {
    note_comparison(condition->sub_link->testexpr, condition, scope);
  }
}

void Resolver::note_merged(const std::string& name, std::span<const Entry> left,
                           std::span<const Entry> right) {
  if (!views_.empty() || snapshot_.notices() == ReaderNotices::no) return;
  for (const auto side : {left, right}) {
    if (const Entry* entry = only_entry(side, name)) note_condition(*entry, name, HiddenCondition::join);
  }
}

}  // namespace pgveil::rewriter
