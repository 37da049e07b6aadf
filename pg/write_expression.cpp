#include "pg/writer.hpp"

#include "common/sql_quoting.hpp"

namespace pgveil::pg {
namespace {

// Whether it is printed without brackets as an operand.
bool is_atomic(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
    case PG_QUERY__NODE__NODE_PARAM_REF:
    case PG_QUERY__NODE__NODE_FUNC_CALL:
    case PG_QUERY__NODE__NODE_TYPE_CAST:
    case PG_QUERY__NODE__NODE_CASE_EXPR:
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
    case PG_QUERY__NODE__NODE_GROUPING_FUNC:
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
    case PG_QUERY__NODE__NODE_ROW_EXPR: return true;
    case PG_QUERY__NODE__NODE_XML_EXPR: return node.xml_expr->op != PG_QUERY__XML_EXPR_OP__IS_DOCUMENT;
    case PG_QUERY__NODE__NODE_A_CONST: {
      const PgQuery__AConst& value = *node.a_const;
      if (value.val_case == PG_QUERY__A__CONST__VAL_IVAL) return value.ival->ival >= 0;
      if (value.val_case == PG_QUERY__A__CONST__VAL_FVAL) return value.fval->fval[0] != '-';
      return true;
    }
    case PG_QUERY__NODE__NODE_SUB_LINK: return node.sub_link->testexpr == nullptr;
    default: return false;  // brackets are always correct
  }
}

}  // namespace

void Writer::operand(const Node& node) {
  if (is_atomic(node)) {
    expression(node);
    return;
  }
  text("(");
  expression(node);
  text(")");
}

void Writer::expression(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_A_CONST: return constant(*node.a_const);
    case PG_QUERY__NODE__NODE_COLUMN_REF: return column_reference(*node.column_ref);
    case PG_QUERY__NODE__NODE_PARAM_REF: return text("$" + std::to_string(node.param_ref->number));
    case PG_QUERY__NODE__NODE_A_EXPR: return operation(*node.a_expr);
    case PG_QUERY__NODE__NODE_BOOL_EXPR: return boolean(*node.bool_expr);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST: return boolean_test(*node.boolean_test);
    case PG_QUERY__NODE__NODE_FUNC_CALL: return function_call(*node.func_call);
    case PG_QUERY__NODE__NODE_A_INDIRECTION: return indirection(*node.a_indirection);
    case PG_QUERY__NODE__NODE_CASE_EXPR: return case_expression(*node.case_expr);
    case PG_QUERY__NODE__NODE_SUB_LINK: return sub_link(*node.sub_link);
    case PG_QUERY__NODE__NODE_ROW_EXPR: return row(*node.row_expr);
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION: return value_function(*node.sqlvalue_function);
    case PG_QUERY__NODE__NODE_TYPE_CAST: return type_cast(*node.type_cast);
    case PG_QUERY__NODE__NODE_XML_EXPR: return xml(*node.xml_expr);
    case PG_QUERY__NODE__NODE_SELECT_STMT: return select(*node.select_stmt);
    case PG_QUERY__NODE__NODE_NULL_TEST:
      operand(*node.null_test->arg);
      return text(node.null_test->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL ? " IS NULL"
                                                                                    : " IS NOT NULL");
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
      operand(*node.collate_clause->arg);
      text(" COLLATE ");
      return dotted_name(nodes(node.collate_clause->collname, node.collate_clause->n_collname));
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
      text("COALESCE(");
      expression_list(nodes(node.coalesce_expr->args, node.coalesce_expr->n_args));
      return text(")");
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
      text(node.min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? "GREATEST(" : "LEAST(");
      expression_list(nodes(node.min_max_expr->args, node.min_max_expr->n_args));
      return text(")");
    case PG_QUERY__NODE__NODE_GROUPING_FUNC:
      text("GROUPING(");
      expression_list(nodes(node.grouping_func->args, node.grouping_func->n_args));
      return text(")");
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
      text("ARRAY[");
      expression_list(nodes(node.a_array_expr->elements, node.a_array_expr->n_elements));
      return text("]");
    case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR:
      identifier(node.named_arg_expr->name);
      text(" => ");
      return expression(*node.named_arg_expr->arg);
    case PG_QUERY__NODE__NODE_XML_SERIALIZE:
      text(node.xml_serialize->xmloption == PG_QUERY__XML_OPTION_TYPE__XMLOPTION_DOCUMENT
               ? "xmlserialize(DOCUMENT "
               : "xmlserialize(CONTENT ");
      operand(*node.xml_serialize->expr);
      text(" AS ");
      type(*node.xml_serialize->type_name);
#if PG_VERSION_NUM >= 160000
      if (node.xml_serialize->indent != 0) text(" INDENT");
#endif
      return text(")");
    default: throw CannotPrint("an expression of an unknown kind");
  }
}

