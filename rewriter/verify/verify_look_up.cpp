#include "rewriter/verify/verify_look_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "pg/equal.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "pg/tokens.hpp"
#include "rewriter/verify/verify_reader.hpp"
#include "rewriter/verify/verify_stand_in.hpp"
#include "rewriter/verify/verify_tree_reading.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;
using Values = std::set<std::string, std::less<>>;

constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;

bool has_name(Node* const* names, std::size_t count, std::string_view name) {
  return count == 2 && pg::string_of(names[0]) == "pg_catalog" && pg::string_of(names[1]) == name;
}

bool is_value(const Node* node) {
  if (pg::is_kind(node, PG_QUERY__NODE__NODE_PARAM_REF)) return true;
  return pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) && node->a_const->isnull == 0 &&
         node->a_const->val_case != PG_QUERY__A__CONST__VAL_BSVAL;
}

// A constant or a parameter, possibly cast to the type of the column's values.
bool is_harmless(const Node* node, const LookUpColumn& column) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) return is_value(node);
  const PgQuery__TypeName& type = *node->type_cast->type_name;
  if (!is_value(node->type_cast->arg) || type.n_names != 2 || type.n_typmods != 0 ||
      type.n_array_bounds != 0 || type.setof != 0 || type.pct_type != 0) {
    return false;
  }
  const bool is_own =
      pg::string_of(type.names[0]) == column.type_schema && pg::string_of(type.names[1]) == column.type_name;
  return is_own || (column.type_name == "text" && has_name(type.names, type.n_names, "varchar"));
}

// The condition of a stand-in: column = ANY (ARRAY[…]).
struct Condition {
  std::string_view column;
  std::span<Node* const> constants;
};

std::optional<Condition> condition_of(const PgQuery__SelectStmt& stand_in) {
  if (!pg::is_kind(stand_in.where_clause, PG_QUERY__NODE__NODE_A_EXPR)) return std::nullopt;
  const PgQuery__AExpr& it = *stand_in.where_clause->a_expr;
  if (it.kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY || !has_name(it.name, it.n_name, "=") ||
      !pg::is_kind(it.lexpr, PG_QUERY__NODE__NODE_COLUMN_REF) || it.lexpr->column_ref->n_fields != 1 ||
      !pg::is_kind(it.rexpr, PG_QUERY__NODE__NODE_A_ARRAY_EXPR) || it.rexpr->a_array_expr->n_elements == 0) {
    return std::nullopt;
  }
  const PgQuery__AArrayExpr& array = *it.rexpr->a_array_expr;
  return Condition{pg::string_of(it.lexpr->column_ref->fields[0]),
                   pg::nodes(array.elements, array.n_elements)};
}

// A statement's own query and the item in it for which a look-up is used.
struct Asking {
  const PgQuery__SelectStmt& query;
  const PgQuery__RangeSubselect& item;
  Condition condition;

