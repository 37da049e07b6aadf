#include "rewriter/verify/verify_reader.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "pg/fields.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

std::set<std::string, std::less<>> array_constant(const Node* node) {
  const auto elements = array_elements(node);
  return {elements.begin(), elements.end()};
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

// The column that a THEN shows: t.c, or one of its canonical forms.
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

bool is_any_of(const Node* node) {
  return pg::is_kind(node, PG_QUERY__NODE__NODE_A_EXPR) &&
         node->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY && node->a_expr->n_name == 2 &&
         pg::string_of(node->a_expr->name[0]) == "pg_catalog" && pg::string_of(node->a_expr->name[1]) == "=";
}

// The constant of a typed text, which may have a collation.
const Node* typed_text(const Node* node) {
  if (pg::is_kind(node, PG_QUERY__NODE__NODE_COLLATE_CLAUSE)) node = node->collate_clause->arg;
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) return nullptr;
  const Node* constant = node->type_cast->arg;
  const bool is_text = pg::is_kind(constant, PG_QUERY__NODE__NODE_A_CONST) &&
                       constant->a_const->isnull == 0 &&
                       constant->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
  return is_text ? constant : nullptr;
}

// t.c, or pg_catalog."left"(t.c, n)
std::string asked_column(const Node* node, std::optional<std::uint64_t>& length) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_FUNC_CALL)) return column_of(node);
  const PgQuery__FuncCall& call = *node->func_call;
  if (call.n_funcname != 2 || pg::string_of(call.funcname[0]) != "pg_catalog" ||
      pg::string_of(call.funcname[1]) != "left" || call.n_args != 2) {
    fail("the beginning of a column");
  }
  length = number_constant(call.args[1]);
  return column_of(call.args[0]);
}

std::string beginning_of(const std::string& text, std::uint64_t characters) {
  std::size_t end = 0;
  for (std::uint64_t seen = 0; end < text.size(); ++end) {
    const bool is_start = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (is_start && seen++ == characters) break;
  }
  return text.substr(0, end);
}

bool is_date(const std::string& text) {
  return text.size() >= 10 && text[4] == '-' && text[7] == '-';
}

// Infinity and NaN are greater than all numbers (-Infinity is less), as PostgreSQL sorts them.
struct Number {
  int beyond = 0;  // -1: -Infinity, 1: Infinity, 2: NaN
  bool is_negative = false;
  std::string_view whole;   // without leading zeros
  std::string_view places;  // without trailing zeros
};

std::optional<Number> number_of(std::string_view text) {
  if (text == "-Infinity") return Number{-1, false, {}, {}};
  if (text == "Infinity") return Number{1, false, {}, {}};
  if (text == "NaN") return Number{2, false, {}, {}};
  Number out;
  out.is_negative = text.starts_with('-');
  text.remove_prefix(out.is_negative ? 1 : 0);
  out.whole = text.substr(0, text.find('.'));
  if (out.whole.size() < text.size()) out.places = text.substr(out.whole.size() + 1);
  constexpr std::string_view kDigits = "0123456789";
  if (out.whole.empty() || out.whole.find_first_not_of(kDigits) != std::string_view::npos ||
      out.places.find_first_not_of(kDigits) != std::string_view::npos) {
    return std::nullopt;
  }
  out.whole.remove_prefix(std::min(out.whole.find_first_not_of('0'), out.whole.size()));
  out.places = out.places.substr(0, out.places.find_last_not_of('0') + 1);
  out.is_negative = out.is_negative && !(out.whole.empty() && out.places.empty());
  return out;
}

// Below 0: a < b; above: a > b.
int order_of(const Number& a, const Number& b) {
  if (a.beyond != b.beyond) return a.beyond < b.beyond ? -1 : 1;
  if (a.is_negative != b.is_negative) return a.is_negative ? -1 : 1;
  const int sign = a.is_negative ? -1 : 1;
  if (a.whole.size() != b.whole.size()) return a.whole.size() < b.whole.size() ? -sign : sign;
  const int whole = a.whole.compare(b.whole);
  return sign * (whole != 0 ? whole : a.places.compare(b.places));
}

// a < b, or a <= b, for dates of four-digit years and for numbers. Other texts have no order.
bool is_in_order(const std::string& a, const std::string& b, bool or_equal) {
  if (is_date(a) || is_date(b)) {
    if (!is_date(a) || !is_date(b)) return false;
    const int order = a.compare(0, 10, b, 0, 10);
    return order < 0 || (or_equal && order == 0);
  }
  const auto x = number_of(a);
  const auto y = number_of(b);
  if (!x || !y) return false;
  const int order = order_of(*x, *y);
  return order < 0 || (or_equal && order == 0);
}