void Writer::constant(const PgQuery__AConst& constant) {
  if (constant.isnull != 0) return text("NULL");
  switch (constant.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL: return text(std::to_string(constant.ival->ival));
    case PG_QUERY__A__CONST__VAL_FVAL: return text(constant.fval->fval);
    case PG_QUERY__A__CONST__VAL_SVAL: return text(quoted_literal(constant.sval->sval));
    case PG_QUERY__A__CONST__VAL_BSVAL: {
      const std::string_view value(constant.bsval->bsval);  // b101 or xFF
      if (value.empty()) break;
      text(value[0] == 'b' ? "B'" : "X'");
      text(value.substr(1));
      return text("'");
    }
    case PG_QUERY__A__CONST__VAL_BOOLVAL: return text(constant.boolval->boolval != 0 ? "true" : "false");
    case PG_QUERY__A__CONST__VAL__NOT_SET:
    case _PG_QUERY__A__CONST__VAL__CASE_IS_INT_SIZE: break;
  }
  throw CannotPrint("a constant of an unknown kind");
}

void Writer::column_reference(const PgQuery__ColumnRef& column) {
  dotted_name(nodes(column.fields, column.n_fields));
}

void Writer::operation(const PgQuery__AExpr& node) {
  const auto name = nodes(node.name, node.n_name);
  const auto infix = [&](std::string_view words) {
    operand(*node.lexpr);
    text(words);
    operand(*node.rexpr);
  };
  const auto quantified = [&](std::string_view word) {
    operand(*node.lexpr);
    text(" ");
    operator_name(name);
    text(word);
    expression(*node.rexpr);
    text(")");
  };
  const auto between = [&](std::string_view words) {
    const PgQuery__List& bounds = *node.rexpr->list;
    operand(*node.lexpr);
    text(words);
    operand(*bounds.items[0]);
    text(" AND ");
    operand(*bounds.items[1]);
  };
  const bool is_positive = name.size() == 1 && string_of(name[0])[0] != '!' && string_of(name[0]) != "<>";
  switch (node.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
      if (node.lexpr != nullptr) {
        operand(*node.lexpr);
        text(" ");
      }
      operator_name(name);
      text(" ");
      return operand(*node.rexpr);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY: return quantified(" ANY (");
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL: return quantified(" ALL (");
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT: return infix(" IS DISTINCT FROM ");
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT: return infix(" IS NOT DISTINCT FROM ");
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
      text("NULLIF(");
      expression(*node.lexpr);
      text(", ");
      expression(*node.rexpr);
      return text(")");
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
      operand(*node.lexpr);
      text(is_positive ? " IN (" : " NOT IN (");
      expression_list(nodes(node.rexpr->list->items, node.rexpr->list->n_items));
      return text(")");
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE: return infix(is_positive ? " LIKE " : " NOT LIKE ");
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE: return infix(is_positive ? " ILIKE " : " NOT ILIKE ");
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN: return between(" BETWEEN ");
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN: return between(" NOT BETWEEN ");
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM: return between(" BETWEEN SYMMETRIC ");
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM: return between(" NOT BETWEEN SYMMETRIC ");
    case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:  // the resolver turns it into a regular expression match
    case PG_QUERY__A__EXPR__KIND__A_EXPR_KIND_UNDEFINED:
    case _PG_QUERY__A__EXPR__KIND_IS_INT_SIZE: break;
  }
  throw CannotPrint("an operation of an unknown kind");
}

void Writer::boolean(const PgQuery__BoolExpr& node) {
  const auto arguments = nodes(node.args, node.n_args);
  if (node.boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR) {
    text("NOT ");
    return operand(*arguments[0]);
  }
  bool first = true;
  for (const Node* argument : arguments) {
    if (!first) text(node.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR ? " AND " : " OR ");
    first = false;
    operand(*argument);
  }
}

void Writer::boolean_test(const PgQuery__BooleanTest& node) {
  operand(*node.arg);
  switch (node.booltesttype) {
    case PG_QUERY__BOOL_TEST_TYPE__IS_TRUE: return text(" IS TRUE");
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE: return text(" IS NOT TRUE");
    case PG_QUERY__BOOL_TEST_TYPE__IS_FALSE: return text(" IS FALSE");
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE: return text(" IS NOT FALSE");
    case PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN: return text(" IS UNKNOWN");
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN: return text(" IS NOT UNKNOWN");
    case PG_QUERY__BOOL_TEST_TYPE__BOOL_TEST_TYPE_UNDEFINED:
    case _PG_QUERY__BOOL_TEST_TYPE_IS_INT_SIZE: break;
  }
  throw CannotPrint("a boolean test of an unknown kind");
}

