#include "rewriter/pipeline/whole_reads.hpp"

#include <algorithm>
#include <string_view>

#include "pg/fields.hpp"

namespace pgveil::rewriter {
namespace {

using Message = ProtobufCMessage;

bool is_kind(const Message& node, std::string_view kind) {
  return node.descriptor->short_name == kind;
}

template <class IsFound>
bool holds(const Message& node, const IsFound& is_found) {
  if (is_found(node)) return true;
  bool found = false;
  pg::for_each_child(node, [&](const ProtobufCFieldDescriptor&, const Message& child) {
    found = found || holds(child, is_found);
  });
  return found;
}

// PostgreSQL reads min(id) from the end of an index.
bool is_min_or_max(const Message& node) {
  if (!is_kind(node, "FuncCall")) return false;
  const auto& call = reinterpret_cast<const PgQuery__FuncCall&>(node);
  const auto name = pg::string_of(call.funcname[call.n_funcname - 1]);
  return name == "min" || name == "max";
}

// FROM (SELECT * FROM "pgveil mask"."16385") AS people alone; null: FROM has anything else.
const PgQuery__RangeVar* only_item(const PgQuery__SelectStmt& select) {
  if (select.n_from_clause != 1 || !pg::is_kind(select.from_clause[0], PG_QUERY__NODE__NODE_RANGE_SUBSELECT))
    return nullptr;
  const pg::Node* query = select.from_clause[0]->range_subselect->subquery;
  if (!pg::is_kind(query, PG_QUERY__NODE__NODE_SELECT_STMT) || query->select_stmt->n_from_clause != 1 ||
      !pg::is_kind(query->select_stmt->from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR)) {
    return nullptr;
  }
  return query->select_stmt->from_clause[0]->range_var;
}

class Reads {
 public:
  explicit Reads(std::span<const StandIn> stand_ins) : stand_ins_(stand_ins) {}

  void message(const Message& node, bool is_statement) {
    if (is_kind(node, "CommonTableExpr")) return;
    if (is_kind(node, "SelectStmt")) {
      select(reinterpret_cast<const PgQuery__SelectStmt&>(node), is_statement);
      is_statement = false;
    }
    pg::for_each_child(
        node, [&](const ProtobufCFieldDescriptor&, const Message& child) { message(child, is_statement); });
  }

  [[nodiscard]] std::set<const PgQuery__RangeVar*> take() { return std::move(found_); }

 private:
  void select(const PgQuery__SelectStmt& node, bool is_statement) {
    const PgQuery__RangeVar* item = only_item(node);
    if (item == nullptr) return;
    const auto stand_in =
        std::ranges::find_if(stand_ins_, [&](const StandIn& it) { return it.name == item; });
    if (stand_in != stand_ins_.end() && reads_to_the_end(node, is_statement, *stand_in->mask))
      found_.insert(item);
  }

  static bool reads_to_the_end(const PgQuery__SelectStmt& node, bool is_statement, const Mask& mask) {
    const auto is_sub_query = [](const Message& it) { return is_kind(it, "SubLink"); };
    if (node.where_clause != nullptr && holds(node.where_clause->base, is_sub_query)) return false;
    const bool is_limited = node.limit_count != nullptr || node.limit_offset != nullptr;
    if (is_limited) return groups_by_masked_columns(node, mask);
    if (node.n_group_clause > 0 || node.n_distinct_clause > 0) return true;
    return is_statement && node.n_sort_clause == 0 && !holds(node.base, is_min_or_max) &&
           !asks_visible_columns(node, mask);
  }

  // A condition on another column may leave only a few rows, found by an index. Then the shorter text is
  // better.
  static bool asks_visible_columns(const PgQuery__SelectStmt& node, const Mask& mask) {
    const auto is_visible = [&](const Message& it) {
      return is_kind(it, "ColumnRef") && !is_masked(reinterpret_cast<const PgQuery__ColumnRef&>(it), mask);
    };
    return node.where_clause != nullptr && holds(node.where_clause->base, is_visible);
  }

  static bool is_masked(const PgQuery__ColumnRef& column, const Mask& mask) {
    const pg::Node* name = column.fields[column.n_fields - 1];
    if (!pg::is_kind(name, PG_QUERY__NODE__NODE_STRING)) return false;
    for (std::size_t i = 0; i < mask.parts.columns.size(); ++i) {
      if (mask.may_leave_out(i) && mask.parts.columns[i].name == pg::string_of(name)) return true;
    }
    return false;
  }

  static bool groups_by_masked_columns(const PgQuery__SelectStmt& node, const Mask& mask) {
    const auto is_masked_column = [&](const pg::Node* item) {
      if (pg::is_kind(item, PG_QUERY__NODE__NODE_A_CONST)) item = target_at(node, *item->a_const);
      return item != nullptr && pg::is_kind(item, PG_QUERY__NODE__NODE_COLUMN_REF) &&
             is_masked(*item->column_ref, mask);
    };
    const auto items = pg::nodes(node.group_clause, node.n_group_clause);
    return !items.empty() && std::ranges::all_of(items, is_masked_column);
  }

  // GROUP BY 1
  static const pg::Node* target_at(const PgQuery__SelectStmt& node, const PgQuery__AConst& position) {
    if (position.val_case != PG_QUERY__A__CONST__VAL_IVAL || position.ival->ival < 1 ||
        static_cast<std::size_t>(position.ival->ival) > node.n_target_list) {
      return nullptr;
    }
    return node.target_list[position.ival->ival - 1]->res_target->val;
  }

  std::span<const StandIn> stand_ins_;
  std::set<const PgQuery__RangeVar*> found_;
};

}  // namespace

std::set<const PgQuery__RangeVar*> whole_reads(const ProtobufCMessage& statement,
                                               std::span<const StandIn> stand_ins) {
  Reads reads(stand_ins);
  reads.message(statement, true);
  return reads.take();
}

}  // namespace pgveil::rewriter
