#include <fmt/format.h>

#include <algorithm>

#include "rewriter/lists/function_access.hpp"
#include "rewriter/lists/functions.hpp"
#include "rewriter/lists/refusal_hints.hpp"
#include "rewriter/lists/session_settings.hpp"
#include "rewriter/resolve/constants.hpp"
#include "rewriter/resolve/guarded_call.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

// A parameter or constant, with or without a cast: nothing in it can bind to a column.
bool is_value(const pg::Node* node) {
  while (pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) node = node->type_cast->arg;
  return pg::is_kind(node, PG_QUERY__NODE__NODE_PARAM_REF) || pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST);
}

// current_setting('app.user', true): clients make up names with a dot, and here nobody can have set such a
// setting.
bool is_unknown_setting(const PgQuery__FuncCall& call) {
  const std::string_view name(call.args[0]->a_const->sval->sval);
  return call.n_args == 2 && truth_of(call.args[1]) == true && name.find('.') != std::string_view::npos;
}

}  // namespace

void Resolver::function_call(Node*& node, Scope& scope, const CteScope* ctes) {
  PgQuery__FuncCall& call = *node->func_call;
  const auto names = pg::nodes(call.funcname, call.n_funcname);
  const std::string name(names.empty() ? std::string_view() : pg::string_of(names.back()));
  if (names.size() == 2 && is_listed_elsewhere(pg::string_of(names[0]), name)) {
    return call_arguments(call, scope, ctes);
  }
  if (is_hidden_call(call)) return hidden(node, scope);
  const bool is_ours = names.size() == 1 || (names.size() == 2 && pg::string_of(names[0]) == "pg_catalog");
  if (Node* column = names.size() == 1 ? column_of_row(call, name, scope) : nullptr) {
    node = column;
    return;
  }
  if (!is_ours && names.size() == 2) {
    call_arguments(call, scope, ctes);
    return of_schema(Catalog::candidates_of(snapshot_.catalog().functions_elsewhere, name), shape_of(call),
                     Reason::function_not_listed, pg::string_of(names[0]),
                     fmt::format("function \"{}\"", name), call.location);
  }
  const FunctionRule rule = is_ours ? function_rule(name, snapshot_.catalog()) : FunctionRule::refused;
  const bool has_own = find_pinned_function(name, snapshot_.catalog().major()) != nullptr;
  if (rule == FunctionRule::refused && names.size() == 1 && !has_own &&
      snapshot_.catalog().functions_elsewhere.contains(name)) {
    call_arguments(call, scope, ctes);
    return note_call(call, name, has_own, Sent::either);
  }
  if (rule == FunctionRule::refused) {
    refuse(Reason::function_not_listed, fmt::format("function \"{}\" is not on the list", name),
           std::string(hint_for_function(name).value_or(
               "only PostgreSQL's own functions that read no other data are allowed")),
           call.location);
  }
  if (snapshot_.is_for_source() && (rule != FunctionRule::allowed || depends_on_moment(name, call.n_args))) {
    refuse_in_source(fmt::format("function \"{}\"", name), call.location);
  }
  call_arguments(call, scope, ctes);
  if (names.size() == 1) {
    note_call(call, name, has_own, rule == FunctionRule::allowed ? Sent::either : Sent::as_ours);
    if (rule == FunctionRule::allowed && snapshot_.catalog().functions_elsewhere.contains(name)) return;
  }
  const auto rename = [&](std::string_view to) {
    Node* const qualified[] = {build_.string("pg_catalog"), build_.string(to)};
    call.funcname = build_.list(qualified);
    call.n_funcname = 2;
    call.funcformat = PG_QUERY__COERCION_FORM__COERCE_EXPLICIT_CALL;
  };
  rename(name);
  switch (rule) {
    case FunctionRule::allowed: return;
    case FunctionRule::metadata:
      if (Node* commented = with_comment(call, name)) node = commented;
      return;
    case FunctionRule::null_value:
      node = build_.cast(build_.null_constant(), build_.type_name("pg_catalog", type_of_null(name)));
      return;
    case FunctionRule::constraint_def:
    case FunctionRule::index_def:
    case FunctionRule::description:
    case FunctionRule::relation_size: return guarded(call, rule, name);
    case FunctionRule::right: return right(node, name);
    case FunctionRule::current_setting: return current_setting(node);
    case FunctionRule::client_schema: node = current_schema(); return;
    case FunctionRule::client_schemas: node = current_schemas(call); return;
    case FunctionRule::set_config:
      refuse(Reason::function_not_listed, "set_config() inside a query or with values that are not constants",
             "write SELECT set_config('name', 'value', false), or SET", call.location);
    case FunctionRule::unlock: node = build_.false_constant(); return;
    case FunctionRule::client_role: node = client_role_constant(); return;
    case FunctionRule::identity_arguments: return rename("pg_get_function_identity_arguments");
    case FunctionRule::statement_clock: return rename("statement_timestamp");
    case FunctionRule::refused: break;
  }
  refuse(Reason::function_not_listed, fmt::format("function \"{}\" is not on the list", name), {},
         call.location);
}

