#include "rewriter/used_columns.hpp"

#include <algorithm>

#include "rewriter/pg/fields.hpp"

namespace pgveil::rewriter {
namespace {

using Message = ProtobufCMessage;

class Collector {
 public:
  void message(const Message& node) {
    const std::string_view kind(node.descriptor->short_name);
    if (kind == "RangeVar") return relation(reinterpret_cast<const PgQuery__RangeVar&>(node));
    if (kind == "ColumnRef") return column(reinterpret_cast<const PgQuery__ColumnRef&>(node));
    if (kind == "AStar") uses_all_ = true;  // (record).*
    if (kind == "JoinExpr") join(reinterpret_cast<const PgQuery__JoinExpr&>(node));
    if (kind == "Alias") row_names_.insert(reinterpret_cast<const PgQuery__Alias&>(node).aliasname);
    if (kind == "SelectStmt" && is_stand_in(reinterpret_cast<const PgQuery__SelectStmt&>(node))) return;
    pg::for_each_child(node, [&](const ProtobufCFieldDescriptor&, const Message& child) { message(child); });
  }

  [[nodiscard]] std::optional<std::set<std::string_view>> take() {
    const bool has_whole_row =
        std::ranges::any_of(row_names_, [&](std::string_view name) { return columns_.contains(name); });
    if (uses_all_ || has_whole_row) return std::nullopt;
    return std::move(columns_);
  }

 private:
  static bool is_stand_in(const PgQuery__SelectStmt& select) {
    return select.n_from_clause == 1 && pg::is_kind(select.from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR) &&
           select.from_clause[0]->range_var->schemaname == kStandInSchema;
  }

  void relation(const PgQuery__RangeVar& range) {
    row_names_.insert(range.relname);
    if (range.alias != nullptr) message(range.alias->base);
  }

  void column(const PgQuery__ColumnRef& column) {
    for (const pg::Node* field : pg::nodes(column.fields, column.n_fields)) {
      if (pg::is_kind(field, PG_QUERY__NODE__NODE_A_STAR)) uses_all_ = true;
    }
    if (column.n_fields > 0) columns_.insert(pg::string_of(column.fields[column.n_fields - 1]));
  }

  void join(const PgQuery__JoinExpr& join) {
    if (join.is_natural != 0 || (join.alias != nullptr && join.alias->n_colnames > 0)) uses_all_ = true;
    for (const pg::Node* name : pg::nodes(join.using_clause, join.n_using_clause))
      columns_.insert(pg::string_of(name));
  }

  std::set<std::string_view> columns_;
  std::set<std::string_view> row_names_;  // what a name of a column would mean as a whole row
  bool uses_all_ = false;
};

}  // namespace

std::optional<std::set<std::string_view>> used_column_names(const ProtobufCMessage& statement) {
  Collector collector;
  collector.message(statement);
  return collector.take();
}

void leave_out_unused(const ProtobufCMessage& statement, std::span<const StandIn> stand_ins,
                      pg::Arena& arena) {
  if (stand_ins.empty()) return;
  const auto used = used_column_names(statement);
  if (!used) return;
  for (const StandIn& stand_in : stand_ins) {
    if (stand_in.has_renamed_columns) continue;
    StandInName name{.oid = stand_in.mask->table_oid, .left_out = {}};
    for (std::size_t i = 0; i < stand_in.mask->left_out.size(); ++i) {
      const char* column = stand_in.mask->select->target_list[i]->res_target->name;
      if (stand_in.mask->left_out[i] != nullptr && !used->contains(column)) name.left_out.push_back(i);
    }
    stand_in.name->relname = arena.copy(print_name(name));
  }
}

}  // namespace pgveil::rewriter
