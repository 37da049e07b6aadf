#include "rewriter/pipeline/used_columns.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "pg/fields.hpp"
#include "rewriter/mask/mask_form.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/pipeline/find_look_ups.hpp"
#include "rewriter/pipeline/put_estimates.hpp"
#include "rewriter/pipeline/whole_reads.hpp"

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
    if (kind == "RangeSubselect" && follows(reinterpret_cast<const PgQuery__RangeSubselect&>(node))) return;
    if (kind == "SelectStmt" && is_stand_in(reinterpret_cast<const PgQuery__SelectStmt&>(node))) return;
    const bool was_in_call = is_in_call_, was_in_groups = is_in_groups_;
    is_in_call_ = was_in_call || kind == "FuncCall";
    pg::for_each_child(node, [&](const ProtobufCFieldDescriptor& field, const Message& child) {
      const std::string_view name(field.name);
      is_in_groups_ = was_in_groups || name == "group_clause" || name == "sort_clause";
      message(child);
    });
    is_in_call_ = was_in_call, is_in_groups_ = was_in_groups;
  }

  [[nodiscard]] std::optional<ColumnUses> take() {
    settle_targets();
    const bool has_whole_row =
        std::ranges::any_of(row_names_, [&](std::string_view name) { return calls_.contains(name); });
    if (uses_all_ || has_whole_row) return std::nullopt;
    for (auto& [name, calls] : calls_) calls = std::max<std::size_t>(calls, 1);
    return std::move(calls_);
  }

 private:
  static bool is_stand_in(const PgQuery__SelectStmt& select) {
    return select.n_from_clause == 1 && pg::is_kind(select.from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR) &&
           select.from_clause[0]->range_var->schemaname == kStandInSchema;
  }

  // A target of FROM (SELECT …) AS v(names) that is a single column, as in many views. The column is used if
  // its name outside is used, or its name inside, because ORDER BY may mean that one.
  struct Target {
    std::string_view outside;
    std::string_view inside;
    const PgQuery__ColumnRef* column = nullptr;  // null: already counted as used
  };

  // False: count the names in it like any others.
  bool follows(const PgQuery__RangeSubselect& item) {
    if (item.alias == nullptr || !pg::is_kind(item.subquery, PG_QUERY__NODE__NODE_SELECT_STMT)) return false;
    const PgQuery__SelectStmt& select = *item.subquery->select_stmt;
    if (is_stand_in(select) || !is_plain(select) || item.alias->n_colnames < select.n_target_list)
      return false;
    message(item.alias->base);
    pg::for_each_child(select.base, [&](const ProtobufCFieldDescriptor& field, const Message& child) {
      if (std::string_view(field.name) != "target_list") message(child);
    });
    for (std::size_t i = 0; i < select.n_target_list; ++i) {
      const PgQuery__ResTarget& target = *select.target_list[i]->res_target;
      if (is_column(target.val))
        targets_.push_back({pg::string_of(item.alias->colnames[i]), target.name, target.val->column_ref});
      else
        message(target.base);
    }
    return true;
  }

  static bool is_column(const pg::Node* value) {
    if (!pg::is_kind(value, PG_QUERY__NODE__NODE_COLUMN_REF)) return false;
    const PgQuery__ColumnRef& column = *value->column_ref;
    return pg::is_kind(column.fields[column.n_fields - 1], PG_QUERY__NODE__NODE_STRING);  // not p.*
  }

  // Only names may decide which of its targets are used: no DISTINCT, no positions, no set operations.
  static bool is_plain(const PgQuery__SelectStmt& select) {
    if (select.op != PG_QUERY__SET_OPERATION__SETOP_NONE || select.n_values_lists > 0 ||
        select.n_distinct_clause > 0)
      return false;
    const auto is_named = [](const pg::Node* node) {
      return !pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) &&
             !pg::is_kind(node, PG_QUERY__NODE__NODE_GROUPING_SET);
    };
    const auto sorts = pg::nodes(select.sort_clause, select.n_sort_clause);
    return std::ranges::all_of(pg::nodes(select.group_clause, select.n_group_clause), is_named) &&
           std::ranges::all_of(sorts, [&](const pg::Node* item) { return is_named(item->sort_by->node); });
  }

  // Repeats, because a used column may itself be a target of another such sub-query.
  void settle_targets() {
    for (bool has_found = true; has_found;) {
      has_found = false;
      for (Target& target : targets_) {
        if (target.column == nullptr) continue;
        if (!calls_.contains(target.outside) && !calls_.contains(target.inside)) continue;
        column(*std::exchange(target.column, nullptr));
        has_found = true;
      }
    }
  }

  void relation(const PgQuery__RangeVar& range) {
    row_names_.insert(range.relname);
    if (range.alias != nullptr) message(range.alias->base);
  }

  void column(const PgQuery__ColumnRef& column) {
    for (const pg::Node* field : pg::nodes(column.fields, column.n_fields)) {
      if (pg::is_kind(field, PG_QUERY__NODE__NODE_A_STAR)) uses_all_ = true;
    }
    if (column.n_fields > 0)
      calls_[pg::string_of(column.fields[column.n_fields - 1])] += is_in_call_ && !is_in_groups_ ? 1 : 0;
  }

  void join(const PgQuery__JoinExpr& join) {
    if (join.is_natural != 0 || (join.alias != nullptr && join.alias->n_colnames > 0)) uses_all_ = true;
    for (const pg::Node* name : pg::nodes(join.using_clause, join.n_using_clause))
      calls_.try_emplace(pg::string_of(name));
  }

  ColumnUses calls_;  // that read a column, by its name
  bool is_in_call_ = false;
  bool is_in_groups_ = false;  // in GROUP BY or ORDER BY
  std::vector<Target> targets_;
  std::set<std::string_view> row_names_;  // names that could be a column or a whole row
  bool uses_all_ = false;
};

