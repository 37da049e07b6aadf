#include "rewriter/pipeline/put_estimates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pg/build.hpp"
#include "pg/fields.hpp"
#include "rewriter/mask/shown_shares.hpp"

namespace pgveil::rewriter {
namespace {

using Message = ProtobufCMessage;
using pg::Node;

// What PostgreSQL 15 expects where it knows nothing (selfuncs.h).
constexpr double kOne = kShareOfOneValue;
constexpr double kInequality = 1.0 / 3;
// Guesses at what conditions keep of the rows that show a value, where PostgreSQL's own are far too low.
constexpr double kRange = 0.25;
constexpr double kPattern = 0.1;

constexpr double kLeastRows = 1'000;  // no plan over fewer takes long
constexpr double kTolerance = 2;      // a wrong estimate up to this factor is left alone
constexpr int kDeepestQuery = 16;     // views in views

// A share of the rows: what PostgreSQL will expect, and what the tree tells.
struct Estimate {
  double planned = 1;
  double likely = 1;
};

// A sub-query of FROM that columns can be resolved in.
struct NamedQuery {
  const PgQuery__RangeSubselect* query = nullptr;
  std::string_view alias;
};

struct ColumnOfMask {
  const ShownShare* share = nullptr;
  const StandIn* stand_in = nullptr;
  std::string_view name;
  const PgQuery__RangeSubselect* item = nullptr;  // of the query that names the column
};

void add_named_queries(const Node* node, std::vector<NamedQuery>& out) {
  if (pg::is_kind(node, PG_QUERY__NODE__NODE_RANGE_SUBSELECT)) {
    const PgQuery__RangeSubselect& query = *node->range_subselect;
    const bool has_names = query.alias != nullptr && query.alias->n_colnames == 0;
    out.push_back({has_names ? &query : nullptr, query.alias ? query.alias->aliasname : std::string_view()});
    return;
  }
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_JOIN_EXPR)) return out.push_back({});
  if (node->join_expr->alias != nullptr) return out.push_back({});  // it hides the names of its sides
  add_named_queries(node->join_expr->larg, out);
  add_named_queries(node->join_expr->rarg, out);
}

std::vector<NamedQuery> named_queries_of(const PgQuery__SelectStmt& select) {
  std::vector<NamedQuery> out;
  for (const Node* node : pg::nodes(select.from_clause, select.n_from_clause)) add_named_queries(node, out);
  return out;
}

bool has_shares_of(const Mask& mask, double least_rows) {
  return !mask.shares.columns.empty() && mask.shares.rows >= least_rows;
}

bool names_columns(const Message& node) {
  bool reads = node.descriptor == &pg_query__column_ref__descriptor ||
               node.descriptor == &pg_query__select_stmt__descriptor;
  pg::for_each_child(node, [&](const ProtobufCFieldDescriptor&, const Message& child) {
    reads = reads || names_columns(child);
  });
  return reads;
}

void add_conjuncts(Node* node, std::vector<Node*>& out) {
  if (node == nullptr) return;
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_BOOL_EXPR) ||
      node->bool_expr->boolop != PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR)
    return out.push_back(node);
  for (Node* part : pg::nodes(node->bool_expr->args, node->bool_expr->n_args)) add_conjuncts(part, out);
}

std::string_view operator_of(const PgQuery__AExpr& it) {
  return it.n_name == 0 ? std::string_view() : pg::string_of(it.name[it.n_name - 1]);
}

// The text that the tree has for a constant; empty: it is no plain constant.
std::string constant_text(const Node* constant) {
  const Node* value =
      pg::is_kind(constant, PG_QUERY__NODE__NODE_TYPE_CAST) ? constant->type_cast->arg : constant;
  if (!pg::is_kind(value, PG_QUERY__NODE__NODE_A_CONST) || value->a_const->isnull != 0) return {};
  if (value->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL) return value->a_const->sval->sval;
  if (value->a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL)
    return std::to_string(value->a_const->ival->ival);
  return {};
}

double share_of_value(const ShownShare& share, const Node* value, LiteralTrace* trace) {
  if (share.frequent.empty()) return share.typical;
  if (trace != nullptr) trace->note_read(value);
  const std::string text = constant_text(value);
  if (text.empty()) return share.typical;
  const auto at = share.frequent.find(text);
  return at == share.frequent.end() ? std::min(kOne, share.shown) : at->second;
}

class EstimateWriter {
 public:
  EstimateWriter(std::span<const StandIn> stand_ins, const std::set<const PgQuery__RangeVar*>& look_ups,
                 double least_rows, pg::Arena& arena, LiteralTrace* trace)
      : stand_ins_(stand_ins), look_ups_(look_ups), least_rows_(least_rows), build_(arena), trace_(trace) {}

