#include "pg/fields.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

// REQUIRES: the type is resolved.
bool is_regrole(const PgQuery__TypeName& type) {
  return pg::string_of(type.names[type.n_names - 1]) == "regrole" && type.n_array_bounds == 0;
}

}  // namespace

void Resolver::expressions(std::span<Node*> items, Scope& scope, const CteScope* ctes) {
  for (Node*& item : items) expression(item, scope, ctes);
}

void Resolver::optional_expression(Node*& node, Scope& scope, const CteScope* ctes) {
  if (node != nullptr) expression(node, scope, ctes);
}

void Resolver::expression(Node*& node, Scope& scope, const CteScope* ctes) {
  attempt([&] { any_expression(node, scope, ctes); });
}

void Resolver::any_expression(Node*& node, Scope& scope, const CteScope* ctes) {
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_A_CONST: return;
    case PG_QUERY__NODE__NODE_PARAM_REF:
      if (node->param_ref->number > 0) return;  // the parser returns 0 for a number that does not fit
      return name_error("42P02", "there is no parameter of this number", node->param_ref->location);
    case PG_QUERY__NODE__NODE_COLUMN_REF:
      if (Node* constant = system_column_of_catalog(*node->column_ref, scope)) {
        node = constant;
        return;
      }
      return column_reference(*node->column_ref, scope);
    case PG_QUERY__NODE__NODE_A_EXPR: return operation(*node->a_expr, scope, ctes);
    case PG_QUERY__NODE__NODE_FUNC_CALL: return function_call(node, scope, ctes);
    case PG_QUERY__NODE__NODE_A_INDIRECTION: return indirection(*node->a_indirection, scope, ctes);
    case PG_QUERY__NODE__NODE_CASE_EXPR: return case_expression(*node->case_expr, scope, ctes);
    case PG_QUERY__NODE__NODE_SUB_LINK: return sub_link(*node->sub_link, scope, ctes);
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION: return value_function(node);
    case PG_QUERY__NODE__NODE_XML_EXPR: return xml(*node->xml_expr, scope, ctes);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
      return expressions(pg::nodes(node->bool_expr->args, node->bool_expr->n_args), scope, ctes);
    case PG_QUERY__NODE__NODE_NULL_TEST: return expression(node->null_test->arg, scope, ctes);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST: return expression(node->boolean_test->arg, scope, ctes);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
      type_name(*node->type_cast->type_name);
      expression(node->type_cast->arg, scope, ctes);
      if (is_regrole(*node->type_cast->type_name) && is_client(node->type_cast->arg))
        node = client_as_regrole();
      return;
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
      collation(*node->collate_clause);
      return expression(node->collate_clause->arg, scope, ctes);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
      return expressions(pg::nodes(node->coalesce_expr->args, node->coalesce_expr->n_args), scope, ctes);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
      return expressions(pg::nodes(node->min_max_expr->args, node->min_max_expr->n_args), scope, ctes);
    case PG_QUERY__NODE__NODE_GROUPING_FUNC:
      return expressions(pg::nodes(node->grouping_func->args, node->grouping_func->n_args), scope, ctes);
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
      return expressions(pg::nodes(node->a_array_expr->elements, node->a_array_expr->n_elements), scope,
                         ctes);
    case PG_QUERY__NODE__NODE_ROW_EXPR:
      return expressions(pg::nodes(node->row_expr->args, node->row_expr->n_args), scope, ctes);
    case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR: return expression(node->named_arg_expr->arg, scope, ctes);
    case PG_QUERY__NODE__NODE_XML_SERIALIZE:
      type_name(*node->xml_serialize->type_name);
      return expression(node->xml_serialize->expr, scope, ctes);
    default: refuse(Reason::node_kind, "this kind of expression is not supported", {}, pg::location_of(node));
  }
}

void Resolver::indirection(PgQuery__AIndirection& node, Scope& scope, const CteScope* ctes) {
  expression(node.arg, scope, ctes);
  for (Node* step : pg::nodes(node.indirection, node.n_indirection)) {
    switch (step->node_case) {
      case PG_QUERY__NODE__NODE_STRING: field_name(pg::string_of(step), pg::location_of(node.arg)); break;
      case PG_QUERY__NODE__NODE_A_STAR: break;
      case PG_QUERY__NODE__NODE_A_INDICES:
        optional_expression(step->a_indices->lidx, scope, ctes);
        optional_expression(step->a_indices->uidx, scope, ctes);
        break;
      default:
        refuse(Reason::node_kind, "this kind of subscript or field selection is not supported", {},
               pg::location_of(step));
    }
  }
}

void Resolver::case_expression(PgQuery__CaseExpr& node, Scope& scope, const CteScope* ctes) {
  if (node.arg != nullptr) unqualified("CASE with a value", {"="}, node.location);
  optional_expression(node.arg, scope, ctes);
  for (Node* when : pg::nodes(node.args, node.n_args)) {
    expression(when->case_when->expr, scope, ctes);
    expression(when->case_when->result, scope, ctes);
  }
  optional_expression(node.defresult, scope, ctes);
}

void Resolver::sub_link(PgQuery__SubLink& link, Scope& scope, const CteScope* ctes) {
  if (!pg::is_kind(link.subselect, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    refuse(Reason::node_kind, "a sub-query that is not a SELECT", {}, link.location);
  }
  if (link.testexpr != nullptr && link.n_oper_name == 0) unqualified("IN", {"="}, link.location);
  optional_expression(link.testexpr, scope, ctes);
  operator_name(link.oper_name, link.n_oper_name, link.location);
  static_cast<void>(select(*link.subselect->select_stmt, &scope, ctes));
}

void Resolver::value_function(Node*& node) {
  if (snapshot_.is_for_source())
    refuse_in_source("CURRENT_USER, CURRENT_DATE or the like", node->sqlvalue_function->location);
  switch (node->sqlvalue_function->op) {
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_SESSION_USER: node = client_role_constant(); return;
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME_N:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP_N:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME_N:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP_N:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_CATALOG: return;
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_SCHEMA: node = current_schema(); return;
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SQLVALUE_FUNCTION_OP_UNDEFINED:
    case _PG_QUERY__SQLVALUE_FUNCTION_OP_IS_INT_SIZE: break;
  }
  refuse(Reason::node_kind, "a value function of an unknown kind");
}

}  // namespace pgveil::rewriter
