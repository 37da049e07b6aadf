#include "rewriter/mask/mask_row.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "policy/spec/spec.hpp"
#include "policy/tree/released_together.hpp"
#include "rewriter/mask/mask_level.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

bool is_decided(const PgQuery__SelectStmt& by_column, std::size_t position) {
  return pg::is_kind(by_column.target_list[position]->res_target->val, PG_QUERY__NODE__NODE_CASE_EXPR);
}

Node* bits(std::uint64_t released, pg::Builder& build) {
  return build.integer_constant(static_cast<int>(released));
}

std::vector<pg::Builder::When> arms_of(const policy::RowDecision& decision, const TreeColumns& tree_columns,
                                       pg::Builder& build) {
  std::vector<pg::Builder::When> out;
  for (const policy::RowArm& arm : decision.arms) {
    out.push_back({is_one_of(arm.attribute, arm.values, tree_columns, build),
                   released_bits(arm.then.front(), tree_columns, build)});
  }
  return out;
}

// Never true; see the header.
pg::Builder::When fence(pg::Builder& build) {
  Node* const never[] = {build.false_constant(), build.is_null(build.call("clock_timestamp", {}))};
  return {build.all_of(never), bits(0, build)};
}

// Selects the raw columns that are read, and the decision.
PgQuery__SelectStmt* inner_select(const RowNumber& number, const TreeColumns& tree_columns,
                                  const Relation& relation, const PgQuery__SelectStmt& by_column,
                                  pg::Builder& build) {
  std::vector<Node*> targets;
  for (std::size_t i = 0; i < relation.columns.size(); ++i) {
    const Column& column = relation.columns[i];
    const bool is_raw =
        pg::is_kind(by_column.target_list[i]->res_target->val, PG_QUERY__NODE__NODE_COLUMN_REF);
    const bool is_in_tree = std::ranges::find(tree_columns.columns, &column) != tree_columns.columns.end();
    if (is_raw || is_in_tree)
      targets.push_back(build.target(build.column({kMaskAlias, column.name}), column.name));
  }
  std::vector<pg::Builder::When> arms{fence(build)};
  arms.insert(arms.end(), number.arms.begin(), number.arms.end());
  targets.push_back(build.target(build.searched_case(arms, number.otherwise), kShownColumn));
  return build.select(targets, build.relation(relation.schema, relation.name, kMaskAlias), nullptr);
}

// What a level shows where it is released: the constant whose pre-image contains the row.
Node* level_value(std::size_t attribute, const policy::DisclosureTree& tree, const TreeColumns& tree_columns,
                  Node* hidden, pg::Builder& build) {
  const auto number = static_cast<std::uint32_t>(attribute);
  std::vector<pg::Builder::When> arms;
  for (const std::string& value : policy::values_released(tree, number)) {
    arms.push_back({is_one_of(number, std::span(&value, 1), tree_columns, build),
                    level_constant(attribute, value, tree_columns, build)});
  }
  return arms.empty() ? hidden : build.searched_case(arms, hidden);
}

}  // namespace

Result<Node*> shown_if_released(std::string_view decision, std::size_t attribute,
                                const policy::DisclosureTree& tree, const TreeColumns& tree_columns,
                                pg::Builder& build) {
  auto hidden = typed_null(*tree_columns.shown_in[attribute], build);
  auto unknown = typed_null(*tree_columns.shown_in[attribute], build);
  if (!hidden || !unknown) return hidden;
  Result<Node*> value = tree_columns.levels[attribute] == nullptr
                            ? canonical_value(attribute, tree_columns, build)
                            : level_value(attribute, tree, tree_columns, *unknown, build);
  if (!value) return value;
  const std::uint64_t bit = std::uint64_t{1} << attribute;
  Node* shown = build.operation("&", raw_column(tree_columns.alias, decision, build), bits(bit, build));
  const pg::Builder::When arm[] = {{build.equals(shown, bits(bit, build)), *value}};
  return build.searched_case(arm, *hidden);
}

Node* released_bits(const policy::RowDecision& decision, const TreeColumns& tree_columns,
                    pg::Builder& build) {
  Node* otherwise = bits(decision.released, build);
  if (decision.arms.empty()) return otherwise;
  return build.searched_case(arms_of(decision, tree_columns, build), otherwise);
}

Result<BitTargets> targets_by_bits(std::string_view decision, const policy::DisclosureTree& tree,
                                   const TreeColumns& tree_columns, const Relation& relation,
                                   const PgQuery__SelectStmt& by_column, pg::Builder& build) {
  BitTargets out;
  for (std::size_t i = 0; i < relation.columns.size(); ++i) {
    const Column& column = relation.columns[i];
    Node* value = by_column.target_list[i]->res_target->val;
    if (is_decided(by_column, i)) {
      const auto at = std::ranges::find(tree_columns.shown_in, &column);
      auto shown = shown_if_released(decision, static_cast<std::size_t>(at - tree_columns.shown_in.begin()),
                                     tree, tree_columns, build);
      if (!shown) return shown.error();
      value = *shown;
      ++out.decided;
    }
    out.targets.push_back(build.target(value, column.name));
  }
  return out;
}

RowNumber number_of(const policy::RowDecision& decision, const TreeColumns& tree_columns,
                    pg::Builder& build) {
  return {arms_of(decision, tree_columns, build), bits(decision.released, build)};
}

Result<std::optional<PgQuery__SelectStmt*>> masking_select_by_row(
    const RowNumber& number, const policy::DisclosureTree& tree, const TreeColumns& tree_columns,
    const Relation& relation, const PgQuery__SelectStmt& by_column, pg::Builder& build) {
  if (tree_columns.columns.size() > policy::kMaxStoredAttributes ||
      relation.find_column(kShownColumn) != nullptr)
    return std::optional<PgQuery__SelectStmt*>();
  auto shown = targets_by_bits(kShownColumn, tree, tree_columns, relation, by_column, build);
  if (!shown) return shown.error();
  if (shown->decided < 2) return std::optional<PgQuery__SelectStmt*>();
  Node* from = build.from_subquery(inner_select(number, tree_columns, relation, by_column, build),
                                   build.alias(kMaskAlias));
  return std::optional(build.select(shown->targets, from, by_column.where_clause));
}

}  // namespace pgveil::rewriter
