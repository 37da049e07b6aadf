#include <algorithm>

#include "rewriter/mask/table_guard.hpp"
#include "rewriter/resolve/column_label.hpp"
#include "rewriter/resolve/group_key.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

std::vector<std::string> strings(std::span<pg::Node* const> names) {
  std::vector<std::string> out;
  for (const pg::Node* name : names) out.emplace_back(pg::string_of(name));
  return out;
}

// Column aliases rename from the left.
ColumnNames renamed(ColumnNames columns, std::span<pg::Node* const> aliases) {
  if (aliases.empty() || !columns) return columns;
  const auto names = strings(aliases);
  for (std::size_t i = 0; i < names.size() && i < columns->size(); ++i) (*columns)[i] = names[i];
  return columns;
}

std::string locking_words(const pg::Node& clause) {
  switch (clause.locking_clause->strength) {
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORKEYSHARE: return "FOR KEY SHARE";
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORSHARE: return "FOR SHARE";
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORNOKEYUPDATE: return "FOR NO KEY UPDATE";
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORUPDATE: return "FOR UPDATE";
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_NONE:
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LOCK_CLAUSE_STRENGTH_UNDEFINED:
    case _PG_QUERY__LOCK_CLAUSE_STRENGTH_IS_INT_SIZE: break;
  }
  return {};
}

void refuse_writes(const PgQuery__SelectStmt& select) {
  if (select.into_clause != nullptr) {
    refuse(Reason::clause, "SELECT INTO writes a table", "SELECT without INTO, or COPY (SELECT …) TO STDOUT",
           select.into_clause->rel->location);
  }
  if (select.n_locking_clause > 0) {
    refuse_at(locking_words(*select.locking_clause[0]), Reason::clause, "FOR UPDATE and FOR SHARE lock rows",
              "leave the locking clause out");
  }
}

}  // namespace

ColumnNames Resolver::select(PgQuery__SelectStmt& select, const Scope* outer, const CteScope* ctes) {
  attempt([&] { refuse_writes(select); });
  CteScope with{ctes, {}};
  if (select.with_clause != nullptr) with_clause(*select.with_clause, outer, with);
  Scope scope{outer, {}};
  if (select.op != PG_QUERY__SET_OPERATION__SETOP_NONE) return set_operation(select, scope, &with);
  if (select.n_values_lists > 0) return values(select, scope, &with);
  return simple_select(select, scope, &with);
}

ColumnNames Resolver::simple_select(PgQuery__SelectStmt& select, Scope& scope, const CteScope* ctes) {
  const std::vector<NameUse> uses = names_beside_groups(select);
  ColumnNames star = std::vector<std::string>{};
  for (Node*& item : pg::nodes(select.from_clause, select.n_from_clause)) {
    const ColumnNames columns = from_item(item, scope, ctes);
    if (!columns) star = std::nullopt;
    if (star) star->insert(star->end(), columns->begin(), columns->end());
  }
  ColumnNames names = std::vector<std::string>{};
  target_list(select, scope, ctes, names, star);
  for (Node*& key : pg::nodes(select.distinct_clause, select.n_distinct_clause)) {
    if (key->node_case != PG_QUERY__NODE__NODE__NOT_SET)
      output_expression(key, scope, ctes, names);  // DISTINCT without ON
  }
  optional_expression(select.where_clause, scope, ctes);
  note_conditions(select.where_clause, scope);
  for (Node*& item : pg::nodes(select.group_clause, select.n_group_clause)) {
    group_item(item, scope, ctes, names);
  }
  complete_groups(select, scope, uses, build_);
  optional_expression(select.having_clause, scope, ctes);
  for (Node* item : pg::nodes(select.window_clause, select.n_window_clause))
    window(*item->window_def, scope, ctes);
  tail(select, scope, ctes, names);
  if (&select == outermost_ && names) origins_ = origins_of_targets(select, scope, star);
  guard_tables(select, scope);
  return names;
}

