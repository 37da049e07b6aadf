#include "proxy/session/conversation.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "common/sha256.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/pooled.hpp"
#include "proxy/session/renewal.hpp"
#include "proxy/session/statement_facts.hpp"

namespace pgveil::session {

namespace {

using rewriter::Rewritten;
using rewriter::StatementKind;

bool is_protected(const Rewritten& rewritten) {
  return !rewritten.versions.empty() ||
         std::any_of(rewritten.statements.begin(), rewritten.statements.end(),
                     [](const auto& statement) { return statement.is_protected || statement.is_masked; });
}

wire::ErrorResponse changed_policy() {
  return refuse(sqlstate::kInFailedTransaction,
                "the policy changed during this transaction; roll back and start again");
}

// In a failed transaction PostgreSQL parses each statement and then answers 25P02 to everything that does not
// end the transaction.
wire::ErrorResponse as_in_failed_transaction(const Conversation& conversation, wire::ErrorResponse response) {
  const bool is_failed = conversation.status == wire::TransactionStatus::failed && !conversation.is_unsynced;
  if (!is_failed || sqlstate_of(response.diagnostics) == sqlstate::kSyntaxError) return response;
  return refuse(sqlstate::kInFailedTransaction,
                "current transaction is aborted, commands ignored until end of transaction block");
}

std::optional<wire::ErrorResponse> fit_versions(Transaction& transaction, const Entry& entry) {
  for (const rewriter::VersionId& version : entry.versions) {
    const auto [found, is_new] = transaction.versions.try_emplace(version.policy, version.number);
    if (!is_new && found->second != version.number) return changed_policy();
  }
  if (entry.is_protected) transaction.protection = Protection::is_protected;
  return std::nullopt;
}

// EXECUTE and FETCH run what their name stands for, if that is a plain query. Anything else would be a second
// way to prepare, declare or discard, unnoticed by the registry.
std::variant<Use, wire::ErrorResponse> resolve(const Conversation& conversation, const Use& use) {
  if (use.entry == nullptr) return use;
  if (auto refusal = check_name(conversation, use.entry->target)) return std::move(*refusal);
  const bool is_execute = use.entry->kind == StatementKind::execute;
  if (!is_execute && use.entry->kind != StatementKind::fetch) return use;
  const StatementRegistry::Kind kind =
      is_execute ? StatementRegistry::Kind::statement : StatementRegistry::Kind::portal;
  Use named{
      .entry = conversation.registry.find(kind, use.entry->target), .kind = kind, .name = use.entry->target};
  if (named.entry != nullptr && named.entry->kind != StatementKind::select) {
    return refuse(sqlstate::kInsufficientPrivilege,
                  is_execute ? "EXECUTE of a prepared statement that is not a query is not open"
                             : "FETCH from a portal that is not a query is not open");
  }
  return named;
}

void note(Findings& findings, const Entry& entry) {
  findings.is_protected = findings.is_protected || entry.is_protected;
  findings.is_masked = findings.is_masked || entry.is_masked;
  for (const rewriter::VersionId& version : entry.versions) {
    const bool is_known =
        std::find(findings.versions.begin(), findings.versions.end(), version) != findings.versions.end();
    if (!is_known) findings.versions.push_back(version);
  }
  findings.tables.insert(findings.tables.end(), entry.tables.begin(), entry.tables.end());
}

}  // namespace

void Conversation::expect(Expectation expectation) {
  expectation.request = state.request;
  if (!expectation.before) expectation.before = kept();
  const bool is_use = expectation.step == Step::bind || expectation.step == Step::describe_statement;
  if (next_use && is_use) expectation.uses = std::move(*next_use);
  next_use.reset();
  expected.push_back(std::move(expectation));
  is_flush_sent = false;
  state.is_backend_busy = true;
}

void Conversation::pop_expectation() {
  PGVEIL_ASSERT(!expected.empty());
  expected.pop_front();
  state.is_backend_busy = !expected.empty();
}

wire::ErrorResponse refuse(std::string_view sqlstate, std::string_view message, std::string_view hint) {
  return error_response(client_error(sqlstate, message, hint), Severity::error);
}

void Conversation::return_to(const KeptSettings& before) {
  client.path = before.path;
  mode = before.mode;
}

void expect_encoding(Conversation& conversation) {
  conversation.client.sends_ascii = conversation.state.may_convert = true;
}

std::optional<wire::ErrorResponse> convert_text(const Conversation& conversation, std::string& sql) {
  const SingleByteEncoding* encoding = conversation.state.encoding;
  if (encoding == nullptr || is_ascii(sql)) return std::nullopt;
  auto converted = to_utf8(sql, *encoding);
  if (!converted) {
    return refuse(
        sqlstate::kCharacterNotInRepertoire,
        "the statement has a byte that is no character in encoding \"" + std::string(encoding->name) + "\"");
  }
  sql = std::move(*converted);
  return std::nullopt;
}

ShownSetting shown_setting(const Conversation& conversation, const Entry& entry) {
  if (entry.kind != StatementKind::show) return {};
  if (entry.target == "search_path") return {.is_path = true};
  if (entry.target == "transaction_read_only")
    return {.reads_only = conversation.state.is_standby || conversation.mode.reads_only()};
  if (entry.target == "default_transaction_read_only")
    return {.reads_only = conversation.mode.reads_only_by_default()};
  return {};
}

EntryPtr make_entry(const rewriter::Statement& statement, const Rewritten& rewritten, AuditedText text) {
  auto entry = std::make_shared<Entry>();
  entry->kind = statement.kind;
  entry->target = statement.name;
  entry->path_effect = statement.path_effect;
  entry->is_protected = statement.is_protected || statement.is_masked;
  entry->is_masked = statement.is_masked;
  entry->is_held = statement.is_held;
  entry->text = std::move(text);
  entry->generation = rewritten.generation;
  entry->allowed = rewritten.generation;
  if (entry->is_protected) entry->versions = rewritten.versions;
  entry->tables = statement.notices.tables;
  entry->switches = statement.switches;
  entry->sets_encoding = statement.sets_encoding;
  entry->origins = statement.origins;
  return entry;
}

void report_path(Conversation& conversation) {
  SessionState& state = conversation.state;
  if (!state.reports_path) return;
  const rewriter::SchemaNames* schemas = conversation.client.path.schemas();
  std::string path = schemas != nullptr ? rewriter::schema_list_text(*schemas) : state.path_at_start;
  if (state.told_path == path) return;
  state.to_client(wire::ParameterStatus{
      .name = "search_path", .value = state.encoding != nullptr ? from_utf8(path, *state.encoding) : path});
  state.told_path = std::move(path);
}

AuditedText audited_text(const Conversation& conversation, std::string_view sql, Gate::TextOf what) {
  const SessionState& state = conversation.state;
  return state.config.is_audited ? state.gate.audited_text(sql, what) : nullptr;
}

void note_statement(Conversation& conversation, AuditedText text) {
  Findings& findings = conversation.findings;
  if (findings.is_masked) conversation.state.has_sent_masked = true;
  if (!conversation.state.config.is_audited) return;
  const AuditVerdict verdict = findings.is_masked      ? AuditVerdict::masked
                               : findings.is_protected ? AuditVerdict::exempt
                                                       : AuditVerdict::open;
  conversation.state.audit(AuditedStatement{.verdict = verdict,
                                            .sqlstate = {},
                                            .reason = {},
                                            .text = std::move(text),
                                            .versions = std::move(findings.versions)},
                           conversation.state.request);
}

void audit_refusal(Conversation& conversation, const wire::ErrorResponse& response,
                   std::optional<std::string_view> sql) {
  if (!conversation.state.config.is_audited) return;
  std::string sqlstate = sqlstate_of(response.diagnostics);
  const bool is_refused =
      sqlstate == sqlstate::kInsufficientPrivilege || !conversation.findings.reason.empty();
  conversation.state.audit(
      AuditedStatement{.verdict = is_refused ? AuditVerdict::refused : AuditVerdict::error,
                       .sqlstate = std::move(sqlstate),
                       .reason = conversation.findings.reason,
                       .text = sql ? audited_text(conversation, *sql, Gate::TextOf::refused) : nullptr,
                       .versions = {}},
      conversation.state.request);
}

Judged judge(Conversation& conversation, std::string_view sql) {
  return judge(conversation, sql, conversation.client);
}

Judged judge(Conversation& conversation, std::string_view sql, const rewriter::Client& client) {
  SessionState& state = conversation.state;
  const Judgement judgement = state.gate.judge(sql, client, state.database);
  const rewriter::Verdict& verdict = *judgement.verdict;
  if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
    conversation.findings.reason = reason_name(refusal->reason);
    state.log_info("refused (" + std::string(reason_name(refusal->reason)) + ")", refusal->message);
    return as_in_failed_transaction(conversation, error_response(*refusal));
  }
  if (const auto* error = std::get_if<Error>(&verdict)) {
    return as_in_failed_transaction(conversation, error_response(*error, Severity::error));
  }
  const auto& rewritten = std::get<Rewritten>(verdict);
  auto& generation = conversation.transaction.generation;
  // An open statement may set the transaction's snapshot, too.
  const bool counts = is_protected(rewritten) || !judgement.serving.has_version_guard;
  if (counts && !generation) generation = rewritten.generation;
  if (is_protected(rewritten) && *generation != rewritten.generation) {
    return as_in_failed_transaction(conversation, changed_policy());
  }
  if (auto refusal = pooled::refuse(conversation, rewritten)) {
    return as_in_failed_transaction(conversation, std::move(*refusal));
  }
  return LetThrough{std::shared_ptr<const Rewritten>(judgement.verdict, &rewritten), judgement.serving,
                    judgement.kept, judgement.may_keep_plan};
}