// Per target of the mask; 0: it is left out. used: null: every column is used.
std::vector<std::size_t> uses_of(const Mask& mask, const ColumnUses* used) {
  std::vector<std::size_t> uses(mask.parts.columns.size(), 1);
  if (used == nullptr) return uses;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const auto found = used->find(mask.parts.columns[i].name);
    if (found != used->end())
      uses[i] = found->second;
    else if (mask.may_leave_out(i))
      uses[i] = 0;
  }
  return uses;
}

std::vector<std::size_t> unused(std::span<const std::size_t> uses) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == 0) out.push_back(i);
  }
  return out;
}

enum class Read { whole, by_key, in_another_way };

MaskForm form_of(const Mask& mask, std::span<const std::size_t> uses, MaskChoice choice, Read read) {
  switch (choice) {
    case MaskChoice::by_column: return MaskForm::by_column;
    case MaskChoice::by_row: return mask.by_row ? MaskForm::by_row : MaskForm::by_column;
    case MaskChoice::by_bitmap: return mask.by_bitmap ? MaskForm::by_bitmap : MaskForm::by_column;
    case MaskChoice::cheapest: break;
  }
  if (read == Read::whole && mask.by_row) return cheaper_form(mask.costs, uses);
  if (read == Read::by_key && mask.by_bitmap) return cheaper_form_of_one_row(mask.costs, uses);
  return MaskForm::by_column;
}

}  // namespace

std::optional<ColumnUses> used_columns(const ProtobufCMessage& statement) {
  Collector collector;
  collector.message(statement);
  return collector.take();
}

void choose_masks(const ProtobufCMessage& statement, std::span<const StandIn> stand_ins, MaskChoices choices,
                  pg::Arena& arena, LiteralTrace* trace) {
  if (stand_ins.empty()) return;
  const auto used = used_columns(statement);
  const auto whole = whole_reads(statement, stand_ins);
  const auto found = put_look_ups(statement, stand_ins, arena, trace);
  put_estimates(statement, stand_ins, found.look_ups, choices.estimates, arena, trace);
  for (const StandIn& stand_in : stand_ins) {
    const Mask& mask = *stand_in.mask;
    StandInName name{.oid = mask.table_oid, .form = MaskForm::by_column, .left_out = {}};
    const auto uses = uses_of(mask, used && !stand_in.has_renamed_columns ? &*used : nullptr);
    name.left_out = unused(uses);
    if (!found.look_ups.contains(stand_in.name)) {
      const Read read = found.by_key.contains(stand_in.name) ? Read::by_key
                        : whole.contains(stand_in.name)      ? Read::whole
                                                             : Read::in_another_way;
      name.form = form_of(mask, uses, choices.form, read);
    }
    stand_in.name->relname = arena.copy(print_name(name));
  }
}

}  // namespace pgveil::rewriter