  [[nodiscard]] bool is_column(const Node* node) const {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_COLUMN_REF)) return false;
    const auto fields = pg::nodes(node->column_ref->fields, node->column_ref->n_fields);
    if (fields.empty() || pg::string_of(fields.back()) != condition.column) return false;
    if (fields.size() == 2) return pg::string_of(fields[0]) == item.alias->aliasname;
    const bool is_alone =
        query.n_from_clause == 1 && pg::is_kind(query.from_clause[0], PG_QUERY__NODE__NODE_RANGE_SUBSELECT);
    return fields.size() == 1 && is_alone;
  }

  [[nodiscard]] bool are_constants(std::span<Node* const> nodes) const {
    return std::ranges::equal(nodes, condition.constants, [](const Node* one, const Node* other) {
      return pg::equal(one->base, other->base);
    });
  }

  // condition::pg_catalog.int4 <> 0: true where the condition is, by the operator of pg_catalog.
  static bool is_told_by_number(const PgQuery__AExpr& it) {
    if (it.kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP ||
        !pg::is_kind(it.lexpr, PG_QUERY__NODE__NODE_TYPE_CAST))
      return false;
    const PgQuery__TypeName& type = *it.lexpr->type_cast->type_name;
    return has_name(type.names, type.n_names, "int4") && type.n_typmods == 0 && type.n_array_bounds == 0 &&
           type.setof == 0 && type.pct_type == 0 && is_number_zero(it.rexpr);
  }

  static bool is_number_zero(const Node* node) {
    return pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) && node->a_const->isnull == 0 &&
           node->a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL && node->a_const->ival->ival == 0;
  }

  // Whether the condition is true only for rows that meet the look-up's condition.
  [[nodiscard]] bool implies(const Node* node) const {
    if (pg::is_kind(node, PG_QUERY__NODE__NODE_BOOL_EXPR)) {
      const PgQuery__BoolExpr& both = *node->bool_expr;
      return both.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR &&
             std::ranges::any_of(pg::nodes(both.args, both.n_args),
                                 [&](const Node* it) { return implies(it); });
    }
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_EXPR)) return false;
    const PgQuery__AExpr& it = *node->a_expr;
    if (has_name(it.name, it.n_name, "<>")) return is_told_by_number(it) && implies(it.lexpr->type_cast->arg);
    const bool is_ours = it.n_name == 1 || (it.n_name == 2 && pg::string_of(it.name[0]) == "pg_catalog");
    if (!is_ours || it.lexpr == nullptr || pg::string_of(it.name[it.n_name - 1]) != "=") return false;
    if (it.kind == PG_QUERY__A__EXPR__KIND__AEXPR_IN)
      return is_column(it.lexpr) && are_constants(pg::nodes(it.rexpr->list->items, it.rexpr->list->n_items));
    return it.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP &&
           ((is_column(it.lexpr) && are_constants({&it.rexpr, 1})) ||
            (is_column(it.rexpr) && are_constants({&it.lexpr, 1})));
  }

  enum class Found { nowhere, here, asked };

  // Whether removing rows of the item removes rows of this node and has no other effect.
  [[nodiscard]] Found find(const Node* node) const {
    if (pg::is_kind(node, PG_QUERY__NODE__NODE_RANGE_SUBSELECT))
      return node->range_subselect == &item ? Found::here : Found::nowhere;
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_JOIN_EXPR) || node->join_expr->alias != nullptr)
      return Found::nowhere;
    const PgQuery__JoinExpr& join = *node->join_expr;
    Found found = Found::nowhere;
    if (join.jointype != PG_QUERY__JOIN_TYPE__JOIN_FULL) {
      if (join.jointype != PG_QUERY__JOIN_TYPE__JOIN_RIGHT) found = find(join.larg);
      if (found == Found::nowhere && join.jointype != PG_QUERY__JOIN_TYPE__JOIN_LEFT) found = find(join.rarg);
    }
    const bool is_inner = join.jointype == PG_QUERY__JOIN_TYPE__JOIN_INNER;
    return found == Found::here && is_inner && implies(join.quals) ? Found::asked : found;
  }

  [[nodiscard]] bool answer() const {
    for (const Node* node : pg::nodes(query.from_clause, query.n_from_clause)) {
      const Found found = find(node);
      if (found == Found::asked || (found == Found::here && implies(query.where_clause))) return true;
    }
    return false;
  }
};

struct Text {
  pg::Tree tree;
  [[nodiscard]] const PgQuery__SelectStmt& select() const {
    return *tree.result->stmts[0]->stmt->select_stmt;
  }
};

