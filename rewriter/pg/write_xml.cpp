#include "rewriter/pg/writer.hpp"

namespace pgveil::rewriter::pg {

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
    case PG_QUERY__XML_EXPR_OP__IS_XMLPARSE:
    case PG_QUERY__XML_EXPR_OP__IS_XMLPI:
    case PG_QUERY__XML_EXPR_OP__IS_XMLROOT:
    case PG_QUERY__XML_EXPR_OP__IS_XMLSERIALIZE:
    case PG_QUERY__XML_EXPR_OP__XML_EXPR_OP_UNDEFINED:
    case _PG_QUERY__XML_EXPR_OP_IS_INT_SIZE: break;
  }
  throw CannotPrint("an XML expression of an unknown kind");
}

}  // namespace pgveil::rewriter::pg
