#include "tests/unit/session/fake_gate.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "rewriter/lists/session_settings.hpp"

namespace pgveil::session::testing {

namespace {

using rewriter::Statement;
using rewriter::StatementKind;

constexpr std::pair<std::string_view, StatementKind> kKinds[] = {
    {"PREPARE", StatementKind::prepare},
    {"EXECUTE", StatementKind::execute},
    {"DEALLOCATE", StatementKind::deallocate},
    {"DECLARE", StatementKind::declare_cursor},
    {"FETCH", StatementKind::fetch},
    {"CLOSE", StatementKind::close_cursor},
    {"BEGIN", StatementKind::begin},
    {"COMMIT", StatementKind::commit},
    {"ROLLBACK", StatementKind::rollback},
    {"DISCARD", StatementKind::discard},
    {"COPY", StatementKind::copy_out},
    {"SET", StatementKind::set},
    {"SHOW", StatementKind::show},
};

using Kind = rewriter::PathEffect::Kind;

std::shared_ptr<const rewriter::PathEffect> effect_of(const std::string& verb, const std::string& name) {
  const auto make = [](Kind kind, std::string savepoint = {}) {
    return std::make_shared<const rewriter::PathEffect>(
        rewriter::PathEffect{.kind = kind, .savepoint = std::move(savepoint)});
  };
  if (verb == "PATH" || verb == "LOCALPATH") {
    return std::make_shared<const rewriter::PathEffect>(
        rewriter::PathEffect{.kind = verb == "PATH" ? Kind::set : Kind::set_local,
                             .schemas = std::make_shared<const rewriter::SchemaNames>(1, name)});
  }
  if (verb == "BEGIN" || verb == "MODE" || verb == "DEFAULTMODE") {
    if (name.empty()) return nullptr;
    return std::make_shared<const rewriter::PathEffect>(
        rewriter::PathEffect{.kind = verb == "DEFAULTMODE" ? Kind::default_mode : Kind::transaction_mode,
                             .reads_only = name == "ro"});
  }
  if (verb == "RESET" || verb == "DISCARD") return make(Kind::reset_all);
  if (verb == "COMMIT" || verb == "ROLLBACK") {
    return std::make_shared<const rewriter::PathEffect>(rewriter::PathEffect{
        .kind = verb == "COMMIT" ? Kind::commit : Kind::rollback, .is_chained = name == "CHAIN"});
  }
  if (verb == "SAVEPOINT") return make(Kind::savepoint, name);
  if (verb == "RELEASE") return make(Kind::release, name);
  if (verb == "BACKTO") return make(Kind::rollback_to, name);
  return nullptr;
}

Statement understand(const std::string& sql, rewriter::SearchPath& path) {
  std::istringstream words(sql);
  std::string verb;
  std::string name;
  words >> verb >> name;
  Statement statement;
  statement.sql = "ok: " + sql;
  if (const auto* schemas = path.schemas()) statement.sql += " in " + rewriter::schema_list_text(*schemas);
  statement.path_effect = effect_of(verb, name);
  if (statement.path_effect) path.apply(*statement.path_effect);
  const auto kind =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](auto& row) { return row.first == verb; });
  if (kind != std::end(kKinds)) {
    statement.kind = kind->second;
    statement.name = name == "ALL" ? (statement.kind == StatementKind::discard ? "all" : "") : name;
  }
  statement.is_protected = sql.find("people") != std::string::npos;
  statement.is_masked = statement.is_protected;
  std::string value;
  words >> value;
  if (name == "ORIGIN")
    statement.origins = std::make_shared<const std::vector<rewriter::Origin>>(1, rewriter::Origin{77, 5});
  statement.is_held = verb == "DECLARE" && value == "HOLD";
  if (verb == "SET") statement.switches = rewriter::switches_of(name, value);
  statement.sets_encoding = verb == "SET" && rewriter::is_other_encoding(name, value);
  if (verb == "RESET") statement.switches = rewriter::reset_of(name);
  if (verb == "DISCARD") statement.switches = {rewriter::NoticeSwitch::reset, rewriter::NoticeSwitch::reset};
  return statement;
}

}  // namespace

Judgement FakeGate::judge(std::string_view sql, const rewriter::Client& client, std::string_view) {
  ++questions;
  ++judgements;
  Judgement out{std::make_shared<const rewriter::Verdict>(verdict_on(sql, client)),
                {generation, has_guard, server_major}};
  out.may_keep_plan = sql.find("LONG") != std::string_view::npos;
  const std::size_t kept = sql.rfind("KEPT ");
  if (kept == std::string_view::npos || !std::holds_alternative<rewriter::Rewritten>(*out.verdict))
    return out;
  const std::string plain = std::string(sql.substr(0, kept)) + "KEPT $1";
  out.kept =
      std::make_shared<const KeptForm>(KeptForm{.key = plain + "#" + std::to_string(generation),
                                                .rewritten = std::make_shared<const rewriter::Rewritten>(
                                                    std::get<rewriter::Rewritten>(verdict_on(plain, client))),
                                                .types = {23},
                                                .values = {std::string(sql.substr(kept + 5))}});
  return out;
}