Text read(std::string_view text) {
  auto tree = pg::parse_own(text, kMaxTextBytes);
  if (!tree || tree->result->n_stmts != 1 ||
      !pg::is_kind(tree->result->stmts[0]->stmt, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    fail("a look-up as readable SQL");
  }
  return {std::move(*tree)};
}

// What a look-up of one column must be.
struct Check {
  const CompiledMask& mask;
  const LookUpColumn& offered;
  const Column& column;
  const Values& released;

  // `values` as an expression: an array of the released values, in the type that the mask compares with.
  [[nodiscard]] Text array(const std::string& values, std::string_view type) const {
    Text out = read(fmt::format("SELECT {} OPERATOR(pg_catalog.=) ANY ({})", offered.column, values));
    const Node* condition = out.select().target_list[0]->res_target->val;
    MaskReader reader;
    const MaskReader::Test& test = reader.test(condition);
    if (test.column != column.name || test.values != released) fail("the values that are released");
    const PgQuery__TypeName& name = *cast_of(condition->a_expr->rexpr).type_name;
    if (name.n_names != 2 || pg::string_of(name.names[0]) != offered.type_schema ||
        pg::string_of(name.names[1]) != type) {
      fail("values of the column's type");
    }
    return out;
  }

  static const Node& array_in(const Text& text) {
    return *text.select().target_list[0]->res_target->val->a_expr->rexpr;
  }

  static void is_zero(const Node* node) {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) || node->a_const->isnull != 0 ||
        node->a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL || node->a_const->ival->ival != 0) {
      fail("OFFSET 0");
    }
  }

  [[nodiscard]] const PgQuery__SelectStmt& fenced(const PgQuery__SelectStmt& outer) const {
    PgQuery__SelectStmt rest = outer;
    is_zero(outer.limit_offset);
    const Node* where = outer.where_clause;
    if (!pg::is_kind(where, PG_QUERY__NODE__NODE_NULL_TEST) ||
        column_of(where->null_test->arg) != column.name ||
        where->null_test->nulltesttype != PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL) {
      fail("rows that show the column, and no others");
    }
    const Node* from = outer.n_from_clause == 1 ? outer.from_clause[0] : nullptr;
    if (!pg::is_kind(from, PG_QUERY__NODE__NODE_RANGE_SUBSELECT) || from->range_subselect->lateral != 0 ||
        from->range_subselect->alias == nullptr ||
        std::string_view(from->range_subselect->alias->aliasname) != "t" ||
        from->range_subselect->alias->n_colnames != 0) {
      fail("a sub-select as t");
    }
    rest.limit_offset = rest.where_clause = nullptr;
    rest.n_from_clause = 0;
    const Text star = read("SELECT *");
    rest.limit_option = star.select().limit_option;
    if (!pg::equal(rest.base, star.select().base)) fail("all columns and nothing else");
    return *from->range_subselect->subquery->select_stmt;
  }

  // Checks that it is the mask itself with one more condition, the order and the fence, and returns that
  // condition.
  [[nodiscard]] const Node* condition_in(const PgQuery__SelectStmt& inner) const {
    is_zero(inner.limit_offset);
    if (inner.n_sort_clause != 1) fail("rows in physical order");
    const PgQuery__SortBy& order = *inner.sort_clause[0]->sort_by;
    if (column_of(order.node) != "ctid" || order.n_use_op != 0 ||
        order.sortby_dir != PG_QUERY__SORT_BY_DIR__SORTBY_DEFAULT) {
      fail("rows in physical order");
    }
    const Node* where = inner.where_clause;
    if (!pg::is_kind(where, PG_QUERY__NODE__NODE_BOOL_EXPR) || where->bool_expr->n_args < 2 ||
        where->bool_expr->boolop != PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR) {
      fail("the guards and a condition");
    }
    PgQuery__BoolExpr guards = *where->bool_expr;
    --guards.n_args;
    Node all = *where;
    all.bool_expr = &guards;
    PgQuery__SelectStmt rest = inner;
    rest.where_clause = guards.n_args == 1 ? guards.args[0] : &all;
    rest.limit_offset = nullptr;
    rest.n_sort_clause = 0;
    rest.limit_option = mask.select->limit_option;
    if (!pg::equal(rest.base, mask.select->base)) fail("the mask itself");
    return where->bool_expr->args[guards.n_args];
  }

  // (values)[CASE WHEN statement_timestamp() IS NOT NULL THEN array_position(values, constant) END]
  static void is_released_value(const Node* node, const Node& values, const Node& constant) {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_INDIRECTION) || node->a_indirection->n_indirection != 1 ||
        !pg::is_kind(node->a_indirection->indirection[0], PG_QUERY__NODE__NODE_A_INDICES) ||
        !pg::equal(node->a_indirection->arg->base, values.base)) {
      fail("an element of the released values");
    }
    const PgQuery__AIndices& subscript = *node->a_indirection->indirection[0]->a_indices;
    if (subscript.is_slice != 0 || subscript.lidx != nullptr ||
        !pg::is_kind(subscript.uidx, PG_QUERY__NODE__NODE_CASE_EXPR)) {
      fail("one element");
    }
    const PgQuery__CaseExpr& choice = *subscript.uidx->case_expr;
    if (choice.arg != nullptr || choice.n_args != 1 || choice.defresult != nullptr) fail("one arm");
    const Text now = read("SELECT pg_catalog.statement_timestamp() IS NOT NULL");
    const PgQuery__CaseWhen& arm = *choice.args[0]->case_when;
    if (!pg::equal(arm.expr->base, now.select().target_list[0]->res_target->val->base))
      fail("a condition that is not folded");
    if (!pg::is_kind(arm.result, PG_QUERY__NODE__NODE_FUNC_CALL)) fail("array_position");
    PgQuery__FuncCall call = *arm.result->func_call;
    if (call.n_args != 2 || !pg::equal(call.args[0]->base, values.base) ||
        !pg::equal(call.args[1]->base, constant.base)) {
      fail("the place of the constant among the released values");
    }
    call.n_args = 0;
    const Text bare = read("SELECT pg_catalog.array_position()");
    if (!pg::equal(call.base, bare.select().target_list[0]->res_target->val->func_call->base))
      fail("array_position");
  }

  void run(std::size_t position, const std::vector<std::string>& constants) const {
    const Text text = read(expected_look_up(mask, {}, {.position = position, .constants = constants}));
    const Node* condition = condition_in(fenced(text.select()));
    const bool is_list = constants.size() > 1;
    const bool is_varchar = is_list && column.type_name == "varchar";
    const Text values =
        array(is_list ? offered.values_of_list : offered.values, is_varchar ? "varchar" : offered.type_name);
    if (!pg::is_kind(condition, PG_QUERY__NODE__NODE_A_EXPR)) fail("a comparison");
    const PgQuery__AExpr& it = *condition->a_expr;
    if (!has_name(it.name, it.n_name, "=") || column_of(it.lexpr) != column.name) fail("column = value");
    const auto is_kind_of =
        is_list ? PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY : PG_QUERY__A__EXPR__KIND__AEXPR_OP;
    if (it.kind != is_kind_of) fail("= or = ANY");
    if (is_list && (!pg::is_kind(it.rexpr, PG_QUERY__NODE__NODE_A_ARRAY_EXPR) ||
                    it.rexpr->a_array_expr->n_elements != constants.size())) {
      fail("an array of the constants");
    }
    for (std::size_t i = 0; i < constants.size(); ++i) {
      const Text constant = read("SELECT " + constants[i]);
      is_released_value(is_list ? it.rexpr->a_array_expr->elements[i] : it.rexpr, array_in(values),
                        *constant.select().target_list[0]->res_target->val);
    }
  }
};

