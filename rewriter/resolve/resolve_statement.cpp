#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/ascii.hpp"
#include "pg/fields.hpp"
#include "rewriter/lists/session_settings.hpp"
#include "rewriter/resolve/constants.hpp"
#include "rewriter/resolve/explain_refusal.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

Statement of_kind(StatementKind kind, std::string name = {}) {
  Statement out;
  out.kind = kind;
  out.name = std::move(name);
  return out;
}

Statement with_effect(Statement statement, PathEffect effect) {
  statement.path_effect = std::make_shared<const PathEffect>(std::move(effect));
  return statement;
}

Statement with_mode(Statement statement, PathEffect::Kind kind, std::optional<bool> reads_only) {
  if (!reads_only) return statement;
  return with_effect(std::move(statement), {.kind = kind, .reads_only = reads_only});
}

constexpr NoticeSwitches kResetSwitches{.own = NoticeSwitch::reset, .level = NoticeSwitch::reset};

Statement with_switches(Statement statement, NoticeSwitches switches) {
  statement.switches = switches;
  return statement;
}

// As in the client's text: a . b
std::string words_of(std::string_view setting) {
  if (setting == "session_authorization") return "SESSION AUTHORIZATION";
  std::string out;
  for (const char c : setting) out += c == '.' ? std::string(" . ") : std::string(1, c);
  return out;
}

// The value in SET x = 1, = 'on', = true; empty: something else.
std::string written_value(const pg::Node& value) {
  if (const auto text = text_of(&value)) return std::string(*text);
  const bool is_number = pg::is_kind(&value, PG_QUERY__NODE__NODE_A_CONST) &&
                         value.a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL;
  return is_number ? std::to_string(value.a_const->ival->ival) : std::string();
}

constexpr std::int32_t kCursorWithHold = 0x0020;  // PostgreSQL's CURSOR_OPT_HOLD

constexpr std::string_view kStatementsHint =
    "pgveil answers SELECT, VALUES, TABLE, WITH, COPY … TO STDOUT, PREPARE and "
    "EXECUTE, cursors, read-only transactions, SET and SHOW of listed settings, and "
    "EXPLAIN";

// "+05:30": the only form of the text whose meaning does not depend on the fields of the interval.
bool is_offset(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  const auto colon = text.find(':');
  return (colon == 1 || colon == 2) && text.size() == colon + 3 && are_digits(text.substr(0, colon)) &&
         are_digits(text.substr(colon + 1));
}

// SET TIME ZONE INTERVAL '+05:30' HOUR TO MINUTE, which Sequelize sends, is the one form of SET whose value
// is not a constant. Returns the constant that is sent in its place: the text INTERVAL '+05:30', which
// PostgreSQL itself makes from it. Null: another value, or another setting.
pg::Node* time_zone_offset(const PgQuery__VariableSetStmt& set, const pg::Node& value, pg::Builder& build) {
  constexpr int kHourToMinute = (1 << 10) | (1 << 11);
  if (std::string_view(set.name) != "timezone" || !pg::is_kind(&value, PG_QUERY__NODE__NODE_TYPE_CAST))
    return nullptr;
  const PgQuery__TypeCast& cast = *value.type_cast;
  const PgQuery__TypeName& type = *cast.type_name;
  const bool is_interval = type.n_names == 2 && pg::string_of(type.names[0]) == "pg_catalog" &&
                           pg::string_of(type.names[1]) == "interval" && type.n_typmods == 1;
  if (!is_interval || !pg::is_kind(type.typmods[0], PG_QUERY__NODE__NODE_A_CONST) ||
      type.typmods[0]->a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL ||
      type.typmods[0]->a_const->ival->ival != kHourToMinute ||
      !pg::is_kind(cast.arg, PG_QUERY__NODE__NODE_A_CONST) ||
      cast.arg->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL) {
    return nullptr;
  }
  const std::string_view text(cast.arg->a_const->sval->sval);
  return is_offset(text) ? build.string_constant(fmt::format("INTERVAL '{}'", text)) : nullptr;
}

}  // namespace

Statement Resolver::statement(Node*& node) {
  has_protected_ = has_masked_ = has_guards_ = false;
  stand_ins_.clear();
  definitions_.clear();
  views_.clear();
  policies_read_.clear();
  notices_ = {};
  uses_.clear();
  values_.clear();
  Statement out = any_statement(node);
  settle_names();
  out.notices = std::move(notices_);
  if (out.path_effect != nullptr) {
    path_.apply(*out.path_effect);
    path_now_ = resolve_path(path_, snapshot_.catalog(), client_.role);
  }
  return out;
}

