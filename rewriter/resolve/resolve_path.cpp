#include <fmt/format.h>

#include <algorithm>

#include "common/ascii.hpp"
#include "rewriter/lists/session_settings.hpp"
#include "rewriter/resolve/constants.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;
using Kind = PathEffect::Kind;

std::shared_ptr<const PathEffect> effect_of(Kind kind) {
  return std::make_shared<const PathEffect>(PathEffect{.kind = kind});
}
std::shared_ptr<const PathEffect> effect_of(Kind kind, SchemaNames schemas) {
  return std::make_shared<const PathEffect>(
      PathEffect{.kind = kind, .schemas = std::make_shared<const SchemaNames>(std::move(schemas))});
}

// A call of this function of PostgreSQL's, with nothing but arguments, the first of them a constant text.
bool is_bare_call(const Node* node, std::string_view function) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_FUNC_CALL)) return false;
  const PgQuery__FuncCall& call = *node->func_call;
  const auto names = pg::nodes(call.funcname, call.n_funcname);
  const bool is_ours = names.size() == 1 || (names.size() == 2 && pg::string_of(names[0]) == "pg_catalog");
  const bool is_bare = call.n_agg_order == 0 && call.agg_filter == nullptr && call.over == nullptr &&
                       call.agg_within_group == 0 && call.agg_star == 0 && call.agg_distinct == 0 &&
                       call.func_variadic == 0 && call.n_args > 0;
  return is_ours && is_bare && pg::string_of(names.back()) == function && text_of(call.args[0]);
}

bool is_set_config(const Node* node) {
  if (!is_bare_call(node, "set_config")) return false;
  const PgQuery__FuncCall& call = *node->func_call;
  return call.n_args == 3 && text_of(call.args[1]) && truth_of(call.args[2]);
}

bool is_current_setting(const Node* node) {
  return is_bare_call(node, "current_setting") &&
         (node->func_call->n_args == 1 || truth_of(node->func_call->args[1]));
}

void add(NoticeSwitches& to, const NoticeSwitches& more) {
  if (more.own != NoticeSwitch::untouched) to.own = more.own;
  if (more.level != NoticeSwitch::untouched) to.level = more.level;
}

}  // namespace

// PostgreSQL accepts any names and skips those without a schema. Here a list without any existing schema is a
// mistake that is better reported at once.
void Resolver::check_path(const SchemaNames& names, int location) {
  const auto is_named = [](const std::string& name) { return !name.empty() && name != "$user"; };
  if (std::ranges::none_of(names, is_named)) return;
  const ResolvedPath found = resolve_path(SearchPath(names), snapshot_.catalog(), client_.role);
  if (!found.is_catalog_implicit || found.schemas.size() > 1) return;
  refuse(Reason::setting_not_listed, "none of these schemas is listed here",
         "the operator lists schemas in backend.schemas; others are named with each table", location);
}

Statement Resolver::set_path(PgQuery__VariableSetStmt& set) {
  Statement out;
  out.kind = StatementKind::set;
  out.name = set.name;
  set.name = build_.arena().copy(kPathSetting);
  switch (set.kind) {
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_DEFAULT:
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET:
      out.path_effect = effect_of(set.is_local != 0 ? Kind::reset_local : Kind::reset);
      return out;
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE: break;
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_MULTI:
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL:
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_CURRENT:
    case PG_QUERY__VARIABLE_SET_KIND__VARIABLE_SET_KIND_UNDEFINED:
    case _PG_QUERY__VARIABLE_SET_KIND_IS_INT_SIZE:
      refuse(Reason::statement_kind, "this form of SET is not answered");
  }
  SchemaNames names;
  for (const Node* value : pg::nodes(set.args, set.n_args)) {
    const auto text = text_of(value);
    if (!text) {
      refuse(Reason::setting_not_listed, "SET search_path to a value that is not a name",
             "list names of schemas");
    }
    names.emplace_back(*text);
  }
  check_path(names, -1);
  Node* const shown[] = {build_.string_constant(schema_list_text(names))};
  set.args = build_.list(shown);
  set.n_args = 1;
  out.path_effect = effect_of(set.is_local != 0 ? Kind::set_local : Kind::set, std::move(names));
  return out;
}

