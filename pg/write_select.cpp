#include "pg/writer.hpp"

namespace pgveil::pg {
namespace {

// nodes/parsenodes.h of PostgreSQL 15 to 18, FRAMEOPTION_*
enum FrameOption : int {
  kNonDefault = 0x1,
  kRange = 0x2,
  kRows = 0x4,
  kGroups = 0x8,
  kBetween = 0x10,
  kStartUnboundedPreceding = 0x20,
  kEndUnboundedPreceding = 0x40,
  kStartUnboundedFollowing = 0x80,
  kEndUnboundedFollowing = 0x100,
  kStartCurrentRow = 0x200,
  kEndCurrentRow = 0x400,
  kStartOffsetPreceding = 0x800,
  kEndOffsetPreceding = 0x1000,
  kStartOffsetFollowing = 0x2000,
  kEndOffsetFollowing = 0x4000,
  kExcludeCurrentRow = 0x8000,
  kExcludeGroup = 0x10000,
  kExcludeTies = 0x20000
};

}  // namespace

void Writer::subquery(const Node& node) {
  if (!is_kind(&node, PG_QUERY__NODE__NODE_SELECT_STMT))
    throw CannotPrint("a sub-query that is not a SELECT");
  text("(");
  select(*node.select_stmt);
  text(")");
}

void Writer::select(const PgQuery__SelectStmt& select) {
  if (select.into_clause != nullptr || select.n_locking_clause > 0) throw CannotPrint("INTO or FOR UPDATE");
  if (select.with_clause != nullptr) with(*select.with_clause);
  if (select.op != PG_QUERY__SET_OPERATION__SETOP_NONE) {
    set_operation(select);
  } else if (select.n_values_lists > 0) {
    values(select);
  } else {
    simple_select(select);
  }
  if (select.n_sort_clause > 0) {
    text(" ORDER BY ");
    sort_list(nodes(select.sort_clause, select.n_sort_clause));
  }
  limit(select);
}

void Writer::simple_select(const PgQuery__SelectStmt& select) {
  text("SELECT");
  if (select.n_distinct_clause > 0) {
    text(" DISTINCT");
    const auto keys = nodes(select.distinct_clause, select.n_distinct_clause);
    if (keys.size() > 1 || keys[0]->node_case != PG_QUERY__NODE__NODE__NOT_SET) {
      text(" ON (");
      expression_list(keys);
      text(")");
    }
  }
  bool first = true;
  for (const Node* item : nodes(select.target_list, select.n_target_list)) {
    text(first ? " " : ", ");
    first = false;
    target(*item->res_target);
  }
  first = true;
  for (const Node* item : nodes(select.from_clause, select.n_from_clause)) {
    text(first ? " FROM " : ", ");
    first = false;
    from_item(*item);
  }
  if (select.where_clause != nullptr) {
    text(" WHERE ");
    expression(*select.where_clause);
  }
  first = true;
  for (const Node* item : nodes(select.group_clause, select.n_group_clause)) {
    text(first ? (select.group_distinct != 0 ? " GROUP BY DISTINCT " : " GROUP BY ") : ", ");
    first = false;
    group_item(*item);
  }
  if (select.having_clause != nullptr) {
    text(" HAVING ");
    expression(*select.having_clause);
  }
  first = true;
  for (const Node* item : nodes(select.window_clause, select.n_window_clause)) {
    text(first ? " WINDOW " : ", ");
    first = false;
    identifier(item->window_def->name);
    text(" AS (");
    window_body(*item->window_def);
    text(")");
  }
}

void Writer::set_operation(const PgQuery__SelectStmt& node) {
  text("(");
  select(*node.larg);
  switch (node.op) {
    case PG_QUERY__SET_OPERATION__SETOP_UNION: text(") UNION "); break;
    case PG_QUERY__SET_OPERATION__SETOP_INTERSECT: text(") INTERSECT "); break;
    case PG_QUERY__SET_OPERATION__SETOP_EXCEPT: text(") EXCEPT "); break;
    case PG_QUERY__SET_OPERATION__SETOP_NONE:
    case PG_QUERY__SET_OPERATION__SET_OPERATION_UNDEFINED:
    case _PG_QUERY__SET_OPERATION_IS_INT_SIZE: throw CannotPrint("a set operation of an unknown kind");
  }
  text(node.all != 0 ? "ALL (" : "(");
  select(*node.rarg);
  text(")");
}

void Writer::values(const PgQuery__SelectStmt& select) {
  text("VALUES ");
  bool first = true;
  for (const Node* row : nodes(select.values_lists, select.n_values_lists)) {
    text(first ? "(" : ", (");
    first = false;
    expression_list(nodes(row->list->items, row->list->n_items));
    text(")");
  }
}

void Writer::with(const PgQuery__WithClause& with) {
  text(with.recursive != 0 ? "WITH RECURSIVE " : "WITH ");
  bool first = true;
  for (const Node* cte : nodes(with.ctes, with.n_ctes)) {
    if (!first) text(", ");
    first = false;
    common_table(*cte->common_table_expr);
  }
  text(" ");
}

void Writer::common_table(const PgQuery__CommonTableExpr& cte) {
  identifier(cte.ctename);
  if (cte.n_aliascolnames > 0) {
    text("(");
    name_list(nodes(cte.aliascolnames, cte.n_aliascolnames));
    text(")");
  }
  text(" AS ");
  if (cte.ctematerialized == PG_QUERY__CTEMATERIALIZE__CTEMaterializeAlways) text("MATERIALIZED ");
  if (cte.ctematerialized == PG_QUERY__CTEMATERIALIZE__CTEMaterializeNever) text("NOT MATERIALIZED ");
  subquery(*cte.ctequery);
  if (cte.search_clause != nullptr) {
    text(cte.search_clause->search_breadth_first != 0 ? " SEARCH BREADTH FIRST BY "
                                                      : " SEARCH DEPTH FIRST BY ");
    name_list(nodes(cte.search_clause->search_col_list, cte.search_clause->n_search_col_list));
    text(" SET ");
    identifier(cte.search_clause->search_seq_column);
  }
  if (cte.cycle_clause == nullptr) return;
  const PgQuery__CTECycleClause& cycle = *cte.cycle_clause;
  text(" CYCLE ");
  name_list(nodes(cycle.cycle_col_list, cycle.n_cycle_col_list));
  text(" SET ");
  identifier(cycle.cycle_mark_column);
  text(" TO ");
  expression(*cycle.cycle_mark_value);
  text(" DEFAULT ");
  expression(*cycle.cycle_mark_default);
  text(" USING ");
  identifier(cycle.cycle_path_column);
}

void Writer::target(const PgQuery__ResTarget& target) {
  if (target.n_indirection > 0 || target.val == nullptr) throw CannotPrint("a target of an unknown form");
  expression(*target.val);
  if (target.name[0] != '\0') {
    text(" AS ");
    identifier(target.name);
  }
}

void Writer::group_item(const Node& node) {
  if (!is_kind(&node, PG_QUERY__NODE__NODE_GROUPING_SET)) return expression(node);
  const PgQuery__GroupingSet& set = *node.grouping_set;
  switch (set.kind) {
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_EMPTY: return text("()");
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_ROLLUP: text("ROLLUP ("); break;
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_CUBE: text("CUBE ("); break;
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_SETS: text("GROUPING SETS ("); break;
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_SIMPLE:
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_KIND_UNDEFINED:
    case _PG_QUERY__GROUPING_SET_KIND_IS_INT_SIZE: throw CannotPrint("a grouping set of an unknown kind");
  }
  bool first = true;
  for (const Node* item : nodes(set.content, set.n_content)) {
    if (!first) text(", ");
    first = false;
    group_item(*item);
  }
  text(")");
}

void Writer::sort_by(const PgQuery__SortBy& sort) {
  expression(*sort.node);
  switch (sort.sortby_dir) {
    case PG_QUERY__SORT_BY_DIR__SORTBY_DEFAULT: break;
    case PG_QUERY__SORT_BY_DIR__SORTBY_ASC: text(" ASC"); break;
    case PG_QUERY__SORT_BY_DIR__SORTBY_DESC: text(" DESC"); break;
    case PG_QUERY__SORT_BY_DIR__SORTBY_USING:
      text(" USING ");
      operator_name(nodes(sort.use_op, sort.n_use_op));
      break;
    case PG_QUERY__SORT_BY_DIR__SORT_BY_DIR_UNDEFINED:
    case _PG_QUERY__SORT_BY_DIR_IS_INT_SIZE: throw CannotPrint("a sort order of an unknown kind");
  }
  if (sort.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST) text(" NULLS FIRST");
  if (sort.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST) text(" NULLS LAST");
}

void Writer::sort_list(std::span<Node* const> items) {
  bool first = true;
  for (const Node* item : items) {
    if (!first) text(", ");
    first = false;
    sort_by(*item->sort_by);
  }
}

void Writer::limit(const PgQuery__SelectStmt& select) {
  if (select.limit_offset != nullptr) {
    text(" OFFSET ");
    operand(*select.limit_offset);
  }
  if (select.limit_count == nullptr) return;
  if (select.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES) {
    text(" FETCH FIRST (");
    expression(*select.limit_count);
    return text(") ROWS WITH TIES");
  }
  text(" LIMIT ");
  operand(*select.limit_count);
}

void Writer::window_body(const PgQuery__WindowDef& window) {
  bool first = true;
  const auto part = [&](std::string_view words) {
    if (!first) text(" ");
    first = false;
    text(words);
  };
  if (window.refname[0] != '\0') {
    part("");
    identifier(window.refname);
  }
  if (window.n_partition_clause > 0) {
    part("PARTITION BY ");
    expression_list(nodes(window.partition_clause, window.n_partition_clause));
  }
  if (window.n_order_clause > 0) {
    part("ORDER BY ");
    sort_list(nodes(window.order_clause, window.n_order_clause));
  }
  if ((window.frame_options & kNonDefault) != 0) {
    part("");
    window_frame(window);
  }
}

void Writer::window_frame(const PgQuery__WindowDef& window) {
  const int options = window.frame_options;
  const auto has = [&](int option) { return (options & option) != 0; };
  text(has(kRange) ? "RANGE " : has(kRows) ? "ROWS " : "GROUPS ");
  if (has(kBetween)) text("BETWEEN ");
  if (has(kStartUnboundedPreceding)) text("UNBOUNDED PRECEDING");
  if (has(kStartUnboundedFollowing)) text("UNBOUNDED FOLLOWING");
  if (has(kStartCurrentRow)) text("CURRENT ROW");
  if (has(kStartOffsetPreceding) || has(kStartOffsetFollowing)) {
    operand(*window.start_offset);
    text(has(kStartOffsetPreceding) ? " PRECEDING" : " FOLLOWING");
  }
  if (has(kBetween)) {
    text(" AND ");
    if (has(kEndUnboundedPreceding)) text("UNBOUNDED PRECEDING");
    if (has(kEndUnboundedFollowing)) text("UNBOUNDED FOLLOWING");
    if (has(kEndCurrentRow)) text("CURRENT ROW");
    if (has(kEndOffsetPreceding) || has(kEndOffsetFollowing)) {
      operand(*window.end_offset);
      text(has(kEndOffsetPreceding) ? " PRECEDING" : " FOLLOWING");
    }
  }
  if (has(kExcludeCurrentRow)) text(" EXCLUDE CURRENT ROW");
  if (has(kExcludeGroup)) text(" EXCLUDE GROUP");
  if (has(kExcludeTies)) text(" EXCLUDE TIES");
}

}  // namespace pgveil::pg
