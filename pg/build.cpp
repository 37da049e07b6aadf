#include "pg/build.hpp"

#include <algorithm>

namespace pgveil::pg {

Node** Builder::list(std::span<Node* const> items) {
  auto** out = static_cast<Node**>(arena_.allocate(items.size() * sizeof(Node*)));
  std::copy(items.begin(), items.end(), out);
  return out;
}

Node* Builder::node(PgQuery__Node__NodeCase kind) {
  auto* made = make<Node>(pg_query__node__descriptor);
  made->node_case = kind;
  return made;
}

Node* Builder::string(std::string_view text) {
  Node* out = node(PG_QUERY__NODE__NODE_STRING);
  out->string = make<PgQuery__String>(pg_query__string__descriptor);
  out->string->sval = arena_.copy(text);
  return out;
}

Node* Builder::column(std::initializer_list<std::string_view> path) {
  std::vector<Node*> fields;
  for (const auto part : path) fields.push_back(string(part));
  Node* out = node(PG_QUERY__NODE__NODE_COLUMN_REF);
  out->column_ref = make<PgQuery__ColumnRef>(pg_query__column_ref__descriptor);
  out->column_ref->fields = list(fields);
  out->column_ref->n_fields = fields.size();
  return out;
}

Node* Builder::all_columns() {
  Node* star = node(PG_QUERY__NODE__NODE_A_STAR);
  star->a_star = make<PgQuery__AStar>(pg_query__a__star__descriptor);
  Node* const fields[] = {star};
  Node* out = node(PG_QUERY__NODE__NODE_COLUMN_REF);
  out->column_ref = make<PgQuery__ColumnRef>(pg_query__column_ref__descriptor);
  out->column_ref->fields = list(fields);
  out->column_ref->n_fields = 1;
  return out;
}

Node* Builder::integer_constant(int value) {
  Node* out = node(PG_QUERY__NODE__NODE_A_CONST);
  out->a_const = make<PgQuery__AConst>(pg_query__a__const__descriptor);
  out->a_const->val_case = PG_QUERY__A__CONST__VAL_IVAL;
  out->a_const->ival = make<PgQuery__Integer>(pg_query__integer__descriptor);
  out->a_const->ival->ival = value;
  return out;
}

Node* Builder::string_constant(std::string_view text) {
  Node* out = node(PG_QUERY__NODE__NODE_A_CONST);
  out->a_const = make<PgQuery__AConst>(pg_query__a__const__descriptor);
  out->a_const->val_case = PG_QUERY__A__CONST__VAL_SVAL;
  out->a_const->sval = make<PgQuery__String>(pg_query__string__descriptor);
  out->a_const->sval->sval = arena_.copy(text);
  return out;
}

Node* Builder::null_constant() {
  Node* out = node(PG_QUERY__NODE__NODE_A_CONST);
  out->a_const = make<PgQuery__AConst>(pg_query__a__const__descriptor);
  out->a_const->isnull = 1;
  return out;
}

Node* Builder::false_constant() {
  Node* out = node(PG_QUERY__NODE__NODE_A_CONST);
  out->a_const = make<PgQuery__AConst>(pg_query__a__const__descriptor);
  out->a_const->val_case = PG_QUERY__A__CONST__VAL_BOOLVAL;
  out->a_const->boolval = make<PgQuery__Boolean>(pg_query__boolean__descriptor);
  return out;
}

Node* Builder::true_constant() {
  Node* out = false_constant();
  out->a_const->boolval->boolval = 1;
  return out;
}

PgQuery__TypeName* Builder::type_name(std::string_view schema, std::string_view name, bool is_array) {
  auto* out = make<PgQuery__TypeName>(pg_query__type_name__descriptor);
  Node* const names[] = {string(schema), string(name)};
  out->names = list(names);
  out->n_names = 2;
  out->typemod = -1;
  if (is_array) {
    Node* bound = node(PG_QUERY__NODE__NODE_INTEGER);
    bound->integer = make<PgQuery__Integer>(pg_query__integer__descriptor);
    bound->integer->ival = -1;
    Node* const bounds[] = {bound};
    out->array_bounds = list(bounds);
    out->n_array_bounds = 1;
  }
  return out;
}

Node* Builder::cast(Node* value, PgQuery__TypeName* type) {
  Node* out = node(PG_QUERY__NODE__NODE_TYPE_CAST);
  out->type_cast = make<PgQuery__TypeCast>(pg_query__type_cast__descriptor);
  out->type_cast->arg = value;
  out->type_cast->type_name = type;
  return out;
}

Node* Builder::collate(Node* value, std::string_view schema, std::string_view name) {
  Node* out = node(PG_QUERY__NODE__NODE_COLLATE_CLAUSE);
  out->collate_clause = make<PgQuery__CollateClause>(pg_query__collate_clause__descriptor);
  out->collate_clause->arg = value;
  Node* const names[] = {string(schema), string(name)};
  out->collate_clause->collname = list(names);
  out->collate_clause->n_collname = 2;
  return out;
}

Node* Builder::operation(std::string_view op, Node* left, Node* right) {
  Node* out = node(PG_QUERY__NODE__NODE_A_EXPR);
  out->a_expr = make<PgQuery__AExpr>(pg_query__a__expr__descriptor);
  out->a_expr->kind = PG_QUERY__A__EXPR__KIND__AEXPR_OP;
  Node* const names[] = {string("pg_catalog"), string(op)};
  out->a_expr->name = list(names);
  out->a_expr->n_name = 2;
  out->a_expr->lexpr = left;
  out->a_expr->rexpr = right;
  return out;
}

Node* Builder::equals(Node* left, Node* right) {
  return operation("=", left, right);
}

Node* Builder::equals_any(Node* left, Node* array) {
  Node* out = equals(left, array);
  out->a_expr->kind = PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY;
  return out;
}

Node* Builder::array(std::span<Node* const> elements) {
  Node* out = node(PG_QUERY__NODE__NODE_A_ARRAY_EXPR);
  out->a_array_expr = make<PgQuery__AArrayExpr>(pg_query__a__array_expr__descriptor);
  out->a_array_expr->elements = list(elements);
  out->a_array_expr->n_elements = elements.size();
  return out;
}

namespace {

Node* joined(Builder& build, std::span<Node* const> conditions, PgQuery__BoolExprType by) {
  if (conditions.size() == 1) return conditions.front();
  Node* out = build.node(PG_QUERY__NODE__NODE_BOOL_EXPR);
  out->bool_expr = build.make<PgQuery__BoolExpr>(pg_query__bool_expr__descriptor);
  out->bool_expr->boolop = by;
  out->bool_expr->args = build.list(conditions);
  out->bool_expr->n_args = conditions.size();
  return out;
}

}  // namespace

Node* Builder::all_of(std::span<Node* const> conditions) {
  return joined(*this, conditions, PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR);
}

Node* Builder::any_of(std::span<Node* const> conditions) {
  return joined(*this, conditions, PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR);
}

Node* Builder::is_null(Node* value) {
  Node* out = node(PG_QUERY__NODE__NODE_NULL_TEST);
  out->null_test = make<PgQuery__NullTest>(pg_query__null_test__descriptor);
  out->null_test->arg = value;
  out->null_test->nulltesttype = PG_QUERY__NULL_TEST_TYPE__IS_NULL;
  return out;
}

Node* Builder::call(std::string_view function, std::span<Node* const> arguments) {
  return call_in("pg_catalog", function, arguments);
}

Node* Builder::call_in(std::string_view schema, std::string_view function, std::span<Node* const> arguments) {
  Node* out = node(PG_QUERY__NODE__NODE_FUNC_CALL);
  out->func_call = make<PgQuery__FuncCall>(pg_query__func_call__descriptor);
  Node* const names[] = {string(schema), string(function)};
  out->func_call->funcname = list(names);
  out->func_call->n_funcname = 2;
  out->func_call->args = list(arguments);
  out->func_call->n_args = arguments.size();
  out->func_call->funcformat = PG_QUERY__COERCION_FORM__COERCE_EXPLICIT_CALL;
  return out;
}

namespace {

Node* indirection(Node* value, Node* step, Builder& build) {
  Node* out = build.node(PG_QUERY__NODE__NODE_A_INDIRECTION);
  out->a_indirection = build.make<PgQuery__AIndirection>(pg_query__a__indirection__descriptor);
  out->a_indirection->arg = value;
  Node* const path[] = {step};
  out->a_indirection->indirection = build.list(path);
  out->a_indirection->n_indirection = 1;
  return out;
}

}  // namespace

Node* Builder::field(Node* record, std::string_view name) {
  return indirection(record, string(name), *this);
}

Node* Builder::element(Node* array, Node* place) {
  Node* subscript = node(PG_QUERY__NODE__NODE_A_INDICES);
  subscript->a_indices = make<PgQuery__AIndices>(pg_query__a__indices__descriptor);
  subscript->a_indices->uidx = place;
  return indirection(array, subscript, *this);
}

Node* Builder::coalesce(Node* value, Node* if_null) {
  Node* out = node(PG_QUERY__NODE__NODE_COALESCE_EXPR);
  out->coalesce_expr = make<PgQuery__CoalesceExpr>(pg_query__coalesce_expr__descriptor);
  Node* const arguments[] = {value, if_null};
  out->coalesce_expr->args = list(arguments);
  out->coalesce_expr->n_args = 2;
  return out;
}

Node* Builder::searched_case(std::span<const When> arms, Node* otherwise) {
  std::vector<Node*> whens;
  for (const When& arm : arms) {
    Node* when = node(PG_QUERY__NODE__NODE_CASE_WHEN);
    when->case_when = make<PgQuery__CaseWhen>(pg_query__case_when__descriptor);
    when->case_when->expr = arm.condition;
    when->case_when->result = arm.result;
    whens.push_back(when);
  }
  Node* out = node(PG_QUERY__NODE__NODE_CASE_EXPR);
  out->case_expr = make<PgQuery__CaseExpr>(pg_query__case_expr__descriptor);
  out->case_expr->args = list(whens);
  out->case_expr->n_args = whens.size();
  out->case_expr->defresult = otherwise;
  return out;
}

Node* Builder::target(Node* value, std::string_view name) {
  Node* out = node(PG_QUERY__NODE__NODE_RES_TARGET);
  out->res_target = make<PgQuery__ResTarget>(pg_query__res_target__descriptor);
  out->res_target->val = value;
  if (!name.empty()) out->res_target->name = arena_.copy(name);
  return out;
}

PgQuery__Alias* Builder::alias(std::string_view name) {
  auto* out = make<PgQuery__Alias>(pg_query__alias__descriptor);
  out->aliasname = arena_.copy(name);
  return out;
}

Node* Builder::relation(std::string_view schema, std::string_view name, std::string_view alias_name) {
  Node* out = node(PG_QUERY__NODE__NODE_RANGE_VAR);
  out->range_var = make<PgQuery__RangeVar>(pg_query__range_var__descriptor);
  out->range_var->schemaname = arena_.copy(schema);
  out->range_var->relname = arena_.copy(name);
  out->range_var->inh = 1;
  out->range_var->relpersistence = arena_.copy("p");
  if (!alias_name.empty()) out->range_var->alias = alias(alias_name);
  return out;
}

PgQuery__SelectStmt* Builder::select(std::span<Node* const> targets, Node* from, Node* where) {
  auto* out = make<PgQuery__SelectStmt>(pg_query__select_stmt__descriptor);
  out->target_list = list(targets);
  out->n_target_list = targets.size();
  if (from != nullptr) {
    Node* const items[] = {from};
    out->from_clause = list(items);
    out->n_from_clause = 1;
  }
  out->where_clause = where;
  out->limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_DEFAULT;
  out->op = PG_QUERY__SET_OPERATION__SETOP_NONE;
  return out;
}

Node* Builder::select_node(PgQuery__SelectStmt* select) {
  Node* out = node(PG_QUERY__NODE__NODE_SELECT_STMT);
  out->select_stmt = select;
  return out;
}

Node* Builder::scalar_subquery(PgQuery__SelectStmt* select) {
  Node* out = node(PG_QUERY__NODE__NODE_SUB_LINK);
  out->sub_link = make<PgQuery__SubLink>(pg_query__sub_link__descriptor);
  out->sub_link->sub_link_type = PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK;
  out->sub_link->subselect = select_node(select);
  return out;
}

Node* Builder::from_subquery(PgQuery__SelectStmt* select, PgQuery__Alias* alias) {
  Node* out = node(PG_QUERY__NODE__NODE_RANGE_SUBSELECT);
  out->range_subselect = make<PgQuery__RangeSubselect>(pg_query__range_subselect__descriptor);
  out->range_subselect->subquery = select_node(select);
  out->range_subselect->alias = alias;
  return out;
}

}  // namespace pgveil::pg