Protection protection_of(const Use& use) {
  return use.entry == nullptr || use.entry->is_protected ? Protection::is_protected : Protection::open;
}

Checked check_use(Conversation& conversation, const Use& use, const Serving& serving) {
  auto& generation = conversation.transaction.generation;
  const bool is_answered = serving.generation != 0;
  if (!generation && is_answered && !serving.has_version_guard) generation = serving.generation;
  if (use.entry != nullptr && use.entry->refusal != nullptr && use.kind == StatementRegistry::Kind::statement)
    return as_in_failed_transaction(conversation, *use.entry->refusal);
  auto resolved = resolve(conversation, use);
  if (auto* refusal = std::get_if<wire::ErrorResponse>(&resolved)) return std::move(*refusal);
  const Use& named = std::get<Use>(resolved);
  if (named.entry == nullptr) {
    conversation.transaction.protection = Protection::is_protected;
    return Protection::is_protected;
  }
  note(conversation.findings, *named.entry);
  if (auto refusal = renewal::judge_again(conversation, named, serving))
    return as_in_failed_transaction(conversation, std::move(*refusal));
  if (auto refusal = fit_versions(conversation.transaction, *named.entry)) {
    return as_in_failed_transaction(conversation, std::move(*refusal));
  }
  return protection_of(named) == Protection::is_protected ? Protection::is_protected : protection_of(use);
}

