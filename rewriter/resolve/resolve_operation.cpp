#include <fmt/format.h>

#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {

void Resolver::operator_name(Node**& name, std::size_t& size, int location) {
  if (size == 0) return;  // IN (sub-query): "=", from the grammar itself
  const std::string op(pg::string_of(name[size - 1]));
  if (size > 2 || op.empty())
    refuse(Reason::operator_not_listed, "an operator's name of an unusual form", {}, location);
  const auto candidates = Catalog::candidates_of(snapshot_.catalog().operators_elsewhere, op);
  const bool has_own = !snapshot_.catalog().operator_names_only_elsewhere.contains(op);
  const std::string form = fmt::format("operator {}", op);
  const std::string_view schema = size == 2 ? pg::string_of(name[0]) : std::string_view();
  if (schema == "pg_catalog" && !has_own) {
    refuse(Reason::operator_not_listed, fmt::format("{} is not PostgreSQL's own", form),
           "write it without a schema or with its own", location);
  }
  if (schema == "pg_catalog" || (schema.empty() && candidates.empty())) return;
  if (!schema.empty()) return of_schema(candidates, {}, Reason::operator_not_listed, schema, form, location);
  note_results(candidates);
  note_use({.form = form,
            .name = op,
            .has_own = has_own,
            .path = {schemas().begin(), schemas().end()},
            .location = location,
            .names = &name,
            .count = &size});
}

// PostgreSQL prints a view's definition with the schema of each operator, but not in these forms. Inside a
// view they mean what the server's path finds.
void Resolver::unqualified(std::string_view form, std::initializer_list<std::string_view> operators,
                           int location) {
  const std::span<const std::string> path = views_.empty() ? schemas() : snapshot_.catalog().search_path;
  for (const std::string_view op : operators) {
    const auto candidates = Catalog::candidates_of(snapshot_.catalog().operators_elsewhere, op);
    if (candidates.empty()) continue;
    note_results(candidates);
    note_use({.form = fmt::format("{} (operator {})", form, op),
              .name = std::string(op),
              .sent = Sent::as_written,
              .path = {path.begin(), path.end()},
              .location = location});
  }
}

void Resolver::operation(PgQuery__AExpr& node, Scope& scope, const CteScope* ctes) {
  const auto list_operand = [&](Node*& operand) {
    if (!pg::is_kind(operand, PG_QUERY__NODE__NODE_LIST)) {
      refuse(Reason::node_kind, "an operand of an unknown form", {}, node.location);
    }
    expressions(pg::nodes(operand->list->items, operand->list->n_items), scope, ctes);
  };
  const auto noted = [&](std::string_view form, std::initializer_list<std::string_view> operators) {
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
      noted("IS DISTINCT FROM", {"="});
      return expression(node.rexpr, scope, ctes);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
      noted("NULLIF", {"="});
      return expression(node.rexpr, scope, ctes);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
      noted("LIKE", {"~~", "!~~"});
      return expression(node.rexpr, scope, ctes);
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
      noted("ILIKE", {"~~*", "!~~*"});
      return expression(node.rexpr, scope, ctes);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN: noted("IN", {"=", "<>"}); return list_operand(node.rexpr);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
      noted("BETWEEN", {"<", "<=", ">", ">="});
      return list_operand(node.rexpr);
    case PG_QUERY__A__EXPR__KIND__A_EXPR_KIND_UNDEFINED:
    case _PG_QUERY__A__EXPR__KIND_IS_INT_SIZE: break;
  }
  refuse(Reason::node_kind, "an operation of an unknown kind", {}, node.location);
}

}  // namespace pgveil::rewriter