void Writer::function_call(const PgQuery__FuncCall& call) {
  if (call.funcformat != PG_QUERY__COERCION_FORM__COERCE_EXPLICIT_CALL)
    throw CannotPrint("a call in special syntax");
  dotted_name(nodes(call.funcname, call.n_funcname));
  text("(");
  if (call.agg_star != 0) text("*");
  if (call.agg_distinct != 0) text("DISTINCT ");
  const auto arguments = nodes(call.args, call.n_args);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text(", ");
    if (call.func_variadic != 0 && i + 1 == arguments.size()) text("VARIADIC ");
    expression(*arguments[i]);
  }
  const auto order = nodes(call.agg_order, call.n_agg_order);
  if (!order.empty() && call.agg_within_group == 0) {
    text(" ORDER BY ");
    sort_list(order);
  }
  text(")");
  if (call.agg_within_group != 0) {
    text(" WITHIN GROUP (ORDER BY ");
    sort_list(order);
    text(")");
  }
  if (call.agg_filter != nullptr) {
    text(" FILTER (WHERE ");
    expression(*call.agg_filter);
    text(")");
  }
  if (call.over == nullptr) return;
  text(" OVER ");
  if (call.over->name[0] != '\0') return identifier(call.over->name);
  text("(");
  window_body(*call.over);
  text(")");
}

void Writer::indirection(const PgQuery__AIndirection& node) {
  text("(");
  expression(*node.arg);
  text(")");
  for (const Node* step : nodes(node.indirection, node.n_indirection)) {
    if (is_kind(step, PG_QUERY__NODE__NODE_STRING)) {
      text(".");
      identifier(step->string->sval);
    } else if (is_kind(step, PG_QUERY__NODE__NODE_A_STAR)) {
      text(".*");
    } else if (is_kind(step, PG_QUERY__NODE__NODE_A_INDICES)) {
      const PgQuery__AIndices& indices = *step->a_indices;
      text("[");
      if (indices.lidx != nullptr) expression(*indices.lidx);
      if (indices.is_slice != 0) text(":");
      if (indices.uidx != nullptr) operand(*indices.uidx);
      text("]");
    } else {
      throw CannotPrint("an indirection of an unknown kind");
    }
  }
}

void Writer::case_expression(const PgQuery__CaseExpr& node) {
  text("CASE");
  if (node.arg != nullptr) {
    text(" ");
    expression(*node.arg);
  }
  for (const Node* when : nodes(node.args, node.n_args)) {
    text(" WHEN ");
    expression(*when->case_when->expr);
    text(" THEN ");
    expression(*when->case_when->result);
  }
  if (node.defresult != nullptr) {
    text(" ELSE ");
    expression(*node.defresult);
  }
  text(" END");
}

void Writer::sub_link(const PgQuery__SubLink& node) {
  const auto name = nodes(node.oper_name, node.n_oper_name);
  switch (node.sub_link_type) {
    case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK: text("EXISTS "); return subquery(*node.subselect);
    case PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK: text("ARRAY"); return subquery(*node.subselect);
    case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK: return subquery(*node.subselect);
    case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK:
      operand(*node.testexpr);
      text(" ");
      if (name.empty()) {
        text("IN ");
      } else {
        operator_name(name);
        text(node.sub_link_type == PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK ? " ANY " : " ALL ");
      }
      return subquery(*node.subselect);
    case PG_QUERY__SUB_LINK_TYPE__ROWCOMPARE_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__MULTIEXPR_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__CTE_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__SUB_LINK_TYPE_UNDEFINED:
    case _PG_QUERY__SUB_LINK_TYPE_IS_INT_SIZE: break;
  }
  throw CannotPrint("a sub-query of an unknown kind");
}

void Writer::row(const PgQuery__RowExpr& node) {
  text(node.row_format == PG_QUERY__COERCION_FORM__COERCE_EXPLICIT_CALL ? "ROW(" : "(");
  expression_list(nodes(node.args, node.n_args));
  text(")");
}

void Writer::value_function(const PgQuery__SQLValueFunction& node) {
  const auto with_precision = [&](std::string_view word) {
    text(word);
    if (node.typmod >= 0) text("(" + std::to_string(node.typmod) + ")");
  };
  switch (node.op) {
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE: return text("CURRENT_DATE");
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME_N: return with_precision("CURRENT_TIME");
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP_N:
      return with_precision("CURRENT_TIMESTAMP");
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME_N: return with_precision("LOCALTIME");
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP_N: return with_precision("LOCALTIMESTAMP");
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_CATALOG: return text("CURRENT_CATALOG");
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_SCHEMA: return text("CURRENT_SCHEMA");
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE:  // the resolver puts the client's role in their place
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_SESSION_USER:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SQLVALUE_FUNCTION_OP_UNDEFINED:
    case _PG_QUERY__SQLVALUE_FUNCTION_OP_IS_INT_SIZE: break;
  }
  throw CannotPrint("a value function of an unknown kind");
}

void Writer::type_cast(const PgQuery__TypeCast& node) {
  operand(*node.arg);
  text("::");
  type(*node.type_name);
}

}  // namespace pgveil::pg
