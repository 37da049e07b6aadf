#include "rewriter/verify/verify_guarded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "pg/equal.hpp"
#include "pg/parse.hpp"
#include "rewriter/verify/verify_stand_in.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

// {}: the oids of harmless objects.
constexpr std::string_view kGuard =
    "SELECT pgveil_d.pgveil_o FROM ({}) AS pgveil_d WHERE pgveil_d.pgveil_o OPERATOR(pg_catalog.=) NULL";
constexpr std::string_view kConstraints =
    "SELECT d.oid AS pgveil_o FROM pg_catalog.pg_constraint AS d WHERE d.contype OPERATOR(pg_catalog.=) ANY "
    "(ARRAY['p', 'u', 'f']::pg_catalog.\"char\"[])";
constexpr std::string_view kIndexes =
    "SELECT d.indexrelid AS pgveil_o FROM pg_catalog.pg_index AS d WHERE CASE WHEN "
    "d.indexprs::pg_catalog.text OPERATOR(pg_catalog.~) '[{](?!(FUNCEXPR|OPEXPR|VAR|RELABELTYPE|COERCEVIAIO|"
    "BOOLEXPR|NULLTEST|BOOLEANTEST|COALESCE|COLLATE) )' OR "
    "d.indpred::pg_catalog.text OPERATOR(pg_catalog.~) '[{](?!(FUNCEXPR|OPEXPR|VAR|RELABELTYPE|COERCEVIAIO|"
    "BOOLEXPR|NULLTEST|BOOLEANTEST|COALESCE|COLLATE) )' THEN false ELSE true END";
constexpr std::string_view kMembers =
    "SELECT d.objid AS pgveil_o FROM pg_catalog.pg_depend AS d WHERE d.deptype OPERATOR(pg_catalog.=) 'e'";
constexpr std::string_view kTables =
    "SELECT d.oid AS pgveil_o FROM pg_catalog.pg_class AS d WHERE d.oid OPERATOR(pg_catalog.=) ANY "
    "('{}'::pg_catalog.oid[])";

bool may_tell_size(std::string_view oid, std::string_view role, const Snapshot& snapshot) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(oid.data(), oid.data() + oid.size(), number);
  if (error != std::errc() || end != oid.data() + oid.size()) return false;
  return std::ranges::any_of(snapshot.catalog().relations, [&](const auto& entry) {
    const Relation& relation = entry.second;
    if (relation.oid != number) return false;
    const auto* table = protected_for(number, role, snapshot);
    return snapshot.is_open(relation, role) || (table != nullptr && is_exempt_from(*table, role));
  });
}

// '{16385,16390}', and the size of each of these tables may be told.
bool is_list_of_tables(std::string_view text, std::string_view role, const Snapshot& snapshot) {
  if (text == "{}") return true;
  if (text.size() < 3 || text.front() != '{' || text.back() != '}') return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (!may_tell_size(text.substr(at, end - at), role, snapshot)) return false;
    at = end + 1;
  }
  return true;
}

// (SELECT … WHERE x = y); null: the argument is something else.
const PgQuery__SelectStmt* query_of(const Node* argument) {
  if (!pg::is_kind(argument, PG_QUERY__NODE__NODE_SUB_LINK)) return nullptr;
  const PgQuery__SubLink& link = *argument->sub_link;
  if (link.sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK || link.testexpr != nullptr ||
      link.n_oper_name > 0 || !pg::is_kind(link.subselect, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return nullptr;
  }
  const PgQuery__SelectStmt* query = link.subselect->select_stmt;
  return pg::is_kind(query->where_clause, PG_QUERY__NODE__NODE_A_EXPR) ? query : nullptr;
}

// The text constant in WHERE oid = ANY ('{…}'::oid[]) of the inner sub-query; empty: it is something else.
std::string_view listed(const PgQuery__SelectStmt& query) {
  if (query.n_from_clause != 1 || !pg::is_kind(query.from_clause[0], PG_QUERY__NODE__NODE_RANGE_SUBSELECT))
    return {};
  const Node* inner = query.from_clause[0]->range_subselect->subquery;
  const Node* where =
      pg::is_kind(inner, PG_QUERY__NODE__NODE_SELECT_STMT) ? inner->select_stmt->where_clause : nullptr;
  const Node* array = pg::is_kind(where, PG_QUERY__NODE__NODE_A_EXPR) ? where->a_expr->rexpr : nullptr;
  const Node* text = pg::is_kind(array, PG_QUERY__NODE__NODE_TYPE_CAST) ? array->type_cast->arg : nullptr;
  const bool is_text = pg::is_kind(text, PG_QUERY__NODE__NODE_A_CONST) &&
                       text->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
  return is_text ? text->a_const->sval->sval : std::string_view();
}

// The query whose results this function may get; nullopt: there is none.
std::optional<std::string> harmless_objects(FunctionRule rule, const PgQuery__SelectStmt& query,
                                            std::string_view role, const Snapshot& snapshot) {
  switch (rule) {
    case FunctionRule::constraint_def: return std::string(kConstraints);
    case FunctionRule::index_def: return std::string(kIndexes);
    case FunctionRule::description: return std::string(kMembers);
    case FunctionRule::relation_size: {
      const std::string_view tables = listed(query);
      if (!is_list_of_tables(tables, role, snapshot)) return std::nullopt;
      std::string expected(kTables);
      return expected.replace(expected.find("{}"), 2, tables);
    }
    case FunctionRule::refused:
    case FunctionRule::allowed:
    case FunctionRule::metadata:
    case FunctionRule::null_value:
    case FunctionRule::unlock:
    case FunctionRule::right:
    case FunctionRule::current_setting:
    case FunctionRule::set_config:
    case FunctionRule::client_schema:
    case FunctionRule::client_schemas:
    case FunctionRule::client_role:
    case FunctionRule::identity_arguments:
    case FunctionRule::statement_clock: return std::nullopt;
  }
  return std::nullopt;
}

// Whether the query is the expected one once NULL replaces what the client asks about.
bool is_guard(const PgQuery__SelectStmt& query, const std::string& objects) {
  std::string expected(kGuard);
  expected.replace(expected.find("{}"), 2, objects);
  const auto tree = pg::parse_own(expected, expected.size());
  if (!tree) return false;
  const PgQuery__SelectStmt& right = *tree->result->stmts[0]->stmt->select_stmt;
  PgQuery__AExpr comparison = *query.where_clause->a_expr;
  comparison.rexpr = right.where_clause->a_expr->rexpr;
  Node where = *query.where_clause;
  where.a_expr = &comparison;
  PgQuery__SelectStmt left = query;
  left.where_clause = &where;
  return pg::equal(left.base, right.base);
}

}  // namespace

GuardedArgument guarded_argument_of(const PgQuery__FuncCall& call, FunctionRule rule, std::string_view role,
                                    const Snapshot& snapshot) {
  const std::size_t argument = rule == FunctionRule::description ? 1 : 0;
  if (call.n_args <= argument) return {};
  const Node* guard = call.args[argument];
  const PgQuery__SelectStmt* query = query_of(guard);
  if (query == nullptr || query->where_clause->a_expr->rexpr == nullptr) return {};
  const auto objects = harmless_objects(rule, *query, role, snapshot);
  if (!objects || !is_guard(*query, *objects)) return {};
  return {guard, query->where_clause->a_expr->rexpr};
}

}  // namespace pgveil::rewriter
