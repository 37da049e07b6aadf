#include "rewriter/pipeline/find_look_ups.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "pg/fields.hpp"
#include "rewriter/mask/look_up.hpp"

namespace pgveil::rewriter {
namespace {

using Message = ProtobufCMessage;
using pg::Node;

// For more rows than this a scan is faster, or the statement may not want all of them (LIMIT, a join by a
// key).
constexpr double kFewRows = 1'000;
constexpr double kShare = 0.05;
constexpr std::size_t kMostConstants = 100;
constexpr std::size_t kMostBytes = 64 * 1024;

bool is_equality(const PgQuery__AExpr& it) {
  const bool is_ours = it.n_name == 1 || (it.n_name == 2 && pg::string_of(it.name[0]) == "pg_catalog");
  return is_ours && pg::string_of(it.name[it.n_name - 1]) == "=";
}

using Conditions = std::vector<const Node*>;

// A sub-query of FROM with the conditions that see it and that each of its rows must meet to be in the
// answer.
struct Item {
  const PgQuery__RangeSubselect* query = nullptr;
  Conditions conditions;
  bool is_alone = false;  // unqualified names are its columns
};

void add_condition(const Node* node, Conditions& out) {
  if (node == nullptr) return;
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_BOOL_EXPR) ||
      node->bool_expr->boolop != PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR)
    return out.push_back(node);
  for (const Node* part : pg::nodes(node->bool_expr->args, node->bool_expr->n_args)) add_condition(part, out);
}

// conditions: those of WHERE and of the inner joins around the node. Conditions of a join beside it see other
// relations, or relations of an outer query with the same name.
void add_items(const Node* node, Conditions conditions, std::vector<Item>& out) {
  if (pg::is_kind(node, PG_QUERY__NODE__NODE_RANGE_SUBSELECT))
    return out.push_back({.query = node->range_subselect, .conditions = std::move(conditions)});
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_JOIN_EXPR)) return;
  const PgQuery__JoinExpr& join = *node->join_expr;
  if (join.alias != nullptr) return;  // its own name hides those of its sides
  const bool is_inner = join.jointype == PG_QUERY__JOIN_TYPE__JOIN_INNER;
  if (is_inner) add_condition(join.quals, conditions);
  if (is_inner || join.jointype == PG_QUERY__JOIN_TYPE__JOIN_LEFT) add_items(join.larg, conditions, out);
  if (is_inner || join.jointype == PG_QUERY__JOIN_TYPE__JOIN_RIGHT) add_items(join.rarg, conditions, out);
}

std::vector<Item> items_of(const PgQuery__SelectStmt& select) {
  Conditions where;
  add_condition(select.where_clause, where);
  std::vector<Item> out;
  for (const Node* node : pg::nodes(select.from_clause, select.n_from_clause)) add_items(node, where, out);
  if (select.n_from_clause == 1 && pg::is_kind(select.from_clause[0], PG_QUERY__NODE__NODE_RANGE_SUBSELECT))
    out.front().is_alone = true;
  return out;
}

// A column of one item that is alone on one side, and the value that it must equal.
struct Equality {
  std::string_view column;
  std::vector<Node*> others;
};

// Whether it can be looked up at all, or read by its key.
bool has_keys(const StandIn& stand_in) {
  const Mask& mask = *stand_in.mask;
  return !stand_in.has_renamed_columns && (!mask.look_ups.columns.empty() || !mask.visible_key.empty());
}

class Finder {
 public:
  Finder(const Message& statement, std::span<const StandIn> stand_ins, pg::Arena& arena, LiteralTrace* trace)
      : stand_ins_(stand_ins), build_(arena), trace_(trace) {
    count_parameters(statement);
  }

  void message(const Message& node) {
    if (node.descriptor == &pg_query__select_stmt__descriptor)
      select(reinterpret_cast<const PgQuery__SelectStmt&>(node));
    const bool was_repeated = is_repeated_;
    is_repeated_ = was_repeated || can_be_repeated(node);
    pg::for_each_child(node, [&](const ProtobufCFieldDescriptor&, const Message& child) { message(child); });
    is_repeated_ = was_repeated;
  }

  [[nodiscard]] FoundReads take() { return std::move(found_); }

 private:
  // A sub-query that may run once for each row of another one.
  static bool can_be_repeated(const Message& node) {
    return node.descriptor == &pg_query__sub_link__descriptor ||
           node.descriptor == &pg_query__common_table_expr__descriptor ||
           (node.descriptor == &pg_query__range_subselect__descriptor &&
            reinterpret_cast<const PgQuery__RangeSubselect&>(node).lateral != 0);
  }

  void count_parameters(const Message& node) {
    if (node.descriptor == &pg_query__param_ref__descriptor)
      ++parameters_[reinterpret_cast<const PgQuery__ParamRef&>(node).number];
    pg::for_each_child(
        node, [&](const ProtobufCFieldDescriptor&, const Message& child) { count_parameters(child); });
  }

