#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {

void Resolver::xml(PgQuery__XmlExpr& xml, Scope& scope, const CteScope* ctes) {
  switch (xml.op) {
    case PG_QUERY__XML_EXPR_OP__IS_XMLCONCAT:
    case PG_QUERY__XML_EXPR_OP__IS_XMLELEMENT:
    case PG_QUERY__XML_EXPR_OP__IS_XMLFOREST:
    case PG_QUERY__XML_EXPR_OP__IS_XMLPARSE:  // the server loads no external entity
    case PG_QUERY__XML_EXPR_OP__IS_XMLPI:
    case PG_QUERY__XML_EXPR_OP__IS_XMLROOT:
    case PG_QUERY__XML_EXPR_OP__IS_DOCUMENT:
      for (Node* named : pg::nodes(xml.named_args, xml.n_named_args))
        expression(named->res_target->val, scope, ctes);
      return expressions(pg::nodes(xml.args, xml.n_args), scope, ctes);
    case PG_QUERY__XML_EXPR_OP__IS_XMLSERIALIZE:
    case PG_QUERY__XML_EXPR_OP__XML_EXPR_OP_UNDEFINED:
    case _PG_QUERY__XML_EXPR_OP_IS_INT_SIZE: break;
  }
  refuse(Reason::node_kind, "this XML expression is not supported", {}, xml.location);
}

// XMLTABLE sees the FROM items before it, with or without LATERAL.
ColumnNames Resolver::xml_table(PgQuery__RangeTableFunc& table, Scope& scope, const CteScope* ctes) {
  for (Node* item : pg::nodes(table.namespaces, table.n_namespaces))
    expression(item->res_target->val, scope, ctes);
  expression(table.rowexpr, scope, ctes);
  expression(table.docexpr, scope, ctes);
  std::vector<std::string> names;
  for (Node* item : pg::nodes(table.columns, table.n_columns)) {
    if (!pg::is_kind(item, PG_QUERY__NODE__NODE_RANGE_TABLE_FUNC_COL))
      refuse(Reason::node_kind, "an XMLTABLE column of an unknown form", {}, table.location);
    PgQuery__RangeTableFuncCol& column = *item->range_table_func_col;
    if (column.for_ordinality == 0) type_name(*column.type_name);
    optional_expression(column.colexpr, scope, ctes);
    optional_expression(column.coldefexpr, scope, ctes);
    names.emplace_back(column.colname);
  }
  if (table.alias != nullptr) {
    const auto aliases = pg::nodes(table.alias->colnames, table.alias->n_colnames);
    for (std::size_t i = 0; i < aliases.size() && i < names.size(); ++i) names[i] = pg::string_of(aliases[i]);
  }
  scope.entries.push_back(
      {.alias = table.alias != nullptr ? table.alias->aliasname : "xmltable", .columns = names});
  return names;
}

}  // namespace pgveil::rewriter
