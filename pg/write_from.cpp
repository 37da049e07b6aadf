#include "pg/writer.hpp"

namespace pgveil::pg {

void Writer::from_item(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR: return relation(*node.range_var);
    case PG_QUERY__NODE__NODE_JOIN_EXPR: return join(*node.join_expr);
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION: return range_function(*node.range_function);
    case PG_QUERY__NODE__NODE_RANGE_TABLE_FUNC: return xml_table(*node.range_table_func);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
      if (node.range_subselect->lateral != 0) text("LATERAL ");
      subquery(*node.range_subselect->subquery);
      if (node.range_subselect->alias != nullptr) alias(*node.range_subselect->alias);
      return;
    case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE: {
      const PgQuery__RangeTableSample& sample = *node.range_table_sample;
      from_item(*sample.relation);
      text(" TABLESAMPLE ");
      dotted_name(nodes(sample.method, sample.n_method));
      text("(");
      expression_list(nodes(sample.args, sample.n_args));
      text(")");
      if (sample.repeatable != nullptr) {
        text(" REPEATABLE (");
        expression(*sample.repeatable);
        text(")");
      }
      return;
    }
    default: throw CannotPrint("a FROM item of an unknown kind");
  }
}

void Writer::relation(const PgQuery__RangeVar& relation) {
  if (relation.inh == 0) text("ONLY ");
  if (relation.catalogname[0] != '\0') throw CannotPrint("a relation with a database name");
  if (relation.schemaname[0] != '\0') {
    identifier(relation.schemaname);
    text(".");
  }
  identifier(relation.relname);
  if (relation.alias != nullptr) alias(*relation.alias);
}

void Writer::join(const PgQuery__JoinExpr& join) {
  const auto side = [&](const Node& node) {
    // A nested join without an alias needs brackets; one with an alias prints its own.
    const bool in_brackets =
        is_kind(&node, PG_QUERY__NODE__NODE_JOIN_EXPR) && node.join_expr->alias == nullptr;
    if (in_brackets) text("(");
    from_item(node);
    if (in_brackets) text(")");
  };
  if (join.alias != nullptr) text("(");
  side(*join.larg);
  const bool is_cross = join.jointype == PG_QUERY__JOIN_TYPE__JOIN_INNER && join.is_natural == 0 &&
                        join.n_using_clause == 0 && join.quals == nullptr;
  if (join.is_natural != 0) text(" NATURAL");
  switch (join.jointype) {
    case PG_QUERY__JOIN_TYPE__JOIN_INNER: text(is_cross ? " CROSS JOIN " : " JOIN "); break;
    case PG_QUERY__JOIN_TYPE__JOIN_LEFT: text(" LEFT JOIN "); break;
    case PG_QUERY__JOIN_TYPE__JOIN_FULL: text(" FULL JOIN "); break;
    case PG_QUERY__JOIN_TYPE__JOIN_RIGHT: text(" RIGHT JOIN "); break;
    case PG_QUERY__JOIN_TYPE__JOIN_SEMI:
    case PG_QUERY__JOIN_TYPE__JOIN_ANTI:
#if PG_VERSION_NUM >= 160000
    case PG_QUERY__JOIN_TYPE__JOIN_RIGHT_ANTI:
#endif
    case PG_QUERY__JOIN_TYPE__JOIN_UNIQUE_OUTER:
    case PG_QUERY__JOIN_TYPE__JOIN_UNIQUE_INNER:
    case PG_QUERY__JOIN_TYPE__JOIN_TYPE_UNDEFINED:
    case _PG_QUERY__JOIN_TYPE_IS_INT_SIZE: throw CannotPrint("a join of an unknown kind");
  }
  side(*join.rarg);
  if (join.n_using_clause > 0) {
    text(" USING (");
    name_list(nodes(join.using_clause, join.n_using_clause));
    text(")");
    if (join.join_using_alias != nullptr) alias(*join.join_using_alias);
  }
  if (join.quals != nullptr) {
    text(" ON ");
    expression(*join.quals);
  }
  if (join.alias != nullptr) {
    text(")");
    alias(*join.alias);
  }
}

void Writer::range_function(const PgQuery__RangeFunction& function) {
  if (function.lateral != 0) text("LATERAL ");
  if (function.is_rowsfrom != 0) text("ROWS FROM (");
  bool first = true;
  for (const Node* item : nodes(function.functions, function.n_functions)) {
    if (!first) text(", ");
    first = false;
    const PgQuery__List& pair = *item->list;  // the call, then its column definitions (none: a NULL node)
    expression(*pair.items[0]);
    if (pair.n_items < 2 || pair.items[1]->node_case == PG_QUERY__NODE__NODE__NOT_SET) continue;
    text(" AS ");
    column_definitions(nodes(pair.items[1]->list->items, pair.items[1]->list->n_items));
  }
  if (function.is_rowsfrom != 0) text(")");
  if (function.ordinality != 0) text(" WITH ORDINALITY");
  if (function.alias != nullptr) alias(*function.alias);
  if (function.n_coldeflist == 0) return;
  if (function.alias == nullptr) text(" AS ");
  column_definitions(nodes(function.coldeflist, function.n_coldeflist));
}

void Writer::column_definitions(std::span<Node* const> definitions) {
  bool first = true;
  for (const Node* item : definitions) {
    const PgQuery__ColumnDef& definition = *item->column_def;
    text(first ? "(" : ", ");
    first = false;
    identifier(definition.colname);
    text(" ");
    type(*definition.type_name);
    if (definition.coll_clause == nullptr) continue;
    text(" COLLATE ");
    dotted_name(nodes(definition.coll_clause->collname, definition.coll_clause->n_collname));
  }
  text(")");
}

}  // namespace pgveil::pg
