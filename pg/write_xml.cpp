#include "pg/writer.hpp"

namespace pgveil::pg {
namespace {

constexpr int kStandaloneYes = 0;  // utils/xml.h of PostgreSQL 15 to 18, XML_STANDALONE_*
constexpr int kStandaloneNo = 1;
constexpr int kStandaloneNoValue = 2;

}  // namespace

void Writer::xml(const PgQuery__XmlExpr& node) {
  const auto arguments = nodes(node.args, node.n_args);
  const auto attributes = [&](std::span<Node* const> targets) {
    bool first = true;
    for (const Node* item : targets) {
      if (!first) text(", ");
      first = false;
      target(*item->res_target);
    }
  };
  switch (node.op) {
    case PG_QUERY__XML_EXPR_OP__IS_XMLCONCAT:
      text("xmlconcat(");
      expression_list(arguments);
      return text(")");
    case PG_QUERY__XML_EXPR_OP__IS_XMLFOREST:
      text("xmlforest(");
      attributes(nodes(node.named_args, node.n_named_args));
      return text(")");
    case PG_QUERY__XML_EXPR_OP__IS_XMLELEMENT:
      text("xmlelement(NAME ");
      identifier(node.name);
      if (node.n_named_args > 0) {
        text(", xmlattributes(");
        attributes(nodes(node.named_args, node.n_named_args));
        text(")");
      }
      if (!arguments.empty()) text(", ");
      expression_list(arguments);
      return text(")");
    case PG_QUERY__XML_EXPR_OP__IS_DOCUMENT: operand(*arguments[0]); return text(" IS DOCUMENT");
    case PG_QUERY__XML_EXPR_OP__IS_XMLPARSE: return xml_parse(node);
    case PG_QUERY__XML_EXPR_OP__IS_XMLROOT: return xml_root(node);
    case PG_QUERY__XML_EXPR_OP__IS_XMLPI:
      text("xmlpi(NAME ");
      identifier(node.name);
      if (!arguments.empty()) text(", ");
      expression_list(arguments);
      return text(")");
    case PG_QUERY__XML_EXPR_OP__IS_XMLSERIALIZE:
    case PG_QUERY__XML_EXPR_OP__XML_EXPR_OP_UNDEFINED:
    case _PG_QUERY__XML_EXPR_OP_IS_INT_SIZE: break;
  }
  throw CannotPrint("an XML expression of an unknown kind");
}

// Arguments: the text, then true::bool for PRESERVE WHITESPACE.
void Writer::xml_parse(const PgQuery__XmlExpr& node) {
  const Node* keep = node.n_args == 2 ? node.args[1] : nullptr;
  if (is_kind(keep, PG_QUERY__NODE__NODE_TYPE_CAST)) keep = keep->type_cast->arg;
  if (!is_kind(keep, PG_QUERY__NODE__NODE_A_CONST) ||
      keep->a_const->val_case != PG_QUERY__A__CONST__VAL_BOOLVAL)
    throw CannotPrint("an xmlparse of an unknown form");
  const bool is_document = node.xmloption == PG_QUERY__XML_OPTION_TYPE__XMLOPTION_DOCUMENT;
  text(is_document ? "xmlparse(DOCUMENT " : "xmlparse(CONTENT ");
  expression(*node.args[0]);
  if (keep->a_const->boolval->boolval != 0) text(" PRESERVE WHITESPACE");
  text(")");
}

// Arguments: the document, the version (NULL: NO VALUE), the number of a STANDALONE clause.
void Writer::xml_root(const PgQuery__XmlExpr& node) {
  if (node.n_args != 3 || !is_kind(node.args[2], PG_QUERY__NODE__NODE_A_CONST))
    throw CannotPrint("an xmlroot of an unknown form");
  text("xmlroot(");
  expression(*node.args[0]);
  text(", VERSION ");
  const bool has_version =
      !is_kind(node.args[1], PG_QUERY__NODE__NODE_A_CONST) || node.args[1]->a_const->isnull == 0;
  if (has_version) {
    expression(*node.args[1]);
  } else {
    text("NO VALUE");
  }
  const int standalone = node.args[2]->a_const->ival->ival;
  if (standalone == kStandaloneYes) text(", STANDALONE YES");
  if (standalone == kStandaloneNo) text(", STANDALONE NO");
  if (standalone == kStandaloneNoValue) text(", STANDALONE NO VALUE");
  text(")");
}

void Writer::xml_table(const PgQuery__RangeTableFunc& table) {
  if (table.lateral != 0) text("LATERAL ");
  text("xmltable(");
  bool first = true;
  for (const Node* item : nodes(table.namespaces, table.n_namespaces)) {
    text(first ? "xmlnamespaces(" : ", ");
    first = false;
    if (item->res_target->name[0] == '\0') text("DEFAULT ");
    operand(*item->res_target->val);
    if (item->res_target->name[0] == '\0') continue;
    text(" AS ");
    identifier(item->res_target->name);
  }
  if (!first) text("), ");
  text("(");
  expression(*table.rowexpr);
  text(") PASSING (");
  expression(*table.docexpr);
  text(") COLUMNS ");
  first = true;
  for (const Node* item : nodes(table.columns, table.n_columns)) {
    if (!first) text(", ");
    first = false;
    xml_table_column(*item->range_table_func_col);
  }
  text(")");
  if (table.alias != nullptr) alias(*table.alias);
}

void Writer::xml_table_column(const PgQuery__RangeTableFuncCol& column) {
  identifier(column.colname);
  if (column.for_ordinality != 0) return text(" FOR ORDINALITY");
  text(" ");
  type(*column.type_name);
  if (column.colexpr != nullptr) {
    text(" PATH ");
    operand(*column.colexpr);
  }
  if (column.coldefexpr != nullptr) {
    text(" DEFAULT ");
    operand(*column.coldefexpr);
  }
  if (column.is_not_null != 0) text(" NOT NULL");
}

}  // namespace pgveil::pg