// The guards of tables that are read as they are come before the client's conditions.
void Resolver::guard_tables(PgQuery__SelectStmt& select, const Scope& scope) {
  std::vector<Node*> conditions;
  for (const Relation* relation : scope.as_they_are) {
    const TableGuard* guard = snapshot_.table_guard(*relation);
    if (guard != nullptr && std::ranges::find(conditions, guard->condition) == conditions.end())
      conditions.push_back(guard->condition);
  }
  if (conditions.empty()) return;
  has_guards_ = true;
  if (select.where_clause != nullptr) conditions.push_back(select.where_clause);
  select.where_clause = build_.all_of(conditions);
}

ColumnNames Resolver::set_operation(PgQuery__SelectStmt& select_node, Scope& scope, const CteScope* ctes) {
  ColumnNames names;
  attempt([&] { names = select(*select_node.larg, scope.outer, ctes); });
  attempt([&] { static_cast<void>(select(*select_node.rarg, scope.outer, ctes)); });
  tail(select_node, scope, ctes, names);
  return names;
}

ColumnNames Resolver::values(PgQuery__SelectStmt& select, Scope& scope, const CteScope* ctes) {
  ColumnNames names = std::vector<std::string>{};
  for (Node* row : pg::nodes(select.values_lists, select.n_values_lists)) {
    expressions(pg::nodes(row->list->items, row->list->n_items), scope, ctes);
    if (names->empty()) {
      for (std::size_t i = 1; i <= row->list->n_items; ++i) names->push_back("column" + std::to_string(i));
    }
  }
  tail(select, scope, ctes, names);
  return names;
}

void Resolver::tail(PgQuery__SelectStmt& select, Scope& scope, const CteScope* ctes,
                    const ColumnNames& outputs) {
  for (Node* item : pg::nodes(select.sort_clause, select.n_sort_clause)) {
    PgQuery__SortBy& sort = *item->sort_by;
    output_expression(sort.node, scope, ctes, outputs);
    operator_name(sort.use_op, sort.n_use_op, sort.location);
  }
  optional_expression(select.limit_offset, scope, ctes);
  optional_expression(select.limit_count, scope, ctes);
}

void Resolver::target_list(PgQuery__SelectStmt& select, Scope& scope, const CteScope* ctes,
                           ColumnNames& names, const ColumnNames& star) {
  const auto add_all = [&](const ColumnNames& columns) {
    if (!columns) names = std::nullopt;
    if (names) names->insert(names->end(), columns->begin(), columns->end());
  };
  for (Node* item : pg::nodes(select.target_list, select.n_target_list)) {
    PgQuery__ResTarget& target = *item->res_target;
    if (target.n_indirection > 0 || target.val == nullptr)
      refuse(Reason::node_kind, "a target of an unknown form");
    if (pg::is_kind(target.val, PG_QUERY__NODE__NODE_COLUMN_REF)) {
      const PgQuery__ColumnRef& column = *target.val->column_ref;
      if (pg::is_kind(column.fields[column.n_fields - 1], PG_QUERY__NODE__NODE_A_STAR)) {
        column_reference(*target.val->column_ref, scope);
        const Entry* entry = column.n_fields == 1 ? nullptr : scope.find(pg::string_of(column.fields[0]));
        add_all(column.n_fields == 1 ? star : entry->columns);
        continue;
      }
    }
    if (pg::is_kind(target.val, PG_QUERY__NODE__NODE_A_INDIRECTION)) {
      const PgQuery__AIndirection& path = *target.val->a_indirection;
      const bool is_star = pg::is_kind(path.indirection[path.n_indirection - 1], PG_QUERY__NODE__NODE_A_STAR);
      expression(target.val, scope, ctes);
      if (is_star) {
        names = std::nullopt;  // the columns of a record
      } else if (names) {
        names->push_back(target.name[0] != '\0' ? target.name : column_label(target.val));
      }
      continue;
    }
    const std::string label = target.name[0] != '\0' ? target.name : column_label(target.val);
    expression(target.val, scope, ctes);
    if (target.name[0] == '\0' && column_label(target.val) != label) target.name = build_.arena().copy(label);
    if (names) names->push_back(label);
  }
}