Statement Resolver::any_statement(Node*& node) {
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT: return select_statement(*node->select_stmt);
    case PG_QUERY__NODE__NODE_COPY_STMT: return copy_statement(*node->copy_stmt);
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT: return set_statement(*node->variable_set_stmt);
    case PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT:
      return std::string_view(node->variable_show_stmt->name) == "all"
                 ? show_all(node)
                 : show_statement(*node->variable_show_stmt);
    case PG_QUERY__NODE__NODE_TRANSACTION_STMT: return transaction_statement(*node->transaction_stmt);
    case PG_QUERY__NODE__NODE_PREPARE_STMT: return prepare_statement(*node->prepare_stmt);
    case PG_QUERY__NODE__NODE_EXECUTE_STMT: return execute_statement(*node->execute_stmt);
    case PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT: return declare_statement(*node->declare_cursor_stmt);
    case PG_QUERY__NODE__NODE_FETCH_STMT: return fetch_statement(*node->fetch_stmt);
    case PG_QUERY__NODE__NODE_DISCARD_STMT: return discard_statement(*node->discard_stmt);
    case PG_QUERY__NODE__NODE_EXPLAIN_STMT: return explain_statement(*node->explain_stmt);
    case PG_QUERY__NODE__NODE_DEALLOCATE_STMT:
      return of_kind(StatementKind::deallocate, node->deallocate_stmt->name);
    case PG_QUERY__NODE__NODE_CLOSE_PORTAL_STMT:
      return of_kind(StatementKind::close_cursor, node->close_portal_stmt->portalname);
    case PG_QUERY__NODE__NODE_UNLISTEN_STMT:  // pools send UNLISTEN * with each returned connection
      if (node->unlisten_stmt->conditionname[0] == '\0') return of_kind(StatementKind::set);
      refuse(Reason::statement_kind, "LISTEN and UNLISTEN of a channel are not answered", "UNLISTEN * is");
    default:
      refuse(Reason::statement_kind, "this kind of statement is not answered", std::string(kStatementsHint));
  }
}

Statement Resolver::select_statement(PgQuery__SelectStmt& select) {
  return sets_configuration(select) ? set_configuration(select)
                                    : query_statement(select, StatementKind::select, {});
}

Statement Resolver::query_statement(PgQuery__SelectStmt& query, StatementKind kind, std::string name) {
  const CteScope none;
  outermost_ = &query;
  origins_.clear();
  ColumnNames columns = select(query, nullptr, &none);
  Statement out = of_kind(kind, std::move(name));
  if (snapshot_.is_for_source() && columns)
    out.columns = std::make_shared<const std::vector<std::string>>(std::move(*columns));
  if (!origins_.empty()) out.origins = std::make_shared<const std::vector<Origin>>(std::move(origins_));
  out.is_protected = has_protected_;
  out.is_masked = has_masked_;
  out.is_guarded = has_guards_;
  return out;
}

