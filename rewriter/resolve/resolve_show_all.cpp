#include <vector>

#include "rewriter/lists/session_settings.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

constexpr std::string_view kListed = "pgveil_s";  // rows of pg_settings
constexpr std::string_view kShown = "pgveil_v";   // name, value as SHOW prints it

Node* list_of(std::span<Node* const> items, pg::Builder& build) {
  Node* out = build.node(PG_QUERY__NODE__NODE_LIST);
  out->list = build.make<PgQuery__List>(pg_query__list__descriptor);
  out->list->items = build.list(items);
  out->list->n_items = items.size();
  return out;
}

Node* shown(std::string_view name, pg::Builder& build) {
  const std::string_view asked = is_path_setting(name) ? kPathSetting : name;
  Node* const arguments[] = {build.string_constant(asked), build.true_constant()};
  Node* const row[] = {build.string_constant(name), build.call("current_setting", arguments)};
  return list_of(row, build);
}

// (VALUES ('application_name', current_setting('application_name', true)), …) AS pgveil_v(name, setting)
Node* all_shown(pg::Builder& build) {
  std::vector<Node*> rows;
  for (const auto name : settable_settings()) rows.push_back(shown(name, build));
  for (const auto name : shown_settings()) rows.push_back(shown(name, build));
  PgQuery__SelectStmt* values = build.select({}, nullptr, nullptr);
  values->values_lists = build.list(rows);
  values->n_values_lists = rows.size();
  PgQuery__Alias* alias = build.alias(kShown);
  Node* const columns[] = {build.string("name"), build.string("setting")};
  alias->colnames = build.list(columns);
  alias->n_colnames = std::size(columns);
  return build.from_subquery(values, alias);
}

}  // namespace

// SHOW ALL shows what SHOW does, in PostgreSQL's three columns:
//   SELECT s.name AS name, v.setting AS setting, s.short_desc AS description
//     FROM pg_settings AS s, (VALUES …) AS v(name, setting) WHERE lower(s.name) = v.name ORDER BY v.name
Statement Resolver::show_all(Node*& node) {
  const Relation* settings = snapshot_.catalog().find("pg_catalog", "pg_settings");
  if (settings == nullptr || snapshot_.catalog_mask(*settings) == nullptr)
    refuse(Reason::setting_not_listed, "SHOW ALL without pg_settings", "SHOW settings one by one");
  Scope scope;
  Node* listed = build_.relation("pg_catalog", "pg_settings", kListed);
  static_cast<void>(listed_relation(listed, *settings, scope));
  Node* const names[] = {build_.column({kListed, "name"})};
  Node* const targets[] = {build_.target(names[0], "name"),
                           build_.target(build_.column({kShown, "setting"}), "setting"),
                           build_.target(build_.column({kListed, "short_desc"}), "description")};
  PgQuery__SelectStmt* all = build_.select(
      targets, nullptr, build_.equals(build_.call("lower", names), build_.column({kShown, "name"})));
  Node* const from[] = {listed, all_shown(build_)};
  all->from_clause = build_.list(from);
  all->n_from_clause = std::size(from);
  Node* order = build_.node(PG_QUERY__NODE__NODE_SORT_BY);
  order->sort_by = build_.make<PgQuery__SortBy>(pg_query__sort_by__descriptor);
  order->sort_by->node = build_.column({kShown, "name"});
  order->sort_by->sortby_dir = PG_QUERY__SORT_BY_DIR__SORTBY_DEFAULT;
  order->sort_by->sortby_nulls = PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT;
  Node* const sorts[] = {order};
  all->sort_clause = build_.list(sorts);
  all->n_sort_clause = std::size(sorts);
  node = build_.select_node(all);
  Statement out;
  out.kind = StatementKind::show;
  out.name = "all";
  return out;
}

}  // namespace pgveil::rewriter