void Resolver::with_clause(PgQuery__WithClause& with, const Scope* outer, CteScope& ctes) {
  const auto items = pg::nodes(with.ctes, with.n_ctes);
  if (with.recursive != 0) {
    for (const Node* item : items) ctes.items.push_back({item->common_table_expr->ctename, std::nullopt});
    for (std::size_t i = 0; i < items.size(); ++i) {
      attempt([&] { common_table(*items[i]->common_table_expr, outer, &ctes, ctes.items[i]); });
    }
    return;
  }
  for (Node* item : items) {
    Cte cte{item->common_table_expr->ctename, std::nullopt};
    attempt([&] {  // sees only the items before it
      common_table(*item->common_table_expr, outer, &ctes, cte);
    });
    ctes.items.push_back(std::move(cte));
  }
}

void Resolver::common_table(PgQuery__CommonTableExpr& cte, const Scope* outer, const CteScope* visible,
                            Cte& item) {
  if (!pg::is_kind(cte.ctequery, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    refuse(Reason::statement_kind, "a WITH query that writes", "only SELECT is answered", cte.location);
  }
  const auto aliases = pg::nodes(cte.aliascolnames, cte.n_aliascolnames);
  item.columns = renamed(select(*cte.ctequery->select_stmt, outer, visible), aliases);
  if (cte.search_clause != nullptr && item.columns)
    item.columns->emplace_back(cte.search_clause->search_seq_column);
  if (cte.cycle_clause == nullptr) return;
  Scope none{outer, {}};
  optional_expression(cte.cycle_clause->cycle_mark_value, none, visible);
  optional_expression(cte.cycle_clause->cycle_mark_default, none, visible);
  if (!item.columns) return;
  item.columns->emplace_back(cte.cycle_clause->cycle_mark_column);
  item.columns->emplace_back(cte.cycle_clause->cycle_path_column);
}

void Resolver::sort_list(std::span<Node*> items, Scope& scope, const CteScope* ctes) {
  for (Node* item : items) {
    PgQuery__SortBy& sort = *item->sort_by;
    expression(sort.node, scope, ctes);
    operator_name(sort.use_op, sort.n_use_op, sort.location);
  }
}

void Resolver::window(PgQuery__WindowDef& window, Scope& scope, const CteScope* ctes) {
  expressions(pg::nodes(window.partition_clause, window.n_partition_clause), scope, ctes);
  sort_list(pg::nodes(window.order_clause, window.n_order_clause), scope, ctes);
  optional_expression(window.start_offset, scope, ctes);
  optional_expression(window.end_offset, scope, ctes);
}

void Resolver::output_expression(Node*& node, Scope& scope, const CteScope* ctes,
                                 const ColumnNames& outputs) {
  if (pg::is_kind(node, PG_QUERY__NODE__NODE_COLUMN_REF) && node->column_ref->n_fields == 1 &&
      pg::is_kind(node->column_ref->fields[0], PG_QUERY__NODE__NODE_STRING)) {
    const std::string_view name = pg::string_of(node->column_ref->fields[0]);
    if (!outputs || std::ranges::find(*outputs, name) != outputs->end()) return;
  }
  expression(node, scope, ctes);
}

void Resolver::group_item(Node*& node, Scope& scope, const CteScope* ctes, const ColumnNames& outputs) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_GROUPING_SET))
    return output_expression(node, scope, ctes, outputs);
  for (Node*& item : pg::nodes(node->grouping_set->content, node->grouping_set->n_content)) {
    group_item(item, scope, ctes, outputs);
  }
}

}  // namespace pgveil::rewriter