  void select(const PgQuery__SelectStmt& node) {
    if (node.op != PG_QUERY__SET_OPERATION__SETOP_NONE || node.n_from_clause == 0) return;
    for (const Item& item : items_of(node)) {
      const StandIn* stand_in = stand_in_of(*item.query);
      if (stand_in != nullptr) look_up(*stand_in, item, node.limit_count != nullptr);
    }
  }

  [[nodiscard]] const StandIn* stand_in_of(const PgQuery__RangeSubselect& item) const {
    if (!pg::is_kind(item.subquery, PG_QUERY__NODE__NODE_SELECT_STMT) || item.alias == nullptr)
      return nullptr;
    const PgQuery__SelectStmt& query = *item.subquery->select_stmt;
    if (query.n_from_clause != 1 || !pg::is_kind(query.from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR))
      return nullptr;
    const auto at = std::ranges::find(stand_ins_, query.from_clause[0]->range_var, &StandIn::name);
    return at != stand_ins_.end() && has_keys(*at) ? &*at : nullptr;
  }

  void look_up(const StandIn& stand_in, const Item& item, bool is_limited) {
    const Mask& mask = *stand_in.mask;
    std::vector<Equality> equalities;
    for (const Node* condition : item.conditions) {
      if (auto equality = equality_of(condition, item)) equalities.push_back(std::move(*equality));
    }
    if (!is_repeated_ && is_by_key(mask, equalities)) found_.by_key.insert(stand_in.name);
    if (mask.look_ups.columns.empty()) return;
    double most = most_rows(mask.look_ups, equalities, is_limited);
    const Equality* best = nullptr;
    for (const Equality& equality : equalities) {
      const double rows = rows_of(mask, equality);
      if (rows > most) continue;
      most = rows;
      best = &equality;
    }
    if (best == nullptr) return;
    put_condition(*item.query->subquery->select_stmt, best->column, best->others, build_);
    found_.look_ups.insert(stand_in.name);
    found_.by_key.erase(stand_in.name);
  }

  static bool is_by_key(const Mask& mask, std::span<const Equality> equalities) {
    const auto is_given = [&](const std::string& column) {
      return std::ranges::any_of(equalities, [&](const Equality& it) {
        return it.column == column && it.others.size() == 1 && !reads_columns(it.others.front()->base);
      });
    };
    return !mask.visible_key.empty() && std::ranges::all_of(mask.visible_key, is_given);
  }

  // A look-up that may find more rows than this is worse than other plans of PostgreSQL. Negative: any
  // look-up is.
  static double most_rows(const LookUpColumns& look_ups, std::span<const Equality> equalities,
                          bool is_limited) {
    const double share = kShare * static_cast<double>(look_ups.rows);
    double most = is_limited ? kFewRows : std::max(kFewRows, share);
    for (const Equality& equality : equalities) {
      if (!look_ups.visible_keys.contains(equality.column)) continue;
      const auto joins = [](const Node* other) { return reads_columns(other->base); };
      most = std::ranges::any_of(equality.others, joins) ? std::min(most, kFewRows) : -1;
      if (most < 0) return most;
    }
    return most;
  }

  static bool reads_columns(const Message& node) {
    bool reads = node.descriptor == &pg_query__column_ref__descriptor;
    pg::for_each_child(node, [&](const ProtobufCFieldDescriptor&, const Message& child) {
      reads = reads || reads_columns(child);
    });
    return reads;
  }