Statement Resolver::copy_statement(PgQuery__CopyStmt& copy) {
  if (copy.is_from != 0)
    refuse_at("FROM", Reason::statement_kind, "COPY FROM writes", "only COPY … TO STDOUT is answered");
  if (copy.is_program != 0 || copy.filename[0] != '\0') {
    refuse_at(copy.is_program != 0 ? "PROGRAM" : fmt::format("'{}'", copy.filename), Reason::statement_kind,
              "COPY to a file or program of the server", "use COPY … TO STDOUT");
  }
  if (copy.where_clause != nullptr)
    refuse(Reason::clause, "COPY with WHERE", "use COPY (SELECT …) TO STDOUT");
  if (copy.relation != nullptr) {  // COPY t (a, b) → COPY (SELECT a, b FROM t)
    if (!own_relation_of(*copy.relation) &&
        snapshot_.is_expanded(find_relation(*copy.relation), client_.role)) {  // in PostgreSQL's words
      name_error(sqlstate::kWrongObjectType,
                 fmt::format("cannot copy from view \"{}\"", copy.relation->relname), -1);
    }
    Node* from = build_.node(PG_QUERY__NODE__NODE_RANGE_VAR);
    from->range_var = copy.relation;
    std::vector<Node*> targets;
    for (const Node* name : pg::nodes(copy.attlist, copy.n_attlist)) {
      targets.push_back(build_.target(build_.column({pg::string_of(name)}), ""));
    }
    if (targets.empty()) {
      Node* all = build_.column({});
      Node* const star[] = {build_.node(PG_QUERY__NODE__NODE_A_STAR)};
      star[0]->a_star = build_.make<PgQuery__AStar>(pg_query__a__star__descriptor);
      all->column_ref->fields = build_.list(star);
      all->column_ref->n_fields = 1;
      targets.push_back(build_.target(all, ""));
    }
    copy.query = build_.select_node(build_.select(targets, from, nullptr));
    copy.relation = nullptr;
    copy.n_attlist = 0;
  }
  if (!pg::is_kind(copy.query, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    refuse(Reason::statement_kind, "COPY of something that is not a SELECT", "use COPY (SELECT …) TO STDOUT");
  }
  copy_options(copy);
  return query_statement(*copy.query->select_stmt, StatementKind::copy_out, {});
}

void Resolver::copy_options(PgQuery__CopyStmt& copy) {
  constexpr auto kOptions = std::to_array<std::string_view>(
      {"delimiter", "encoding", "escape", "force_quote", "format", "header", "null", "quote"});
  for (Node* item : pg::nodes(copy.options, copy.n_options)) {
    PgQuery__DefElem& option = *item->def_elem;
    const std::string_view name(option.defname);
    if (std::ranges::find(kOptions, name) == kOptions.end()) {
      refuse(Reason::clause, fmt::format("COPY option \"{}\"", name), {}, option.location);
    }
    if (name == "encoding" && !may_set_to("client_encoding", pg::string_of(option.arg))) {
      refuse(Reason::clause, "COPY in an encoding whose characters can have several bytes",
             "leave ENCODING out", option.location);
    }
    if (pg::is_kind(option.arg, PG_QUERY__NODE__NODE_BOOLEAN)) {  // the old syntax: CSV HEADER
      option.arg = build_.string(option.arg->boolean->boolval != 0 ? "true" : "false");
    }
  }
}

Statement Resolver::set_statement(PgQuery__VariableSetStmt& set) {
  auto out = of_kind(StatementKind::set, set.name);
  if (out.name == "search_path") return set_path(set);
  if (is_role_setting(out.name)) return set_role(set);
  if (is_read_only_setting(out.name)) return set_read_only(set);
  switch (set.kind) {
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_MULTI:
      if (std::string_view(set.name) == "TRANSACTION SNAPSHOT") {
        refuse_at("SNAPSHOT", Reason::setting_not_listed, "SET TRANSACTION SNAPSHOT",
                  "it would show another session's snapshot");
      }
      return with_mode(std::move(out),
                       std::string_view(set.name) == "TRANSACTION" ? PathEffect::Kind::transaction_mode
                                                                   : PathEffect::Kind::default_mode,
                       transaction_modes(pg::nodes(set.args, set.n_args)));
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL:
      out.switches = kResetSwitches;
      return with_effect(std::move(out), {.kind = PathEffect::Kind::reset_all});
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE:
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_DEFAULT:
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET: break;
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_CURRENT:
    case PG_QUERY__VARIABLE_SET_KIND__VARIABLE_SET_KIND_UNDEFINED:
    case _PG_QUERY__VARIABLE_SET_KIND_IS_INT_SIZE:
      refuse(Reason::statement_kind, "this form of SET is not answered");
  }
  set_values(set);
  if (!may_set(set.name) && !is_at_its_value(set)) refuse_setting(set.name, -1);
  check_notice_switch(set);
  out.sets_encoding = set.n_args == 1 && is_other_encoding(set.name, text_of(set.args[0]).value_or(""));
  const bool has_value = set.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE;
  if (set.is_local == 0)
    out.switches = has_value && set.n_args == 1 ? switches_of(set.name, text_of(set.args[0]).value_or(""))
                                                : reset_of(set.name);
  return out;
}

void Resolver::set_values(PgQuery__VariableSetStmt& set) {
  for (std::size_t i = 0; i < set.n_args; ++i) {
    Node*& value = set.args[i];
    if (Node* offset = time_zone_offset(set, *value, build_)) value = offset;
    if (!pg::is_kind(value, PG_QUERY__NODE__NODE_A_CONST)) {
      refuse(Reason::setting_not_listed, "SET to a value that is not a constant",
             "write the value as a constant");
    }
    if (may_set(set.name)) check_value(set.name, text_of(value).value_or(""), -1);
  }
}

// RESET of a pinned setting, or SET to its pinned value. Written as the proxy pins it.
bool Resolver::is_at_its_value(PgQuery__VariableSetStmt& set) {
  const auto fixed = fixed_value(set.name);
  if (!fixed) return false;
  if (set.kind != PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE) return true;
  if (set.n_args != 1 || !may_set_to(set.name, written_value(*set.args[0]))) return false;
  set.args[0] = build_.string_constant(*fixed);
  return true;
}

void Resolver::refuse_setting(std::string_view name, int location) {
  const auto fixed = fixed_value(name);
  const std::string message = fmt::format("setting \"{}\" can't be changed here", name);
  const std::string hint =
      fixed ? fmt::format("it is '{}' here, and may only be set to that value", *fixed)
            : "leave it out. docs/session.md, \"Settings\", lists the settings that may be "
              "changed";
  if (location >= 0) refuse(Reason::setting_not_listed, message, hint, location);
  refuse_at(words_of(name), Reason::setting_not_listed, message, hint);
}

Statement Resolver::set_role(PgQuery__VariableSetStmt& set) {
  const Statement out = of_kind(StatementKind::set, set.name);
  if (set.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE) {
    const auto role = set.n_args == 1 ? text_of(set.args[0]) : std::nullopt;
    const bool is_none = role == kNoRole && out.name == "role";
    if (!is_none && role != std::string_view(client_.role)) {
      refuse_at(words_of(set.name), Reason::setting_not_listed,
                fmt::format("setting \"{}\" can't be changed here", set.name), "log in as the other role");
    }
    set.args[0] = build_.string_constant(kNoRole);
  }
  set.name = build_.arena().copy(kRoleSetting);
  return out;
}

// The server stays at "on", which is sent in place of any value.
Statement Resolver::set_read_only(PgQuery__VariableSetStmt& set) {
  const Statement out = of_kind(StatementKind::set, set.name);
  const bool is_default = out.name == kReadOnlySetting;
  std::optional<bool> reads_only;
  if (set.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE) {
    if (set.n_args == 1) reads_only = truth_of_setting(written_value(*set.args[0]));
    if (!reads_only) {
      name_error(sqlstate::kInvalidParameterValue,
                 fmt::format("parameter \"{}\" requires a Boolean value", out.name), -1);
    }
    set.args[0] = build_.string_constant("on");
  }
  set.name = build_.arena().copy(kReadOnlySetting);
  if (is_default && set.is_local != 0) return out;
  return with_effect(
      out, {.kind = is_default ? PathEffect::Kind::default_mode : PathEffect::Kind::transaction_mode,
            .reads_only = reads_only});
}

// The session keeps this one itself, and not by transaction.
void Resolver::check_notice_switch(const PgQuery__VariableSetStmt& set) {
  if (!is_notice_setting(set.name) || set.is_local == 0) return;
  refuse_at("LOCAL", Reason::setting_not_listed, fmt::format("SET LOCAL {} is not answered", kNoticeSetting),
            fmt::format("SET {} = off holds for the session", kNoticeSetting));
}

void Resolver::check_value(std::string_view name, std::string_view value, int location) {
  if (may_set_to(name, value)) return;
  if (is_message_level_setting(name)) {
    constexpr auto kMessage = "client_min_messages can only be notice, warning or error";
    constexpr auto kHint = "messages of other levels reveal how the server works";
    if (location >= 0) refuse(Reason::setting_not_listed, kMessage, kHint, location);
    refuse_at(std::string(value), Reason::setting_not_listed, kMessage, kHint);
  }
  if (is_notice_setting(name)) {
    name_error(sqlstate::kInvalidParameterValue, fmt::format("{} can only be on or off", kNoticeSetting),
               location);
  }
  name_error(sqlstate::kFeatureNotSupported,
             "client_encoding can only be UTF8 or an encoding of one byte for each character", location,
             std::string(kEncodingHint));
}

Statement Resolver::show_statement(PgQuery__VariableShowStmt& show) {
  const std::string_view name(show.name);
  Statement out = of_kind(StatementKind::show, show.name);
  if (name == "search_path")
    show.name = build_.arena().copy(kPathSetting);
  else if (!may_show(name)) {
    refuse_at(words_of(name), Reason::setting_not_listed,
              fmt::format("setting \"{}\" is not shown here", name),
              "SHOW ALL lists the settings that are shown");
  }
  return out;
}

Statement Resolver::transaction_statement(PgQuery__TransactionStmt& transaction) {
  const auto with_modes = [&](StatementKind kind) {
    return with_mode(of_kind(kind), PathEffect::Kind::transaction_mode,
                     transaction_modes(pg::nodes(transaction.options, transaction.n_options)));
  };
  const auto ending = [&](StatementKind kind, PathEffect::Kind effect) {
    return with_effect(of_kind(kind), {.kind = effect, .is_chained = transaction.chain != 0});
  };
  const auto with_name = [&](PathEffect::Kind effect) {
    return with_effect(of_kind(StatementKind::savepoint),
                       {.kind = effect, .savepoint = transaction.savepoint_name});
  };
  switch (transaction.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START: return with_modes(StatementKind::begin);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT:
      return ending(StatementKind::commit, PathEffect::Kind::commit);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK:
      return ending(StatementKind::rollback, PathEffect::Kind::rollback);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT: return with_name(PathEffect::Kind::savepoint);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE: return with_name(PathEffect::Kind::release);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO:
      return with_name(PathEffect::Kind::rollback_to);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_PREPARE:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT_PREPARED:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_PREPARED:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANSACTION_STMT_KIND_UNDEFINED:
    case _PG_QUERY__TRANSACTION_STMT_KIND_IS_INT_SIZE: break;
  }
  refuse(Reason::statement_kind, "two-phase commit is not answered", "use COMMIT or ROLLBACK");
}

// READ WRITE, which drivers say without meaning to write, is sent as READ ONLY.
std::optional<bool> Resolver::transaction_modes(std::span<Node* const> modes) {
  std::optional<bool> reads_only;
  for (Node* item : modes) {
    PgQuery__DefElem& mode = *item->def_elem;
    const std::string_view name(mode.defname);
    if (name == "transaction_isolation" || name == "transaction_deferrable") continue;
    if (name != "transaction_read_only") {
      refuse(Reason::clause, "a mode of transactions that is not known", {}, mode.location);
    }
    reads_only = mode.arg->a_const->ival->ival != 0;
    mode.arg->a_const->ival->ival = 1;
  }
  return reads_only;
}

Statement Resolver::prepare_statement(PgQuery__PrepareStmt& prepare) {
  if (!pg::is_kind(prepare.query, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    refuse(Reason::statement_kind, "PREPARE of something that is not a SELECT",
           "only SELECT can be prepared");
  }
  for (Node* type : pg::nodes(prepare.argtypes, prepare.n_argtypes)) type_name(*type->type_name);
  return query_statement(*prepare.query->select_stmt, StatementKind::prepare, prepare.name);
}

Statement Resolver::execute_statement(PgQuery__ExecuteStmt& execute) {
  const CteScope none;
  Scope scope;
  expressions(pg::nodes(execute.params, execute.n_params), scope, &none);
  Statement out = of_kind(StatementKind::execute, execute.name);
  out.is_protected = has_protected_;
  out.is_masked = has_masked_;
  return out;
}

Statement Resolver::declare_statement(PgQuery__DeclareCursorStmt& declare) {
  if (!pg::is_kind(declare.query, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    refuse(Reason::statement_kind, "a cursor over something that is not a SELECT");
  }
  Statement out =
      query_statement(*declare.query->select_stmt, StatementKind::declare_cursor, declare.portalname);
  out.is_held = (declare.options & kCursorWithHold) != 0;
  return out;
}

Statement Resolver::fetch_statement(PgQuery__FetchStmt& fetch) {
  return of_kind(StatementKind::fetch, fetch.portalname);
}

Statement Resolver::discard_statement(PgQuery__DiscardStmt& discard) {
  switch (discard.target) {
    case PG_QUERY__DISCARD_MODE__DISCARD_ALL:
      return with_effect(with_switches(of_kind(StatementKind::discard, "all"), kResetSwitches),
                         {.kind = PathEffect::Kind::reset_all});
    case PG_QUERY__DISCARD_MODE__DISCARD_PLANS: return of_kind(StatementKind::discard, "plans");
    case PG_QUERY__DISCARD_MODE__DISCARD_SEQUENCES: return of_kind(StatementKind::discard, "sequences");
    case PG_QUERY__DISCARD_MODE__DISCARD_TEMP: return of_kind(StatementKind::discard, "temp");
    case PG_QUERY__DISCARD_MODE__DISCARD_MODE_UNDEFINED:
    case _PG_QUERY__DISCARD_MODE_IS_INT_SIZE: break;
  }
  refuse(Reason::statement_kind, "this DISCARD is not answered", "use DISCARD ALL");
}

Statement Resolver::explain_statement(PgQuery__ExplainStmt& explain) {
  if (!pg::is_kind(explain.query, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    refuse(Reason::statement_kind, "EXPLAIN of something that is not a SELECT", {},
           pg::location_of(explain.query));
  }
  check_explain_options(explain);
  const CteScope none;
  const ColumnNames columns = select(*explain.query->select_stmt, nullptr, &none);
  if (has_protected_) refuse_plan(policies_read_, columns);
  return of_kind(StatementKind::explain);
}

}  // namespace pgveil::rewriter