rewriter::Verdict FakeGate::verdict_on(std::string_view sql, const rewriter::Client& client) {
  const auto has = [&](std::string_view word) { return sql.find(word) != std::string_view::npos; };
  const bool is_closed = (refuses_people && has("people")) || (!refused_word.empty() && has(refused_word));
  if (is_closed || sql.starts_with("refuse")) {
    return Refusal{.reason = Reason::clause, .message = "not open", .hint = "ask less", .position = 3};
  }
  if (sql.starts_with("syntax")) {
    return Error{
        .kind = ErrorKind::syntax, .sqlstate = "42601", .public_message = "syntax error", .position = 1};
  }
  if (sql.starts_with("unknown é")) {
    return Error{.kind = ErrorKind::unknown_object, .sqlstate = "42703", .public_message = "no column café"};
  }
  if (sql.starts_with("unknown")) {
    return Error{.kind = ErrorKind::unknown_object, .sqlstate = "42703", .public_message = "no such column"};
  }
  rewriter::Rewritten rewritten{.statements = {}, .versions = {}, .generation = generation};
  std::istringstream parts{std::string(sql)};
  std::string joined;
  rewriter::SearchPath path = client.path;
  std::size_t begin = 0;
  for (std::string part; std::getline(parts, part, ';'); begin += part.size() + 1) {
    if (part.empty()) continue;
    rewritten.statements.push_back(understand(part, path));
    Statement& statement = rewritten.statements.back();
    if (client.sends_ascii) statement.sql.replace(0, 2, "ascii");
    statement.sql += mark;
    statement.source_begin = begin;
    statement.source_bytes = part.size();
    if (statement.is_protected && is_people_raw) {
      statement.is_masked = false;
      statement.sql = "raw" + statement.sql.substr(2);
    } else if (statement.is_protected) {
      rewritten.versions = {{.policy = "p", .number = version}};
      if (has_notices) {
        const std::string text = "people is masked, version " + std::to_string(version);
        statement.notices.tables = {{"p", std::make_shared<const rewriter::Notice>(rewriter::Notice{text})}};
      }
    }
    if (has_notices && part.find("hidden") != std::string::npos)
      statement.notices.conditions = {{.message = "id is hidden", .hint = "use another"}};
    made.insert(statement.sql);
    joined += (joined.empty() ? "" : ";") + statement.sql;
  }
  made.insert(joined);
  return rewritten;
}

bool FakeGate::is_current(std::span<const rewriter::VersionId> versions, std::string_view) const {
  ++questions;
  return std::all_of(versions.begin(), versions.end(), [&](const auto& id) { return id.number == version; });
}

AuditedText FakeGate::audited_text(std::string_view text, TextOf what) const {
  const char letter = what == TextOf::statement ? 's' : what == TextOf::refused ? 'r' : 'c';
  return std::make_shared<const std::string>(letter + ("[" + std::string(text) + "]"));
}

std::optional<LookUp> FakeGate::account(std::string_view role, std::string_view) const {
  if (must_ask) return std::nullopt;
  if (role != "ann" || !ann_verifier) return LookUp{};
  return LookUp{Account{*ann_verifier, "ann"}};
}

LookUp FakeGate::look_up(std::string_view) {
  return {};  // a driver's to call
}

Result<LoginDemand> FakeGate::may_log_in(std::string_view, std::string_view,
                                         const ClientOrigin& origin) const {
  if (origin.address != "192.0.2.66") return demand;
  return Error{.kind = ErrorKind::authentication, .sqlstate = "28000", .public_message = "not from there"};
}

std::optional<Credentials> FakeGate::bypass_login(const Identity& who) const {
  return who.role == "ann" && !who.is_looked_up && is_ann_bypass ? std::optional(Credentials{"raw", ""})
                                                                 : std::nullopt;
}

Result<void> FakeGate::may_stay(const Admitted& session) const {
  stayed.push_back(std::string(session.who.role) + "/" + std::string(session.reads_as) + "@" +
                   std::string(session.database) + (session.passed_on_as ? " as " : "") +
                   (session.passed_on_as ? session.passed_on_as->user : ""));
  if (!is_put_out) return {};
  return Error{.kind = ErrorKind::authentication, .sqlstate = "28000", .public_message = "not any more"};
}

Result<void> FakeGate::may_connect(const Identity& who, std::string_view database) const {
  if (who.role != "stranger") return {};
  return Error{.kind = ErrorKind::authentication,
               .sqlstate = "42501",
               .public_message = "role may not use database " + std::string(database)};
}

}  // namespace pgveil::session::testing
