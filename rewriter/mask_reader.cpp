#include "rewriter/mask_reader.hpp"

#include <bit>
#include <string_view>
#include <utility>

namespace pgveil::rewriter {
namespace {

using pg::Node;

// The elements of {"a","b"}, each in quotes.
std::set<std::string, std::less<>> array_constant(const Node* node) {
  const std::string text = text_constant(node);
  std::set<std::string, std::less<>> out;
  std::size_t at = 0;
  const auto take = [&](char expected) {
    if (at >= text.size() || text[at] != expected) fail("an array of quoted elements");
    ++at;
  };
  do {
    take(out.empty() ? '{' : ',');
    take('"');
    std::string element;
    while (at < text.size() && text[at] != '"') {
      if (text[at] == '\\' && ++at == text.size()) fail("an array that ends");
      element += text[at++];
    }
    take('"');
    out.insert(std::move(element));
  } while (at < text.size() && text[at] == ',');
  take('}');
  if (at != text.size()) fail("an array and nothing after it");
  return out;
}

bool is_array_type(const PgQuery__TypeName* type) {
  return type != nullptr && type->n_array_bounds == 1;
}

std::uint64_t number_constant(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) || node->a_const->isnull != 0 ||
      node->a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL || node->a_const->ival->ival < 0) {
    fail("a number");
  }
  return static_cast<std::uint64_t>(node->a_const->ival->ival);
}

bool is_operation(const Node* node, std::string_view op) {
  return pg::is_kind(node, PG_QUERY__NODE__NODE_A_EXPR) &&
         node->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP && node->a_expr->n_name == 2 &&
         pg::string_of(node->a_expr->name[0]) == "pg_catalog" && pg::string_of(node->a_expr->name[1]) == op;
}

// The column a THEN shows: t.c, or one of the canonical forms of it.
std::string shown_column(const Node* node) {
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_TYPE_CAST: return shown_column(node->type_cast->arg);
    case PG_QUERY__NODE__NODE_FUNC_CALL: {
      const auto name = pg::string_of(node->func_call->funcname[node->func_call->n_funcname - 1]);
      if (node->func_call->n_args != 1 || (name != "trim_scale" && name != "rtrim")) fail("a canonical form");
      return shown_column(node->func_call->args[0]);
    }
    case PG_QUERY__NODE__NODE_A_EXPR:
      if (pg::string_of(node->a_expr->name[node->a_expr->n_name - 1]) != "+" ||
          text_constant(cast_of(node->a_expr->rexpr).arg) != "0") {
        fail("a canonical form");
      }
      return shown_column(node->a_expr->lexpr);
    default: return column_of(node);
  }
}

}  // namespace

void fail(std::string what) {
  throw Unreadable{std::move(what)};
}

std::string column_of(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_COLUMN_REF) || node->column_ref->n_fields != 2)
    fail("a column");
  if (pg::string_of(node->column_ref->fields[0]) != "t") fail("a column of the table");
  return std::string(pg::string_of(node->column_ref->fields[1]));
}

const PgQuery__TypeCast& cast_of(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) fail("a typed constant");
  return *node->type_cast;
}

std::string text_constant(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) || node->a_const->isnull != 0 ||
      node->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL) {
    fail("a text constant");
  }
  return node->a_const->sval->sval;
}

bool is_typed_null(const Node* node) {
  if (pg::is_kind(node, PG_QUERY__NODE__NODE_COLLATE_CLAUSE)) node = node->collate_clause->arg;
  return pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST) &&
         pg::is_kind(node->type_cast->arg, PG_QUERY__NODE__NODE_A_CONST) &&
         node->type_cast->arg->a_const->isnull != 0;
}

BitCell bit_cell(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_CASE_EXPR) || node->case_expr->arg != nullptr ||
      node->case_expr->n_args != 1 || node->case_expr->defresult == nullptr ||
      !is_typed_null(node->case_expr->defresult)) {
    fail("one arm and ELSE NULL");
  }
  const PgQuery__CaseWhen& arm = *node->case_expr->args[0]->case_when;
  if (!is_operation(arm.expr, "=") || !is_operation(arm.expr->a_expr->lexpr, "&")) fail("a look at a bit");
  const PgQuery__AExpr& masked = *arm.expr->a_expr->lexpr->a_expr;
  const std::uint64_t bit = number_constant(arm.expr->a_expr->rexpr);
  if (column_of(masked.lexpr) != "pgveil shown" || number_constant(masked.rexpr) != bit ||
      !std::has_single_bit(bit)) {
    fail("a look at one bit of the decision");
  }
  return {shown_column(arm.result), bit};
}