// Reads " WHERE column OPERATOR(pg_catalog.=) ANY (ARRAY[one, two])…" as it stands in the statement.
bool read_constants(std::string_view text, VerifiedLookUp& out) {
  static constexpr auto kBefore = std::to_array<std::string_view>(
      {"WHERE", "", "OPERATOR", "(", "pg_catalog", ".", "=", ")", "ANY", "(", "ARRAY", "["});
  const auto tokens = pg::tokens_of(text);
  if (!text.starts_with(" WHERE ") || !tokens || tokens->size() < kBefore.size()) return false;
  for (std::size_t i = 0; i < kBefore.size(); ++i) {
    if (!kBefore[i].empty() && (*tokens)[i].text != kBefore[i]) return false;
  }
  const auto end_of = [&](std::size_t i) { return (*tokens)[i].offset + (*tokens)[i].text.size(); };
  std::size_t first = kBefore.size();
  for (std::size_t i = first; i < tokens->size(); ++i) {
    if ((*tokens)[i].kind == pg::Token::Kind::comment) return false;
    const bool is_end = (*tokens)[i].text == "]";
    if (!is_end && (*tokens)[i].text != ",") continue;
    if (i == first) return false;
    const std::size_t start = (*tokens)[first].offset;
    out.look_up.constants.emplace_back(text.substr(start, end_of(i - 1) - start));
    first = i + 1;
    if (!is_end) continue;
    if (first == tokens->size() || (*tokens)[first].text != ")") return false;
    out.bytes = end_of(first);
    return true;
  }
  return false;
}

