#include <fmt/format.h>

#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {

void Resolver::operator_name(Node**& name, std::size_t& size, int location) {
  if (size == 0) return;  // IN (sub-query): "=", from the grammar itself
  const std::string op(pg::string_of(name[size - 1]));
  const bool is_ours = size == 1 || (size == 2 && pg::string_of(name[0]) == "pg_catalog");
  if (!is_ours || op.empty() || snapshot_.catalog().operator_names_only_elsewhere.contains(op)) {
    refuse(Reason::operator_not_listed, fmt::format("operator {} is not PostgreSQL's own", op),
           "use an operator of pg_catalog", location);
  }
  // Unqualified if no other schema has an operator of this name: it is the same operator, and the text stays
  // readable.
  const bool is_ambiguous = snapshot_.catalog().operator_names_elsewhere.contains(op);
  if (!is_ambiguous && size == 1) return;
  Node* const qualified[] = {build_.string("pg_catalog"), build_.string(op)};
  name = build_.list(qualified);
  size = 2;
}

void Resolver::unqualified(std::string_view form, std::initializer_list<std::string_view> operators,
                           int location) {
  for (const std::string_view op : operators) {
    if (!snapshot_.catalog().operator_names_of_users.contains(op)) continue;
    refuse(Reason::operator_not_listed,
           fmt::format("{} where a schema of the search path has an operator {}", form, op),
           "write it with OPERATOR(pg_catalog.…); the owner of that operator can move it to another schema",
           location);
  }
}

void Resolver::operation(PgQuery__AExpr& node, Scope& scope, const CteScope* ctes) {
  const auto list_operand = [&](Node*& operand) {
    if (!pg::is_kind(operand, PG_QUERY__NODE__NODE_LIST)) {
      refuse(Reason::node_kind, "an operand of an unknown form", {}, node.location);
    }
    expressions(pg::nodes(operand->list->items, operand->list->n_items), scope, ctes);
  };
  const auto no_rival = [&](std::string_view form, std::initializer_list<std::string_view> operators) {
    unqualified(form, operators, node.location);
  };
  optional_expression(node.lexpr, scope, ctes);
  switch (node.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL:
      operator_name(node.name, node.n_name, node.location);
      return optional_expression(node.rexpr, scope, ctes);
    case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:  // x SIMILAR TO p is x ~ similar_to_escape(p)
      node.kind = PG_QUERY__A__EXPR__KIND__AEXPR_OP;
      operator_name(node.name, node.n_name, node.location);
      return expression(node.rexpr, scope, ctes);
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
      no_rival("IS DISTINCT FROM", {"="});
      return expression(node.rexpr, scope, ctes);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
      no_rival("NULLIF", {"="});
      return expression(node.rexpr, scope, ctes);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
      no_rival("LIKE", {"~~", "!~~"});
      return expression(node.rexpr, scope, ctes);
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
      no_rival("ILIKE", {"~~*", "!~~*"});
      return expression(node.rexpr, scope, ctes);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN: no_rival("IN", {"=", "<>"}); return list_operand(node.rexpr);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
      no_rival("BETWEEN", {"<", "<=", ">", ">="});
      return list_operand(node.rexpr);
    case PG_QUERY__A__EXPR__KIND__A_EXPR_KIND_UNDEFINED:
    case _PG_QUERY__A__EXPR__KIND_IS_INT_SIZE: break;
  }
  refuse(Reason::node_kind, "an operation of an unknown kind", {}, node.location);
}

}  // namespace pgveil::rewriter