bool Resolver::is_settings(const PgQuery__RangeVar& range) const {
  const Catalog& catalog = snapshot_.catalog();
  const std::string_view schema(range.schemaname);
  const Relation* settings = catalog.find("pg_catalog", "pg_settings");
  const Relation* named =
      schema.empty() ? catalog.resolve(range.relname, schemas()) : catalog.find(schema, range.relname);
  return settings != nullptr && named == settings && range.catalogname[0] == '\0';
}

// pgAdmin asks for a setting only if there is one of that name: FROM pg_show_all_settings() WHERE name =
// 'bytea_output'. A setting that may be shown has one row, under the spelling that PostgreSQL gives it.
bool Resolver::asks_one_setting(const PgQuery__SelectStmt& select) const {
  const Node* condition = select.where_clause;
  if (select.n_from_clause != 1 || !pg::is_kind(condition, PG_QUERY__NODE__NODE_A_EXPR)) return false;
  const Node* from = select.from_clause[0];
  const bool is_view = pg::is_kind(from, PG_QUERY__NODE__NODE_RANGE_VAR) && is_settings(*from->range_var);
  const bool is_function =
      pg::is_kind(from, PG_QUERY__NODE__NODE_RANGE_FUNCTION) && asks_settings(*from->range_function);
  if (!is_view && !is_function) return false;
  const PgQuery__AExpr& is_it = *condition->a_expr;
  const bool is_equality = is_it.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP && is_it.n_name == 1 &&
                           pg::string_of(is_it.name[0]) == "=" &&
                           pg::is_kind(is_it.lexpr, PG_QUERY__NODE__NODE_COLUMN_REF);
  if (!is_equality) return false;
  const PgQuery__ColumnRef& column = *is_it.lexpr->column_ref;
  const Node* last = column.fields[column.n_fields - 1];
  const auto name = text_of(is_it.rexpr);
  return pg::is_kind(last, PG_QUERY__NODE__NODE_STRING) && pg::string_of(last) == "name" && name &&
         std::ranges::none_of(*name, [](char c) { return c >= 'A' && c <= 'Z'; }) && *name != "datestyle" &&
         *name != "intervalstyle" && *name != "timezone" && !is_notice_setting(*name) && may_show(*name);
}

// SELECT set_config('…', '…', …), … and nothing else: then it certainly runs once, with these values. Drivers
// read a setting beside it: current_setting('…').
bool Resolver::sets_configuration(const PgQuery__SelectStmt& select) const {
  const bool is_bare = select.op == PG_QUERY__SET_OPERATION__SETOP_NONE && select.n_values_lists == 0 &&
                       select.n_group_clause == 0 && select.having_clause == nullptr &&
                       select.n_window_clause == 0 && select.n_sort_clause == 0 &&
                       select.limit_offset == nullptr && select.limit_count == nullptr &&
                       select.n_distinct_clause == 0 && select.n_locking_clause == 0 &&
                       select.into_clause == nullptr && select.with_clause == nullptr;
  if (!is_bare) return false;
  bool sets_one = false;
  for (const Node* item : pg::nodes(select.target_list, select.n_target_list)) {
    const Node* value = item->res_target->val;
    const bool is_set = is_set_config(value);
    if ((!is_set && !is_current_setting(value)) || item->res_target->n_indirection > 0) return false;
    sets_one = sets_one || is_set;
  }
  const bool is_alone = select.n_from_clause == 0 && select.where_clause == nullptr;
  return sets_one && (is_alone || asks_one_setting(select));
}

Statement Resolver::set_configuration(PgQuery__SelectStmt& select) {
  Statement out;
  out.kind = StatementKind::set;
  select.n_from_clause = 0;
  select.where_clause = nullptr;
  for (Node* item : pg::nodes(select.target_list, select.n_target_list)) {
    PgQuery__ResTarget& target = *item->res_target;
    const bool is_set = is_set_config(target.val);
    if (target.name[0] == '\0') target.name = build_.arena().copy(is_set ? "set_config" : "current_setting");
    if (!is_set) {
      Scope nothing;
      const CteScope none;
      expression(target.val, nothing, &none);
      continue;
    }
    auto effect = set_one(*target.val->func_call, out);
    if (effect == nullptr) continue;
    if (out.path_effect != nullptr) {
      refuse(Reason::setting_not_listed, "two settings that pgveil keeps itself, set in one statement",
             "set search_path and default_transaction_read_only one by one", target.val->func_call->location);
    }
    out.path_effect = std::move(effect);
  }
  return out;
}