// The array's element that equals the constant.
std::string element(const std::string& values, const std::string& constant) {
  return "(" + values +
         ")[CASE WHEN pg_catalog.statement_timestamp() IS NOT NULL THEN pg_catalog.array_position(" + values +
         ", " + constant + ") END]";
}

}  // namespace

std::string expected_look_up(const Mask& mask, std::span<const std::size_t> left_out, const LookUp& look_up) {
  const LookUpColumn& column = mask.look_ups.columns.at(look_up.position).value();
  const bool is_list = look_up.constants.size() > 1;
  std::string elements;
  for (const std::string& constant : look_up.constants) {
    if (!elements.empty()) elements += ", ";
    elements += element(is_list ? column.values_of_list : column.values, constant);
  }
  if (is_list) elements = "ANY (ARRAY[" + elements + "])";
  return "SELECT * FROM (" + joined(mask.parts, left_out) + " AND (" + column.column +
         " OPERATOR(pg_catalog.=) " + elements + ") ORDER BY t.ctid OFFSET 0) AS t WHERE " + column.column +
         " IS NOT NULL OFFSET 0";
}

std::optional<VerifiedLookUp> read_look_up(const PgQuery__SelectStmt& stand_in, const Mask& mask,
                                           const StandInName& name, std::string_view text) {
  const auto condition = condition_of(stand_in);
  if (!condition || name.form != MaskForm::by_column) return std::nullopt;
  VerifiedLookUp out;
  for (std::size_t i = 0; i < mask.look_ups.columns.size(); ++i) {
    if (mask.parts.columns.at(i).name != condition->column) continue;
    const auto& column = mask.look_ups.columns[i];
    const auto is_fine = [&](const Node* constant) { return is_harmless(constant, *column); };
    if (!column || std::ranges::find(name.left_out, i) != name.left_out.end() ||
        !std::ranges::all_of(condition->constants, is_fine)) {
      return std::nullopt;
    }
    out.look_up.position = i;
    if (!read_constants(text, out) || out.look_up.constants.size() != condition->constants.size())
      return std::nullopt;
    return out;
  }
  return std::nullopt;
}

bool asks_for_look_up(const PgQuery__SelectStmt& query, const PgQuery__RangeSubselect& item) {
  const auto condition = condition_of(*item.subquery->select_stmt);
  return condition && item.alias != nullptr && item.alias->n_colnames == 0 &&
         query.op == PG_QUERY__SET_OPERATION__SETOP_NONE && Asking{query, item, *condition}.answer();
}

Result<void> verify_look_ups(const CompiledMask& mask, const policy::PolicyVersion& version,
                             const Relation& relation, std::string_view name) {
  try {
    const TreeReading reading(version.tree);
    if (mask.look_ups.columns.size() > relation.columns.size()) fail("columns of the table");
    for (std::size_t i = 0; i < mask.look_ups.columns.size(); ++i) {
      if (!mask.look_ups.columns[i]) continue;
      const Column& column = relation.columns.at(i);
      const auto& attributes = version.tree.attributes;
      const auto attribute = std::ranges::find(attributes, column.name, &policy::TreeAttribute::name);
      if (attribute == attributes.end() || attribute->level || relation.kind != RelationKind::table)
        fail("exact values of a quasi-identifier");
      const Values released =
          reading.values_of_cohorts(static_cast<std::size_t>(attribute - attributes.begin()));
      const Check check{mask, *mask.look_ups.columns[i], column, released};
      check.run(i, {"$1"});
      check.run(i, {"'x'", "$2"});
    }
  } catch (const Unreadable& unreadable) {
    return Error{.kind = ErrorKind::policy,
                 .sqlstate = "XX000",
                 .public_message = fmt::format("the look-ups of \"{}\" failed their check: expected {}", name,
                                               unreadable.what),
                 .hint = "this is a bug of pgveil: the table stays closed"};
  }
  return {};
}

}  // namespace pgveil::rewriter