std::optional<wire::ErrorResponse> check_name(const Conversation& conversation, std::string_view name) {
  if (name.size() > kMaxNameBytes) return refuse(sqlstate::kNameTooLong, "name is longer than 63 bytes");
  // In transaction mode the server has no name of the client's.
  if (pooled::is_in_use(conversation) || !name.starts_with(kOwnNames)) return std::nullopt;
  return refuse(sqlstate::kReservedName,
                "names of statements that begin with " + std::string(kOwnNames) + " are reserved for pgveil",
                "choose another name");
}

std::optional<wire::ErrorResponse> check_new_name(const Conversation& conversation, std::string_view name) {
  if (auto refusal = check_name(conversation, name)) return refusal;
  if (conversation.registry.size() >= conversation.state.config.limits.statements) {
    return refuse(sqlstate::kProgramLimitExceeded, "too many prepared statements and portals",
                  "close some of them");
  }
  return std::nullopt;
}

std::optional<wire::ErrorResponse> check_room(const Conversation& conversation, std::size_t source_bytes,
                                              std::size_t sent_bytes) {
  const std::size_t limit = conversation.state.config.limits.statement_bytes;
  const bool fits = *conversation.source_bytes + source_bytes <= limit &&
                    conversation.registry.sent_bytes() + sent_bytes <= limit;
  if (fits) return std::nullopt;
  return refuse(sqlstate::kProgramLimitExceeded,
                "the prepared statements and portals of this session are too long in all, masks included",
                "close some of them; limits.session_statement_bytes is how long they may be");
}