std::shared_ptr<const PathEffect> Resolver::set_one(PgQuery__FuncCall& call, Statement& statement) {
  const std::string_view name = *text_of(call.args[0]);
  const std::string_view value = *text_of(call.args[1]);
  Node* const qualified[] = {build_.string("pg_catalog"), build_.string("set_config")};
  call.funcname = build_.list(qualified);
  call.n_funcname = 2;
  Node* arguments[] = {build_.string_constant(name), build_.string_constant(value), call.args[2]};
  if (pg::is_kind(arguments[2], PG_QUERY__NODE__NODE_TYPE_CAST))
    type_name(*arguments[2]->type_cast->type_name);
  std::shared_ptr<const PathEffect> effect;
  if (is_path_setting(name)) {
    auto names = parse_schema_list(value);
    if (!names) {
      name_error(sqlstate::kInvalidParameterValue, "invalid value for parameter \"search_path\"",
                 call.location);
    }
    check_path(*names, call.location);
    arguments[0] = build_.string_constant(kPathSetting);
    arguments[1] = build_.string_constant(schema_list_text(*names));
    effect = effect_of(*truth_of(call.args[2]) ? Kind::set_local : Kind::set, std::move(*names));
  } else if (const auto reads_only = truth_of_setting(value);
             is_read_only_setting(name) && reads_only == true) {
    const bool is_default = lower(name) == kReadOnlySetting;
    arguments[0] = build_.string_constant(kReadOnlySetting);
    arguments[1] = build_.string_constant("on");
    if (!is_default || !*truth_of(call.args[2])) {
      effect = std::make_shared<const PathEffect>(PathEffect{
          .kind = is_default ? Kind::default_mode : Kind::transaction_mode, .reads_only = reads_only});
    }
  } else if (const auto fixed = fixed_value(name); fixed && may_set_to(name, value)) {
    arguments[1] = build_.string_constant(*fixed);
  } else if (!may_set(name)) {
    refuse_setting(name, call.location);
  } else {
    check_value(name, value, call.location);
    statement.sets_encoding = statement.sets_encoding || is_other_encoding(name, value);
    if (is_notice_setting(name) && *truth_of(call.args[2])) {
      refuse(Reason::setting_not_listed, fmt::format("set_config() of {} for a transaction", kNoticeSetting),
             "write false as its third argument", call.location);
    }
    if (!*truth_of(call.args[2])) add(statement.switches, switches_of(name, value));
  }
  call.args = build_.list(arguments);
  return effect;
}

pg::Node* Resolver::current_schema() {
  const SchemaNames& schemas = path_now_.schemas;
  const std::size_t first = path_now_.is_catalog_implicit ? 1 : 0;
  Node* value = first < schemas.size() ? build_.string_constant(schemas[first]) : build_.null_constant();
  return build_.cast(value, build_.type_name("pg_catalog", "name"));
}

pg::Node* Resolver::current_schemas(PgQuery__FuncCall& call) {
  const bool is_bare = call.n_args == 1 && call.agg_filter == nullptr && call.over == nullptr &&
                       call.n_agg_order == 0 && call.agg_distinct == 0 && call.func_variadic == 0;
  if (!is_bare) {
    refuse(Reason::function_not_listed, "this form of \"current_schemas\"", {}, call.location);
  }
  const auto array = [&](std::size_t first) {
    std::vector<Node*> names;
    for (std::size_t i = first; i < path_now_.schemas.size(); ++i) {
      names.push_back(build_.string_constant(path_now_.schemas[i]));
    }
    return build_.cast(build_.array(names), build_.type_name("pg_catalog", "name", true));
  };
  const std::size_t first = path_now_.is_catalog_implicit ? 1 : 0;
  if (const auto with_implicit = truth_of(call.args[0])) return array(*with_implicit ? 0 : first);
  Node* condition = build_.cast(call.args[0], build_.type_name("pg_catalog", "bool"));
  const pg::Builder::When arms[] = {
      {build_.is_null(condition),
       build_.cast(build_.null_constant(), build_.type_name("pg_catalog", "name", true))},
      {condition, array(0)}};
  return build_.searched_case(arms, array(first));
}

}  // namespace pgveil::rewriter