// One end of a range: t.c >= 'lower', t.c < 'upper'.
void add_end(const Node* node, std::string& column, MaskReader::Range& range) {
  const bool is_lower = is_operation(node, ">=");
  if (!is_lower && !is_operation(node, "<")) fail("an end of a range");
  const std::string asked = column_of(node->a_expr->lexpr);
  if (!column.empty() && column != asked) fail("ends of one range");
  column = asked;
  auto& end = is_lower ? range.lower : range.upper;
  if (end) fail("two ends of a range");
  end = text_constant(cast_of(node->a_expr->rexpr).arg);
}

void add_range(const Node* node, MaskReader::Test& read) {
  MaskReader::Range range;
  if (pg::is_kind(node, PG_QUERY__NODE__NODE_BOOL_EXPR) &&
      node->bool_expr->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR) {
    for (const Node* end : pg::nodes(node->bool_expr->args, node->bool_expr->n_args))
      add_end(end, read.column, range);
  } else {
    add_end(node, read.column, range);
  }
  if (range.lower && range.upper && !is_in_order(*range.lower, *range.upper, false)) fail("a range");
  read.ranges.insert(std::move(range));
}

}  // namespace

std::vector<std::string> array_elements(const Node* node) {
  const std::string text = text_constant(node);
  std::vector<std::string> out;
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
    out.push_back(std::move(element));
  } while (at < text.size() && text[at] == ',');
  take('}');
  if (at != text.size()) fail("an array and nothing after it");
  return out;
}

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

BitCell bit_cell(const Node* node, std::string_view decision) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_CASE_EXPR) || node->case_expr->arg != nullptr ||
      node->case_expr->n_args != 1 || node->case_expr->defresult == nullptr ||
      !is_typed_null(node->case_expr->defresult)) {
    fail("one arm and ELSE NULL");
  }
  const PgQuery__CaseWhen& arm = *node->case_expr->args[0]->case_when;
  if (!is_operation(arm.expr, "=") || !is_operation(arm.expr->a_expr->lexpr, "&")) fail("a look at a bit");
  const PgQuery__AExpr& masked = *arm.expr->a_expr->lexpr->a_expr;
  const std::uint64_t bit = number_constant(arm.expr->a_expr->rexpr);
  if (column_of(masked.lexpr) != decision || number_constant(masked.rexpr) != bit ||
      !std::has_single_bit(bit)) {
    fail("a look at one bit of the decision");
  }
  return {arm.result, bit};
}

namespace {

// city becomes t.city. table: the String node of t, in the same arena.
void qualify(const ProtobufCMessage& message, Node* table, pg::Arena& arena) {
  if (message.descriptor == &pg_query__column_ref__descriptor) {
    auto& column = const_cast<PgQuery__ColumnRef&>(reinterpret_cast<const PgQuery__ColumnRef&>(message));
    if (column.n_fields != 1 || !pg::is_kind(column.fields[0], PG_QUERY__NODE__NODE_STRING))
      fail("bare names of columns");
    auto** fields = static_cast<Node**>(arena.allocate(2 * sizeof(Node*)));
    fields[0] = table;
    fields[1] = column.fields[0];
    column.fields = fields;
    column.n_fields = 2;
    return;
  }
  pg::for_each_child(message, [&](const ProtobufCFieldDescriptor&, const ProtobufCMessage& child) {
    qualify(child, table, arena);
  });
}

}  // namespace

const Node* expression_of(const pg::Tree& tree) {
  return tree.result->stmts[0]->stmt->select_stmt->target_list[1]->res_target->val;
}