void Resolver::refuse_in_source(std::string_view what, int location) {
  refuse(Reason::function_not_listed, fmt::format("{} can't be in a source", what),
         "its result depends on more than rows, and a source is evaluated once for all readers: leave it "
         "out, or write the value",
         location);
}

void Resolver::note_call(PgQuery__FuncCall& call, std::string_view name, bool has_own, Sent sent) {
  const auto candidates = Catalog::candidates_of(snapshot_.catalog().functions_elsewhere, name);
  if (candidates.empty()) return;
  note_results(candidates);
  note_use({.form = fmt::format("function \"{}\"", name),
            .name = std::string(name),
            .is_function = true,
            .has_own = has_own,
            .sent = sent,
            .shape = shape_of(call),
            .path = {schemas().begin(), schemas().end()},
            .location = call.location,
            .names = &call.funcname,
            .count = &call.n_funcname});
}

// PostgreSQL reads city(p), where p is a row, as p.city if no function city takes a row. Null: it is
// something else.
pg::Node* Resolver::column_of_row(const PgQuery__FuncCall& call, std::string_view name, const Scope& scope) {
  const bool is_plain = call.n_args == 1 && pg::is_kind(call.args[0], PG_QUERY__NODE__NODE_COLUMN_REF) &&
                        call.args[0]->column_ref->n_fields == 1 && call.n_agg_order == 0 &&
                        call.over == nullptr && call.agg_filter == nullptr && call.agg_distinct == 0 &&
                        call.func_variadic == 0;
  if (!is_plain) return nullptr;
  // Functions that are named like a type convert to that type, so they take no rows.
  const bool may_take_rows = snapshot_.catalog().function_names.contains(name) &&
                             !snapshot_.catalog().pg_catalog_types.contains(name);
  const std::string_view row = pg::string_of(call.args[0]->column_ref->fields[0]);
  const Entry* entry = scope.find(row);
  if (may_take_rows || entry == nullptr || !entry->columns || scope.may_be_column(row)) return nullptr;
  if (std::ranges::find(*entry->columns, name) == entry->columns->end()) return nullptr;
  return build_.column({row, name});
}

void Resolver::call_arguments(PgQuery__FuncCall& call, Scope& scope, const CteScope* ctes) {
  expressions(pg::nodes(call.args, call.n_args), scope, ctes);
  sort_list(pg::nodes(call.agg_order, call.n_agg_order), scope, ctes);
  optional_expression(call.agg_filter, scope, ctes);
  if (call.over != nullptr) window(*call.over, scope, ctes);
}