  // The column of the item that the node names; empty: it names none.
  static std::string_view column_of(const Node* node, const Item& item) {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_COLUMN_REF)) return {};
    const auto fields = pg::nodes(node->column_ref->fields, node->column_ref->n_fields);
    if (fields.size() == 1 && item.is_alone) return pg::string_of(fields[0]);
    if (fields.size() == 2 && pg::string_of(fields[0]) == item.query->alias->aliasname)
      return pg::string_of(fields[1]);
    return {};
  }

  static std::optional<Equality> equality_of(const Node* node, const Item& item) {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_EXPR) || !is_equality(*node->a_expr)) return std::nullopt;
    const PgQuery__AExpr& it = *node->a_expr;
    Equality out{.column = column_of(it.lexpr, item), .others = {}};
    if (it.kind == PG_QUERY__A__EXPR__KIND__AEXPR_IN) {
      for (Node* const element : pg::nodes(it.rexpr->list->items, it.rexpr->list->n_items))
        out.others.push_back(element);
    } else if (it.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP && it.lexpr != nullptr) {
      const bool is_left = !out.column.empty();
      if (!is_left) out.column = column_of(it.rexpr, item);
      out.others = {is_left ? it.rexpr : it.lexpr};
    } else {
      return std::nullopt;
    }
    if (out.column.empty() || out.others.empty()) return std::nullopt;
    return out;
  }

  // The number of rows that such a look-up is expected to find; more than any table has if it cannot be a
  // look-up.
  [[nodiscard]] double rows_of(const Mask& mask, const Equality& equality) const {
    constexpr double kNever = 1e300;
    const auto position = position_of(mask, equality.column);
    if (!position || !mask.look_ups.columns[*position]) return kNever;
    const LookUpColumn& column = *mask.look_ups.columns[*position];
    const std::size_t count = equality.others.size();
    if (count > kMostConstants || look_up_bytes(column, count) > kMostBytes) return kNever;
    double rows = 0;
    for (const Node* other : equality.others) {
      if (!is_constant(other, column)) return kNever;
      rows += rows_of(other, column);
    }
    return rows;
  }

  static std::optional<std::size_t> position_of(const Mask& mask, std::string_view column) {
    for (std::size_t i = 0; i < mask.parts.columns.size(); ++i) {
      if (mask.parts.columns[i].name == column) return i;
    }
    return std::nullopt;
  }

  // A constant must have the column's own type wherever it stands, so that it means the same beside the raw
  // column's values. A parameter that also stands elsewhere might get another type because the server sees it
  // here first.
  [[nodiscard]] bool is_constant(const Node* node, const LookUpColumn& column) const {
    if (pg::is_kind(node, PG_QUERY__NODE__NODE_PARAM_REF)) {
      const auto at = parameters_.find(node->param_ref->number);
      return at != parameters_.end() && at->second == 1;
    }
    if (pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) {
      const Node* value = node->type_cast->arg;
      const bool is_text =
          pg::is_kind(value, PG_QUERY__NODE__NODE_A_CONST) && is_text_constant(*value->a_const);
      const bool is_parameter = pg::is_kind(value, PG_QUERY__NODE__NODE_PARAM_REF);
      return (is_text || (is_parameter && is_constant(value, column))) &&
             is_type(*node->type_cast->type_name, column);
    }
    return pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) && is_constant_of(*node->a_const, column);
  }

  static bool is_text_constant(const PgQuery__AConst& it) {
    return it.isnull == 0 && it.val_case == PG_QUERY__A__CONST__VAL_SVAL;
  }

  static bool is_type(const PgQuery__TypeName& type, const LookUpColumn& column) {
    if (type.n_names != 2 || type.n_typmods > 0 || type.n_array_bounds > 0 || type.setof != 0) return false;
    const auto schema = pg::string_of(type.names[0]);
    const auto name = pg::string_of(type.names[1]);
    if (schema != column.type_schema) return false;
    return name == column.type_name ||
           (column.type_name == "text" && schema == "pg_catalog" && name == "varchar");
  }

  static bool is_constant_of(const PgQuery__AConst& it, const LookUpColumn& column) {
    if (it.isnull != 0) return false;
    const auto is_one_of = [&](std::initializer_list<std::string_view> types) {
      return column.type_schema == "pg_catalog" && std::ranges::find(types, column.type_name) != types.end();
    };
    switch (it.val_case) {
      case PG_QUERY__A__CONST__VAL_SVAL: return true;
      case PG_QUERY__A__CONST__VAL_IVAL: return is_one_of({"int2", "int4", "int8", "numeric"});
      case PG_QUERY__A__CONST__VAL_FVAL: return is_one_of({"numeric"});
      case PG_QUERY__A__CONST__VAL_BOOLVAL: return is_one_of({"bool"});
      case PG_QUERY__A__CONST__VAL_BSVAL:
      case PG_QUERY__A__CONST__VAL__NOT_SET:
      case _PG_QUERY__A__CONST__VAL__CASE_IS_INT_SIZE: break;
    }
    return false;
  }

  // A value that is not known may be the value of any row.
  [[nodiscard]] double rows_of(const Node* constant, const LookUpColumn& column) const {
    if (column.rows.empty()) return 0;
    if (trace_ != nullptr) trace_->note_read(constant);
    const Node* value =
        pg::is_kind(constant, PG_QUERY__NODE__NODE_TYPE_CAST) ? constant->type_cast->arg : constant;
    if (pg::is_kind(value, PG_QUERY__NODE__NODE_A_CONST)) {
      const PgQuery__AConst& it = *value->a_const;
      const std::string text = is_text_constant(it)                          ? it.sval->sval
                               : it.val_case == PG_QUERY__A__CONST__VAL_IVAL ? std::to_string(it.ival->ival)
                                                                             : std::string();
      if (const auto at = column.rows.find(text); at != column.rows.end())
        return static_cast<double>(at->second);
    }
    double sum = 0;
    double squares = 0;
    for (const auto& [text, rows] : column.rows) {
      sum += static_cast<double>(rows);
      squares += static_cast<double>(rows) * static_cast<double>(rows);
    }
    return sum == 0 ? 0 : squares / sum;
  }

  std::span<const StandIn> stand_ins_;
  pg::Builder build_;
  LiteralTrace* trace_;            // null: nobody asks
  std::map<int, int> parameters_;  // how often each occurs in the statement
  bool is_repeated_ = false;       // the node that is visited may be
  FoundReads found_;
};

}  // namespace

FoundReads put_look_ups(const Message& statement, std::span<const StandIn> stand_ins, pg::Arena& arena,
                        LiteralTrace* trace) {
  if (std::ranges::none_of(stand_ins, has_keys)) return {};
  Finder finder(statement, stand_ins, arena, trace);
  finder.message(statement);
  return finder.take();
}

}  // namespace pgveil::rewriter
