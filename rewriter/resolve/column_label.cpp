#include "rewriter/resolve/column_label.hpp"

#include <string_view>

namespace pgveil::rewriter {
namespace {

using pg::Node;

// The strength of a label. 0: none; 1: from a type or CASE, so an inner expression may have a better one; 2:
// final.
struct Label {
  int strength = 0;
  std::string_view name;
};

Label label_of(const Node* node);

Label last_string(std::span<Node* const> names) {
  for (auto at = names.rbegin(); at != names.rend(); ++at) {
    if (pg::is_kind(*at, PG_QUERY__NODE__NODE_STRING)) return {2, pg::string_of(*at)};
  }
  return {};
}

std::string_view value_function_name(const PgQuery__SQLValueFunction& function) {
  switch (function.op) {
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE: return "current_date";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME_N: return "current_time";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP_N: return "current_timestamp";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME_N: return "localtime";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP_N: return "localtimestamp";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE: return "current_role";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_USER: return "current_user";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_USER: return "user";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_SESSION_USER: return "session_user";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_CATALOG: return "current_catalog";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_SCHEMA: return "current_schema";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SQLVALUE_FUNCTION_OP_UNDEFINED:
    case _PG_QUERY__SQLVALUE_FUNCTION_OP_IS_INT_SIZE: break;
  }
  return {};
}

std::string_view xml_name(const PgQuery__XmlExpr& xml) {
  switch (xml.op) {
    case PG_QUERY__XML_EXPR_OP__IS_XMLCONCAT: return "xmlconcat";
    case PG_QUERY__XML_EXPR_OP__IS_XMLELEMENT: return "xmlelement";
    case PG_QUERY__XML_EXPR_OP__IS_XMLFOREST: return "xmlforest";
    case PG_QUERY__XML_EXPR_OP__IS_XMLPARSE: return "xmlparse";
    case PG_QUERY__XML_EXPR_OP__IS_XMLPI: return "xmlpi";
    case PG_QUERY__XML_EXPR_OP__IS_XMLROOT: return "xmlroot";
    case PG_QUERY__XML_EXPR_OP__IS_XMLSERIALIZE: return "xmlserialize";
    case PG_QUERY__XML_EXPR_OP__IS_DOCUMENT:
    case PG_QUERY__XML_EXPR_OP__XML_EXPR_OP_UNDEFINED:
    case _PG_QUERY__XML_EXPR_OP_IS_INT_SIZE: break;
  }
  return {};
}

Label label_of_subquery(const PgQuery__SubLink& link) {
  switch (link.sub_link_type) {
    case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK: return {2, "exists"};
    case PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK: return {2, "array"};
    case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK: {
      const PgQuery__SelectStmt* select = link.subselect->select_stmt;
      while (select->larg != nullptr) select = select->larg;
      if (select->n_target_list == 0) return select->n_values_lists > 0 ? Label{2, "column1"} : Label{};
      const PgQuery__ResTarget& first = *select->target_list[0]->res_target;
      if (first.name[0] != '\0') return {2, first.name};
      const Label inner = label_of(first.val);
      return inner.strength == 0 ? Label{2, "?column?"} : Label{2, inner.name};
    }
    case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__ROWCOMPARE_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__MULTIEXPR_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__CTE_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__SUB_LINK_TYPE_UNDEFINED:
    case _PG_QUERY__SUB_LINK_TYPE_IS_INT_SIZE: break;
  }
  return {};
}

Label stronger(Label found, Label fallback) {
  return found.strength > 1 ? found : fallback;
}

Label label_of(const Node* node) {
  if (node == nullptr) return {};
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
      return last_string(pg::nodes(node->column_ref->fields, node->column_ref->n_fields));
    case PG_QUERY__NODE__NODE_A_INDIRECTION: {
      const Label last =
          last_string(pg::nodes(node->a_indirection->indirection, node->a_indirection->n_indirection));
      return last.strength > 0 ? last : label_of(node->a_indirection->arg);
    }
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      return last_string(pg::nodes(node->func_call->funcname, node->func_call->n_funcname));
    case PG_QUERY__NODE__NODE_A_EXPR:
      return node->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF ? Label{2, "nullif"} : Label{};
    case PG_QUERY__NODE__NODE_TYPE_CAST: {
      const PgQuery__TypeName& type = *node->type_cast->type_name;
      Label fallback = last_string(pg::nodes(type.names, type.n_names));
      fallback.strength = 1;
      return stronger(label_of(node->type_cast->arg), fallback);
    }
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE: return label_of(node->collate_clause->arg);
    case PG_QUERY__NODE__NODE_GROUPING_FUNC: return {2, "grouping"};
    case PG_QUERY__NODE__NODE_SUB_LINK: return label_of_subquery(*node->sub_link);
    case PG_QUERY__NODE__NODE_CASE_EXPR: return stronger(label_of(node->case_expr->defresult), {1, "case"});
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR: return {2, "array"};
    case PG_QUERY__NODE__NODE_ROW_EXPR: return {2, "row"};
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: return {2, "coalesce"};
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
      return {2, node->min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? "greatest" : "least"};
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION: return {2, value_function_name(*node->sqlvalue_function)};
    case PG_QUERY__NODE__NODE_XML_EXPR: {
      const auto name = xml_name(*node->xml_expr);
      return name.empty() ? Label{} : Label{2, name};
    }
    case PG_QUERY__NODE__NODE_XML_SERIALIZE: return {2, "xmlserialize"};
    default: return {};  // PostgreSQL has no name for other kinds
  }
}

}  // namespace

std::string column_label(const pg::Node* expression) {
  const Label label = label_of(expression);
  return label.strength == 0 ? "?column?" : std::string(label.name);
}

}  // namespace pgveil::rewriter