pg::Tree read_stored_expression(std::string_view text) {
  auto read = pg::parse_own("SELECT t, " + std::string(text), std::size_t{64} << 20);
  if (!read || read->result->n_stmts != 1 ||
      !pg::is_kind(read->result->stmts[0]->stmt, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    fail("a readable expression");
  }
  const PgQuery__SelectStmt& select = *read->result->stmts[0]->stmt->select_stmt;
  for (unsigned i = 0; i < select.base.descriptor->n_fields; ++i) {
    const ProtobufCFieldDescriptor& field = select.base.descriptor->fields[i];
    const std::string_view name(field.name);
    if (name != "target_list" && name != "limit_option" && name != "op" &&
        !pg::is_default(select.base, field))
      fail("an expression and nothing more");
  }
  if (select.n_target_list != 2 || select.target_list[1]->res_target->name[0] != '\0') fail("one expression");
  Node* table = select.target_list[0]->res_target->val->column_ref->fields[0];
  qualify(expression_of(*read)->base, table, *read->arena);
  return std::move(*read);
}

void is_plain(const PgQuery__SelectStmt& select, std::initializer_list<std::string_view> clauses) {
  for (unsigned i = 0; i < select.base.descriptor->n_fields; ++i) {
    const ProtobufCFieldDescriptor& field = select.base.descriptor->fields[i];
    const std::string_view name(field.name);
    if (name == "limit_option" || name == "op" || std::ranges::find(clauses, name) != clauses.end()) continue;
    if (!pg::is_default(select.base, field)) fail("targets, FROM and WHERE alone");
  }
}

void reads_as_t(const PgQuery__SelectStmt& query, const Relation& relation, bool with_children) {
  if (query.n_from_clause != 1 || !pg::is_kind(query.from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR))
    fail("one table");
  const PgQuery__RangeVar& from = *query.from_clause[0]->range_var;
  if ((from.inh != 0) != with_children) fail("ONLY where it has to be");
  if (from.schemaname != relation.schema || from.relname != relation.name || from.catalogname[0] != '\0' ||
      std::string_view(from.relpersistence) != "p") {
    fail("the policy's table");
  }
  if (from.alias == nullptr || std::string_view(from.alias->aliasname) != "t" || from.alias->n_colnames != 0)
    fail("the table as t");
}

void check_fence(const Node* decision) {
  if (!pg::is_kind(decision, PG_QUERY__NODE__NODE_CASE_EXPR) || decision->case_expr->n_args < 1)
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
  return tests_.emplace(condition, read_test(condition)).first->second;
}

MaskReader::Test MaskReader::read_test(const Node* condition) {
  Test read;
  if (pg::is_kind(condition, PG_QUERY__NODE__NODE_BOOL_EXPR) &&
      condition->bool_expr->boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR) {
    for (const Node* one : pg::nodes(condition->bool_expr->args, condition->bool_expr->n_args))
      add_range(one, read);
    return read;
  }
  if (!is_operation(condition, "=") && !is_any_of(condition)) {
    add_range(condition, read);
    return read;
  }
  const PgQuery__AExpr& test = *condition->a_expr;
  const PgQuery__TypeCast& constant = cast_of(test.rexpr);
  const bool is_any = test.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY;
  if (is_array_type(constant.type_name) != is_any) fail("an array behind ANY, and only there");
  read.column = asked_column(test.lexpr, read.length);
  if (is_any)
    read.values = array_constant(constant.arg);
  else
    read.values.insert(text_constant(constant.arg));
  return read;
}

bool MaskReader::is_met(const Test& test, const std::string& text) {
  if (test.length) return test.values.contains(beginning_of(text, *test.length));
  const auto holds_it = [&](const Range& range) {
    return (!range.lower || is_in_order(*range.lower, text, true)) &&
           (!range.upper || is_in_order(text, *range.upper, false));
  };
  return test.values.contains(text) || std::ranges::any_of(test.ranges, holds_it);
}

const MaskReader::Arms& MaskReader::arms_of(const PgQuery__CaseExpr& choice, std::size_t first_arm) {
  const auto [at, is_new] = arms_.try_emplace({&choice, first_arm});
  if (!is_new) return at->second;
  if (choice.arg != nullptr || choice.defresult == nullptr || choice.n_args < first_arm)
    fail("a searched CASE with ELSE");
  for (std::size_t i = first_arm; i < choice.n_args; ++i) {
    const Test& read = test(choice.args[i]->case_when->expr);
    ArmsOfColumn& column = at->second[read.column];
    if (read.length || !read.ranges.empty()) {
      column.others.emplace_back(i, &read);
    } else {
      for (const std::string& value : read.values) column.by_value.emplace(value, i);
    }
  }
  return at->second;
}

const Node* MaskReader::taken(const PgQuery__CaseExpr& choice, const MaskRow& row, std::size_t first_arm) {
  std::size_t first = choice.n_args;
  for (const auto& [column, arms] : arms_of(choice, first_arm)) {
    const auto at = row.find(column);
    if (at == row.end()) fail("a quasi-identifier");
    if (!at->second) continue;
    if (const auto found = arms.by_value.find(*at->second); found != arms.by_value.end())
      first = std::min(first, found->second);
    for (const auto& [arm, read] : arms.others) {
      if (arm >= first) break;
      if (is_met(*read, *at->second)) first = arm;
    }
  }
  return first < choice.n_args ? choice.args[first]->case_when->result : choice.defresult;
}

std::optional<MaskReader::Shown> MaskReader::shown(const Node* node, const MaskRow& row) {
  if (is_typed_null(node)) return std::nullopt;
  if (const Node* constant = typed_text(node)) return Shown{text_constant(constant), true};
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_CASE_EXPR)) return Shown{shown_column(node), false};
  const Node* next = taken(*node->case_expr, row);
  if (next == node->case_expr->defresult && !is_typed_null(next)) fail("ELSE NULL");
  return shown(next, row);
}

std::uint64_t MaskReader::released(const Node* decision, const MaskRow& row, std::size_t first_arm) {
  const Node* at = decision;
  for (; pg::is_kind(at, PG_QUERY__NODE__NODE_CASE_EXPR); first_arm = 0)
    at = taken(*at->case_expr, row, first_arm);
  return number_constant(at);
}

}  // namespace pgveil::rewriter