void Resolver::current_setting(Node*& node) {
  PgQuery__FuncCall& call = *node->func_call;
  const bool is_constant = call.n_args >= 1 && pg::is_kind(call.args[0], PG_QUERY__NODE__NODE_A_CONST) &&
                           call.args[0]->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
  if (!is_constant && call.n_args >= 1 && is_value(call.args[0])) {
    if (Node* listed = listed_setting(call.args[0])) {
      node = listed;
      return;
    }
  }
  if (is_constant && is_unknown_setting(call)) {
    node = build_.cast(build_.null_constant(), build_.type_name("pg_catalog", "text"));
    return;
  }
  if (!is_constant || !may_show(call.args[0]->a_const->sval->sval)) {
    refuse(Reason::setting_not_listed, "current_setting() of a setting that is not on the list",
           "name the setting as a constant; SHOW ALL lists what there is", call.location);
  }
  if (is_path_setting(call.args[0]->a_const->sval->sval)) call.args[0] = build_.string_constant(kPathSetting);
}

// A name that is known only when the statement runs (a parameter) is looked up among the settings that may be
// shown. The result is text. It is NULL for all other settings, for settings with a unit, which would be
// written differently, and for search_path.
pg::Node* Resolver::listed_setting(Node* name) {
  constexpr std::string_view kAlias = "pgveil_s";
  const Relation* settings = snapshot_.catalog().find("pg_catalog", "pg_settings");
  if (settings == nullptr || snapshot_.catalog_mask(*settings) == nullptr) return nullptr;
  Scope inner;
  Node* from = build_.relation("pg_catalog", "pg_settings", kAlias);
  static_cast<void>(listed_relation(from, *settings, inner));
  const auto lower = [&](Node* text) {
    Node* const arguments[] = {build_.cast(text, build_.type_name("pg_catalog", "text"))};
    return build_.call("lower", arguments);
  };
  Node* const is_it[] = {
      build_.equals(lower(build_.column({kAlias, "name"})), lower(name)),
      build_.is_null(build_.column({kAlias, "unit"})),
      build_.operation("<>", build_.column({kAlias, "name"}), build_.string_constant("search_path"))};
  Node* const targets[] = {build_.target(build_.column({kAlias, "setting"}), "")};
  return build_.scalar_subquery(build_.select(targets, from, build_.all_of(is_it)));
}

bool Resolver::is_plain(const PgQuery__FuncCall& call) {
  const bool has_names = std::ranges::any_of(pg::nodes(call.args, call.n_args), [](const Node* argument) {
    return pg::is_kind(argument, PG_QUERY__NODE__NODE_NAMED_ARG_EXPR);
  });
  return !has_names && call.agg_filter == nullptr && call.over == nullptr && call.n_agg_order == 0 &&
         call.agg_distinct == 0 && call.agg_star == 0 && call.func_variadic == 0;
}

void Resolver::guarded(PgQuery__FuncCall& call, FunctionRule rule, std::string_view function) {
  if (call.n_args <= guarded_argument(rule) || !is_plain(call)) {
    refuse(Reason::function_not_listed, fmt::format("this form of \"{}\"", function), {}, call.location);
  }
  std::vector<std::uint32_t> as_they_are;
  if (rule == FunctionRule::relation_size) {
    for (const auto& [key, relation] : snapshot_.catalog().relations) {
      if (reads_as_it_is(relation)) as_they_are.push_back(relation.oid);
    }
  }
  guard_call(call, rule, as_they_are, build_);
}

bool Resolver::reads_as_it_is(const Relation& relation) const {
  if (snapshot_.is_open(relation, client_.role)) return true;
  const Snapshot::ProtectedTable* table = snapshot_.policy_for(relation, client_.role);
  if (table == nullptr) return false;
  const auto& exempt = table->state.spec->exempt_roles;
  return std::ranges::find(exempt, client_.role) != exempt.end();
}

pg::Node* Resolver::client_role_constant() {
  return build_.cast(build_.string_constant(client_.role), build_.type_name("pg_catalog", "name"));
}

}  // namespace pgveil::rewriter
