#include "rewriter/verify/verify_table_guards.hpp"

#include <algorithm>
#include <span>

#include "pg/equal.hpp"
#include "pg/fields.hpp"
#include "rewriter/mask/table_guard.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

// The relations of a FROM item, without those of sub-selects.
void add_relations(const Node* item, std::vector<const PgQuery__RangeVar*>& out) {
  if (pg::is_kind(item, PG_QUERY__NODE__NODE_RANGE_VAR)) out.push_back(item->range_var);
  if (pg::is_kind(item, PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE))
    add_relations(item->range_table_sample->relation, out);
  if (pg::is_kind(item, PG_QUERY__NODE__NODE_JOIN_EXPR)) {
    add_relations(item->join_expr->larg, out);
    add_relations(item->join_expr->rarg, out);
  }
}

// The conditions that all rows of the answer must meet.
std::span<Node* const> conditions_of(const PgQuery__SelectStmt& select) {
  Node* const& where = select.where_clause;
  if (where == nullptr) return {};
  const bool is_and = pg::is_kind(where, PG_QUERY__NODE__NODE_BOOL_EXPR) &&
                      where->bool_expr->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR;
  return is_and ? pg::nodes(where->bool_expr->args, where->bool_expr->n_args) : std::span(&where, 1);
}

}  // namespace

GuardedTables guarded_tables_of(const PgQuery__SelectStmt& select, const Snapshot& snapshot) {
  GuardedTables out;
  std::vector<const PgQuery__RangeVar*> relations;
  for (const Node* item : pg::nodes(select.from_clause, select.n_from_clause)) add_relations(item, relations);
  for (const PgQuery__RangeVar* name : relations) {
    const Relation* found = snapshot.catalog().find(name->schemaname, name->relname);
    const TableGuard* guard = found == nullptr ? nullptr : snapshot.table_guard(*found);
    if (guard == nullptr) continue;
    const auto conditions = conditions_of(select);
    const auto at = std::ranges::find_if(conditions, [&](const Node* condition) {
      return condition != nullptr && pg::equal(condition->base, guard->condition->base);
    });
    if (at == conditions.end()) continue;
    out.tables.push_back(name);
    out.guards.push_back(*at);
  }
  return out;
}

}  // namespace pgveil::rewriter