  void message(const Message& node) {
    if (node.descriptor == &pg_query__select_stmt__descriptor)
      select(reinterpret_cast<const PgQuery__SelectStmt&>(node));
    pg::for_each_child(node, [&](const ProtobufCFieldDescriptor&, const Message& child) { message(child); });
  }

 private:
  // -- where conditions are
  void select(const PgQuery__SelectStmt& node) {
    if (node.op != PG_QUERY__SET_OPERATION__SETOP_NONE || node.n_from_clause == 0) return;
    if (stand_in_of(node) != nullptr) return;
    items_ = named_queries_of(node);
    conditions(node.where_clause);
    for (const Node* from : pg::nodes(node.from_clause, node.n_from_clause)) joins(from);
  }

  // PostgreSQL 15 makes a full join by equalities alone, so its conditions stay as they are.
  void joins(const Node* node) {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_JOIN_EXPR)) return;
    const PgQuery__JoinExpr& join = *node->join_expr;
    joins(join.larg);
    joins(join.rarg);
    if (join.jointype != PG_QUERY__JOIN_TYPE__JOIN_FULL) conditions(join.quals);
  }

  void conditions(Node* where) {
    std::vector<Node*> conjuncts;
    add_conjuncts(where, conjuncts);
    const auto ranges = ranged_columns(conjuncts);
    for (Node* it : conjuncts) {
      if (is_look_up(it)) {
        replace(it, kept_by_all(copy(it)));
      } else if (const auto estimate = estimate_of(it)) {
        const bool is_range = std::ranges::find(ranges, it) != ranges.end();
        // PostgreSQL expects one row in 200 of a lower and an upper bound together.
        write(it, is_range ? Estimate{kOne, kInequality} : *estimate);
      }
    }
  }

  // Bounds of columns that have both a lower and an upper one.
  [[nodiscard]] std::vector<const Node*> ranged_columns(std::span<Node* const> conjuncts) const {
    std::map<std::pair<const void*, std::string_view>, std::pair<std::vector<const Node*>, int>> found;
    for (const Node* it : conjuncts) {
      if (!pg::is_kind(it, PG_QUERY__NODE__NODE_A_EXPR) ||
          it->a_expr->kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP)
        continue;
      const auto op = operator_of(*it->a_expr);
      const bool is_lower = op == ">" || op == ">=";
      const auto column = column_of(it->a_expr->lexpr);
      if (!column || !(is_lower || op == "<" || op == "<=")) continue;
      auto& [bounds, sides] = found[{column->item, column->name}];
      bounds.push_back(it);
      sides |= is_lower ? 1 : 2;
    }
    std::vector<const Node*> out;
    for (const auto& [column, bounds] : found) {
      if (bounds.second == 3) out.insert(out.end(), bounds.first.begin(), bounds.first.end());
    }
    return out;
  }

  // -- columns
  [[nodiscard]] const StandIn* stand_in_of(const PgQuery__SelectStmt& query) const {
    if (query.n_from_clause != 1 || !pg::is_kind(query.from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR))
      return nullptr;
    const auto at = std::ranges::find(stand_ins_, query.from_clause[0]->range_var, &StandIn::name);
    return at == stand_ins_.end() ? nullptr : &*at;
  }

  [[nodiscard]] std::optional<ColumnOfMask> column_of(const Node* node) const {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_COLUMN_REF)) return std::nullopt;
    return column_of(*node->column_ref, items_, 0);
  }

  // A column of a mask, or one that sub-queries hand on as it is.
  [[nodiscard]] std::optional<ColumnOfMask> column_of(const PgQuery__ColumnRef& column,
                                                      std::span<const NamedQuery> items, int depth) const {
    const auto fields = pg::nodes(column.fields, column.n_fields);
    if (fields.empty() || fields.size() > 2 || depth > kDeepestQuery ||
        !pg::is_kind(fields.back(), PG_QUERY__NODE__NODE_STRING))
      return std::nullopt;
    const auto name = pg::string_of(fields.back());
    for (const NamedQuery& item : items) {
      const bool is_it = fields.size() == 2 ? item.alias == pg::string_of(fields[0]) : items.size() == 1;
      if (!is_it || item.query == nullptr) continue;
      if (!pg::is_kind(item.query->subquery, PG_QUERY__NODE__NODE_SELECT_STMT)) return std::nullopt;
      auto found = column_in(*item.query->subquery->select_stmt, name, depth);
      if (found) found->item = item.query;
      if (found) found->name = name;
      return found;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<ColumnOfMask> column_in(const PgQuery__SelectStmt& query, std::string_view name,
                                                      int depth) const {
    if (const StandIn* stand_in = stand_in_of(query)) {
      const Mask& mask = *stand_in->mask;
      if (stand_in->has_renamed_columns || !has_shares_of(mask, least_rows_)) return std::nullopt;
      const auto& columns = mask.shares.columns;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] && mask.may_leave_out(i) && mask.parts.columns[i].name == name)
          return ColumnOfMask{&*columns[i], stand_in, name, nullptr};
      }
      return std::nullopt;
    }
    if (query.op != PG_QUERY__SET_OPERATION__SETOP_NONE || query.n_group_clause > 0 ||
        query.limit_count != nullptr || query.n_values_lists > 0)
      return std::nullopt;
    for (const Node* target : pg::nodes(query.target_list, query.n_target_list)) {
      const Node* value = target->res_target->val;
      if (!pg::is_kind(value, PG_QUERY__NODE__NODE_COLUMN_REF)) continue;
      const PgQuery__ColumnRef& column = *value->column_ref;
      const Node* last = column.n_fields > 0 ? column.fields[column.n_fields - 1] : nullptr;
      if (!pg::is_kind(last, PG_QUERY__NODE__NODE_STRING)) continue;
      const std::string_view given = target->res_target->name;
      if ((given.empty() ? pg::string_of(last) : given) == name)
        return column_of(column, named_queries_of(query), depth + 1);
    }
    return std::nullopt;
  }

  // The masked column that a condition compares with a value of elsewhere.
  [[nodiscard]] std::optional<ColumnOfMask> tested_column(const Node* it) const {
    if (!pg::is_kind(it, PG_QUERY__NODE__NODE_A_EXPR)) return std::nullopt;
    if (const auto left = column_of(it->a_expr->lexpr); left && !names_columns(it->a_expr->rexpr->base))
      return left;
    if (it->a_expr->lexpr == nullptr || names_columns(it->a_expr->lexpr->base)) return std::nullopt;
    return column_of(it->a_expr->rexpr);
  }

  // -- kinds of conditions
  static bool is_equality(const Node* it) {
    return pg::is_kind(it, PG_QUERY__NODE__NODE_A_EXPR) && operator_of(*it->a_expr) == "=";
  }

  // The condition that its look-up repeats.
  [[nodiscard]] bool is_look_up(const Node* it) const {
    const auto column = is_equality(it) ? tested_column(it) : std::nullopt;
    if (!column || !look_ups_.contains(column->stand_in->name)) return false;
    const PgQuery__SelectStmt& query = *column->item->subquery->select_stmt;
    return stand_in_of(query) != nullptr && pg::is_kind(query.where_clause, PG_QUERY__NODE__NODE_A_EXPR) &&
           pg::is_kind(query.where_clause->a_expr->lexpr, PG_QUERY__NODE__NODE_COLUMN_REF) &&
           pg::string_of(query.where_clause->a_expr->lexpr->column_ref->fields[0]) == column->name;
  }

  // -- estimates; nullopt: nothing is known that PostgreSQL does not know better
  [[nodiscard]] std::optional<Estimate> estimate_of(const Node* it) const {
    if (pg::is_kind(it, PG_QUERY__NODE__NODE_BOOL_EXPR)) return estimate_of(*it->bool_expr);
    if (pg::is_kind(it, PG_QUERY__NODE__NODE_NULL_TEST)) {
      const auto column = column_of(it->null_test->arg);
      if (!column) return std::nullopt;
      const Estimate shown{1 - kOne, column->share->shown};
      return it->null_test->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL ? shown : negated(shown);
    }
    if (!pg::is_kind(it, PG_QUERY__NODE__NODE_A_EXPR)) return std::nullopt;
    const auto column = tested_column(it);
    if (!column) return std::nullopt;
    const Node* value = column_of(it->a_expr->lexpr) ? it->a_expr->rexpr : it->a_expr->lexpr;
    return estimate_of(*it->a_expr, *column->share, value);
  }

  static Estimate negated(const Estimate& it) { return {1 - it.planned, 1 - it.likely}; }

  [[nodiscard]] std::optional<Estimate> estimate_of(const PgQuery__BoolExpr& it) const {
    const bool is_and = it.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR;
    if (it.boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR) {
      const auto inner = estimate_of(it.args[0]);
      return inner ? std::optional(negated(*inner)) : std::nullopt;
    }
    Estimate out;
    for (const Node* part : pg::nodes(it.args, it.n_args)) {
      const auto one = estimate_of(part);
      if (!one) return std::nullopt;
      out.planned *= is_and ? one->planned : 1 - one->planned;
      out.likely *= is_and ? one->likely : 1 - one->likely;
    }
    return is_and ? out : negated(out);
  }

  [[nodiscard]] std::optional<Estimate> estimate_of(const PgQuery__AExpr& it, const ShownShare& share,
                                                    const Node* value) const {
    const auto op = operator_of(it);
    switch (it.kind) {
      case PG_QUERY__A__EXPR__KIND__AEXPR_OP: {
        const Estimate one{kOne, share_of_value(share, value, trace_)};
        if (op == "=") return one;
        if (op == "<>") return Estimate{1 - kOne, share.shown - one.likely};
        if (op == "<" || op == "<=" || op == ">" || op == ">=")
          return Estimate{kInequality, share.shown * kInequality};
        return std::nullopt;
      }
      case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
        return negated({kOne, share_of_value(share, value, trace_)});
      case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
        return Estimate{kOne, share_of_value(share, value, trace_)};
      case PG_QUERY__A__EXPR__KIND__AEXPR_IN: {
        Estimate any{0, 0};
        for (const Node* element : pg::nodes(value->list->items, value->list->n_items)) {
          any.planned += kOne;
          any.likely += share_of_value(share, element, trace_);
        }
        any.likely = std::min(any.likely, share.shown);
        if (op == "=") return any;
        return Estimate{std::max(1 - any.planned, kOne), share.shown - any.likely};
      }
      case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
      case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM: return Estimate{kOne, share.shown * kRange};
      case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
      case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
        if (op == "~~" || op == "~~*") return Estimate{kOne, share.shown * kPattern};
        return Estimate{1 - kOne, share.shown * (1 - kPattern)};
      case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
      case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL:
      case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
      case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:
      case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
      case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
      case PG_QUERY__A__EXPR__KIND__A_EXPR_KIND_UNDEFINED:
      case _PG_QUERY__A__EXPR__KIND_IS_INT_SIZE: break;
    }
    return std::nullopt;
  }

  // -- forms
  Node* copy(const Node* node) {
    Node* out = build_.node(node->node_case);
    *out = *node;
    return out;
  }

  static void replace(Node* node, const Node* by) { *node = *by; }

  // PostgreSQL expects that it keeps all rows but one in 200.
  Node* kept_by_all(Node* condition) {
    return build_.operation("<>", build_.cast(condition, build_.type_name("pg_catalog", "int4")),
                            build_.integer_constant(0));
  }

  Node* negation(Node* condition) {
    Node* out = build_.node(PG_QUERY__NODE__NODE_BOOL_EXPR);
    out->bool_expr = build_.make<PgQuery__BoolExpr>(pg_query__bool_expr__descriptor);
    out->bool_expr->boolop = PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR;
    out->bool_expr->args = build_.list({&condition, 1});
    out->bool_expr->n_args = 1;
    return out;
  }

  Node* equal_to(Node* condition, Node* truth) {
    Node* const arguments[] = {condition, truth};
    return build_.call("booleq", arguments);
  }

  // The condition in a form that keeps about this share of the rows, as PostgreSQL sees it.
  Node* keeping(Node* condition, double share) {
    if (share > 0.82) return kept_by_all(condition);
    if (share > 0.47) return negation(equal_to(condition, build_.false_constant()));
    if (share > 0.2) return equal_to(condition, build_.true_constant());
    const auto times = std::max(1, static_cast<int>(std::lround(share / kOne)));
    std::string ones = "{1";
    for (int i = 1; i < times; ++i) ones += ",1";
    return build_.equals_any(
        build_.cast(condition, build_.type_name("pg_catalog", "int4")),
        build_.cast(build_.string_constant(ones + "}"), build_.type_name("pg_catalog", "int4", true)));
  }

  void write(Node* node, const Estimate& estimate) {
    const double likely = std::clamp(estimate.likely, kOne, 1 - kOne);
    if (likely <= estimate.planned * kTolerance) return;
    replace(node, keeping(copy(node), likely));
  }

  std::span<const StandIn> stand_ins_;
  const std::set<const PgQuery__RangeVar*>& look_ups_;
  double least_rows_;
  pg::Builder build_;
  LiteralTrace* trace_;            // null: nobody asks
  std::vector<NamedQuery> items_;  // of the query whose conditions are written
};

}  // namespace

void put_estimates(const Message& statement, std::span<const StandIn> stand_ins,
                   const std::set<const PgQuery__RangeVar*>& look_ups, Estimates estimates, pg::Arena& arena,
                   LiteralTrace* trace) {
  const double least = estimates == Estimates::large_tables ? kLeastRows : 0;
  const auto has_shares = [&](const StandIn& it) { return has_shares_of(*it.mask, least); };
  if (estimates == Estimates::none || std::ranges::none_of(stand_ins, has_shares)) return;
  EstimateWriter(stand_ins, look_ups, least, arena, trace).message(statement);
}

}  // namespace pgveil::rewriter