void check_fence(const Node* decision) {
  if (!pg::is_kind(decision, PG_QUERY__NODE__NODE_CASE_EXPR) || decision->case_expr->n_args < 2)
    fail("a decision behind a fence");
  const PgQuery__CaseWhen& arm = *decision->case_expr->args[0]->case_when;
  if (!pg::is_kind(arm.expr, PG_QUERY__NODE__NODE_BOOL_EXPR) ||
      arm.expr->bool_expr->boolop != PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR || arm.expr->bool_expr->n_args != 2) {
    fail("false AND … in the fence");
  }
  const Node* never = arm.expr->bool_expr->args[0];
  const Node* unknown = arm.expr->bool_expr->args[1];
  if (!pg::is_kind(never, PG_QUERY__NODE__NODE_A_CONST) || never->a_const->isnull != 0 ||
      never->a_const->val_case != PG_QUERY__A__CONST__VAL_BOOLVAL || never->a_const->boolval->boolval != 0) {
    fail("false in the fence");
  }
  if (!pg::is_kind(unknown, PG_QUERY__NODE__NODE_NULL_TEST) ||
      !pg::is_kind(unknown->null_test->arg, PG_QUERY__NODE__NODE_FUNC_CALL)) {
    fail("a clock in the fence");
  }
  const PgQuery__FuncCall& clock = *unknown->null_test->arg->func_call;
  if (clock.n_funcname != 2 || pg::string_of(clock.funcname[0]) != "pg_catalog" ||
      pg::string_of(clock.funcname[1]) != "clock_timestamp" || clock.n_args != 0) {
    fail("a clock in the fence");
  }
  if (number_constant(arm.result) != 0) fail("nothing released by the fence");
}

const MaskReader::Test& MaskReader::test(const Node* condition) {
  if (const auto known = tests_.find(condition); known != tests_.end()) return known->second;
  if (!pg::is_kind(condition, PG_QUERY__NODE__NODE_A_EXPR)) fail("a comparison");
  const PgQuery__AExpr& test = *condition->a_expr;
  if (test.n_name != 2 || pg::string_of(test.name[0]) != "pg_catalog" || pg::string_of(test.name[1]) != "=") {
    fail("the operator pg_catalog.=");
  }
  const PgQuery__TypeCast& constant = cast_of(test.rexpr);
  const bool is_any = test.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY;
  if (!is_any && test.kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP) fail("= or = ANY");
  if (is_array_type(constant.type_name) != is_any) fail("an array behind ANY, and only there");
  Test read{column_of(test.lexpr), {}};
  if (is_any)
    read.values = array_constant(constant.arg);
  else
    read.values.insert(text_constant(constant.arg));
  return tests_.emplace(condition, std::move(read)).first->second;
}

bool MaskReader::holds(const Node* condition, const MaskRow& row) {
  const Test& read = test(condition);
  const auto at = row.find(read.column);
  if (at == row.end()) fail("a quasi-identifier");
  return at->second && read.values.contains(*at->second);
}

const Node* MaskReader::taken(const PgQuery__CaseExpr& choice, const MaskRow& row, std::size_t first_arm) {
  if (choice.arg != nullptr || choice.defresult == nullptr) fail("a searched CASE with ELSE");
  for (const Node* arm : pg::nodes(choice.args, choice.n_args).subspan(first_arm)) {
    if (holds(arm->case_when->expr, row)) return arm->case_when->result;
  }
  return choice.defresult;
}

std::optional<std::string> MaskReader::shown(const Node* node, const MaskRow& row) {
  if (is_typed_null(node)) return std::nullopt;
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_CASE_EXPR)) return shown_column(node);
  const Node* next = taken(*node->case_expr, row);
  if (next == node->case_expr->defresult && !is_typed_null(next)) fail("ELSE NULL");
  return shown(next, row);
}

std::uint64_t MaskReader::released(const Node* decision, const MaskRow& row) {
  const Node* at = taken(*decision->case_expr, row, 1);
  while (pg::is_kind(at, PG_QUERY__NODE__NODE_CASE_EXPR)) at = taken(*at->case_expr, row);
  return number_constant(at);
}

}  // namespace pgveil::rewriter