void keep_text(const Conversation& conversation, Entry& entry, std::string_view sql,
               std::string_view sent_sql) {
  entry.source = std::make_shared<const SourceText>(std::string(sql), conversation.client.path,
                                                    conversation.source_bytes);
  entry.sent = {.digest = sha256(sent_sql), .bytes = sent_sql.size()};
}

namespace {

std::optional<wire::ErrorResponse> check_keeping(const Conversation& conversation, const Entry& entry) {
  if (auto refusal = check_new_name(conversation, entry.target)) return refusal;
  return check_room(conversation, 0, entry.sent.bytes);
}

}  // namespace

std::optional<wire::ErrorResponse> apply_effect(Conversation& conversation, const Entry& entry) {
  using Kind = StatementRegistry::Kind;
  StatementRegistry& registry = conversation.registry;
  pooled::note_effect(conversation, entry);
  const StatementFacts facts = facts_of(entry.kind);
  const bool is_setting = facts.connection != ConnectionEffect::none;
  if (is_setting) conversation.has_set_in_transaction = true;
  if (is_setting || (facts.may_end_failed_transaction && conversation.has_set_in_transaction)) {
    conversation.is_changing_settings = true;
    conversation.keys_while_changing.clear();
  }
  if (is_setting && may_change_unreported(entry.kind == rewriter::StatementKind::set ? entry.target : ""))
    conversation.has_set_unreported = true;
  if (conversation.has_set_unreported && (is_setting || facts.may_end_failed_transaction))
    note_unreported_change(*conversation.state.server);
  if (entry.path_effect != nullptr) {
    conversation.client.path.apply(*entry.path_effect);
    conversation.mode.apply(*entry.path_effect);
  }
  apply(conversation.notices, entry.switches);
  if (entry.sets_encoding) expect_encoding(conversation);
  const auto made_query = [&] {
    auto query = std::make_shared<Entry>(entry);
    query->kind = StatementKind::select;
    query->target.clear();
    query->parsed = nullptr;  // the text is not that of the statement
    query->result = nullptr;
    return query;
  };
  const auto erase = [&](Kind kind) {
    entry.target.empty() ? registry.erase_all(kind) : registry.erase(kind, entry.target);
  };
  switch (facts_of(entry.kind).names) {
    case NameEffect::puts_statement:
      if (auto refusal = check_keeping(conversation, entry)) return refusal;
      registry.put_statement(entry.target, made_query());
      break;
    case NameEffect::puts_cursor:
      if (auto refusal = check_keeping(conversation, entry)) return refusal;
      registry.put_portal(entry.target, made_query(), pooled::cursor_life(conversation, entry));
      break;
    case NameEffect::drops_statement: erase(Kind::statement); break;
    case NameEffect::drops_cursor: erase(Kind::portal); break;
    case NameEffect::discards:
      if (entry.target != "all") break;
      registry.erase_all(Kind::statement);
      registry.erase_all(Kind::portal);
      break;
    case NameEffect::none: break;
  }
  return std::nullopt;
}

}  // namespace pgveil::session
