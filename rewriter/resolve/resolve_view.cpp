#include <fmt/format.h>

#include <algorithm>

#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"
#include "rewriter/statement/verdict.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

constexpr std::size_t kMaxNestedViews = 16;
constexpr std::size_t kMaxExpandedViews = 200;  // per statement; views of views grow exponentially

const std::vector<std::string> kPathOfDefinitions = {"pg_catalog"};

// Reports what is wrong inside a view at the place where the client names it. The definition is not the
// client's text, so positions in it mean nothing to the client.
Stop inside(const Relation& view, Stop stop, int location) {
  const auto prefixed = [&](const std::string& what) {
    return fmt::format("view \"{}\": {}", view.name, what);
  };
  if (auto* refusal = std::get_if<Refusal>(&stop.what)) {
    refusal->message = prefixed(refusal->message);
    refusal->position = location + 1;
    return stop;
  }
  return {Refusal{Reason::view_not_expanded, prefixed(std::get<Error>(stop.what).public_message),
                  "the view or something that it reads is being changed. Try again; `pgveil check` "
                  "reports details",
                  location + 1}};
}

// Keeps conditions of the surrounding query from being moved into it, like a security barrier.
void keep_conditions_out(PgQuery__SelectStmt& query, pg::Builder& build) {
  if (query.limit_offset != nullptr || query.limit_count != nullptr) return;
  query.limit_offset = build.integer_constant(0);
  query.limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_COUNT;
}

}  // namespace

std::span<const std::string> Resolver::schemas() const {
  return views_.empty() ? std::span<const std::string>(path_now_.schemas) : kPathOfDefinitions;
}

// FROM v becomes FROM (its definition) AS v(its columns). Nothing of the client's statement is in scope
// inside: no common table expression, no alias, no column, no search path.
ColumnNames Resolver::view(Node*& node, const Relation& view, Scope& scope) {
  const PgQuery__RangeVar range = *node->range_var;
  std::vector<std::string> names;
  if (range.alias != nullptr) {
    for (const Node* name : pg::nodes(range.alias->colnames, range.alias->n_colnames))
      names.emplace_back(pg::string_of(name));
  }
  for (std::size_t i = names.size(); i < view.columns.size(); ++i) names.push_back(view.columns[i].name);
  PgQuery__Alias* alias = build_.alias(range.alias != nullptr ? range.alias->aliasname : range.relname);
  std::vector<Node*> columns;
  for (const std::string& name : names) columns.push_back(build_.string(name));
  alias->colnames = build_.list(columns);
  alias->n_colnames = columns.size();
  node = build_.from_subquery(expanded(view, range.location), alias);
  scope.entries.push_back(
      {.alias = alias->aliasname, .relation = range.alias == nullptr ? &view : nullptr, .columns = names});
  return names;
}

PgQuery__SelectStmt* Resolver::expanded(const Relation& view, int location) {
  const auto refuse_view = [&](std::string_view what, std::string hint) {
    refuse(Reason::view_not_expanded, fmt::format("view \"{}\" {}", view.name, what), std::move(hint),
           location);
  };
  if (std::ranges::find(views_, &view) != views_.end())
    refuse_view("reads itself", "its owner can create it again");
  if (views_.size() == kMaxNestedViews)
    refuse_view(fmt::format("is inside {} other views", kMaxNestedViews),
                "read the views that it is made of");
  if (definitions_.size() == kMaxExpandedViews) {
    refuse_view(fmt::format("is one of more than {} that this statement reads", kMaxExpandedViews),
                "read fewer views, or the tables that they are made of");
  }
  if (views_.empty()) view_location_ = location;
  views_.push_back(&view);
  PgQuery__SelectStmt* query = nullptr;
  try {
    query = definition_of(view);
    const CteScope none;
    const ColumnNames columns = select(*query, nullptr, &none);
    if (columns && columns->size() != view.columns.size())
      refuse(Reason::view_not_expanded, "its columns and its definition do not match", "try again");
  } catch (Stop& stop) {
    views_.pop_back();
    throw inside(view, std::move(stop), location);
  }
  views_.pop_back();
  if (view.view->is_security_barrier) keep_conditions_out(*query, build_);
  return query;
}

PgQuery__SelectStmt* Resolver::definition_of(const Relation& view) {
  const Limits limits;
  const auto unreadable = [] {
    refuse(Reason::view_not_expanded, "its definition can't be read", "`pgveil check` says more");
  };
  if (!view.view) unreadable();
  auto tree = pg::parse(view.view->query, {.bytes = limits.statement_bytes, .nesting = limits.nesting});
  if (!tree || tree->result->n_stmts != 1) unreadable();
  definitions_.push_back(std::move(*tree));
  Node* const query = definitions_.back().result->stmts[0]->stmt;
  if (!pg::is_kind(query, PG_QUERY__NODE__NODE_SELECT_STMT)) unreadable();
  return query->select_stmt;
}

}  // namespace pgveil::rewriter
