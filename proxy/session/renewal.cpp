#include "proxy/session/renewal.hpp"

#include <algorithm>
#include <type_traits>

#include "common/sha256.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/extended.hpp"
#include "proxy/session/pooled.hpp"
#include "proxy/session/statement_facts.hpp"

namespace pgveil::session::renewal {

namespace {

using rewriter::Rewritten;
using Kind = StatementRegistry::Kind;

constexpr std::uint64_t kNever = 0;  // no snapshot has this generation: judge again at the next use

// The prepared statement that the message is about.
std::optional<std::string_view> statement_of(const wire::FrameView& frame) {
  std::string_view rest = frame.body;
  if (frame.tag == wire::Bind::tag) {
    const std::size_t portal = rest.find('\0');
    if (portal == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(portal + 1);
  } else if (frame.tag == wire::Describe::tag) {
    if (!rest.starts_with(static_cast<char>(wire::Target::statement))) return std::nullopt;
    rest.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

bool reads_the_same(const Entry& a, const Entry& b) {
  return a.is_protected == b.is_protected && a.is_masked == b.is_masked && a.versions == b.versions;
}

// Makes the entry stand for a refused statement, until it is judged again under a generation later than this
// one.
void put_refused(Conversation& conversation, std::string_view name, const Entry& entry,
                 std::uint64_t generation, wire::ErrorResponse refusal) {
  auto refused = std::make_shared<Entry>(entry);
  refused->generation = generation;
  refused->refusal = std::make_shared<const wire::ErrorResponse>(std::move(refusal));
  conversation.registry.put_statement(name, std::move(refused));
}

void put_verdict(Conversation& conversation, std::string_view name, const Entry& entry,
                 std::uint64_t generation, const rewriter::Verdict& verdict) {
  if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
    conversation.state.log_info("refused (" + std::string(reason_name(refusal->reason)) + ")",
                                refusal->message);
    return put_refused(conversation, name, entry, generation, error_response(*refusal));
  }
  put_refused(conversation, name, entry, generation,
              error_response(std::get<Error>(verdict), Severity::error));
}

// A transaction that has used one snapshot continues with what was prepared under it, if that still reads the
// same.
bool is_bound_by_transaction(const Conversation& conversation, const Rewritten& rewritten) {
  const auto& generation = conversation.transaction.generation;
  return generation && *generation != rewritten.generation;
}

void stay(Conversation& conversation, std::string_view name, const Entry& entry, const Entry& fresh) {
  if (!reads_the_same(entry, fresh)) {
    return put_refused(conversation, name, entry, entry.generation,
                       refuse(sqlstate::kInFailedTransaction,
                              "the policy changed during this transaction; roll back and start again"));
  }
  auto usable = std::make_shared<Entry>(entry);
  usable->refusal = nullptr;
  usable->allowed = fresh.generation;
  conversation.registry.update(Kind::statement, name, std::move(usable));
}

// Returns the server's name for it; nullopt: it cannot be used, and the registry says why.
std::optional<std::string> prepare_placed(Conversation& conversation, const std::string& name,
                                          const EntryPtr& entry) {
  auto prepared = pooled::prepare_here(conversation, {.entry = entry, .kind = Kind::statement, .name = name});
  if (auto* there = std::get_if<std::string>(&prepared)) return std::move(*there);
  put_refused(conversation, name, *entry, kNever, std::move(std::get<wire::ErrorResponse>(prepared)));
  return std::nullopt;
}

void prepare_own(Conversation& conversation, const std::string& name, const Entry& entry, std::size_t mark,
                 std::string sql) {
  const Protection protection = entry.is_protected ? Protection::is_protected : Protection::open;
  const auto hidden = Expectation::Shown::not_at_all;
  if (!name.empty()) {
    conversation.state.to_backend(wire::Close{.target = wire::Target::statement, .name = name});
    conversation.expect({.step = Step::close, .protection = protection, .mark = mark, .shown = hidden});
  }
  conversation.state.to_backend(wire::Parse{
      .statement = name, .sql = std::move(sql), .parameter_types = entry.parsed->parameter_types});
  conversation.is_unsynced = true;
  conversation.expect({.step = Step::parse, .protection = protection, .mark = mark, .shown = hidden});
}

void describe(Conversation& conversation, const std::string& name, const std::string& server_name,
              const Entry& entry) {
  conversation.state.to_backend(wire::Describe{.target = wire::Target::statement, .name = server_name});
  conversation.is_unsynced = true;
  conversation.expect({.step = Step::describe_statement,
                       .protection = entry.is_protected ? Protection::is_protected : Protection::open,
                       .mark = conversation.registry.mark(),
                       .shown = Expectation::Shown::not_at_all,
                       .renews = name});
  extended::flush(conversation);
}

std::optional<wire::ErrorResponse> check_growth(const Conversation& conversation, const Entry& entry,
                                                const Entry& fresh) {
  const std::size_t more = fresh.sent.bytes - std::min(fresh.sent.bytes, entry.sent.bytes);
  return check_room(conversation, 0, more);
}

void renew(Conversation& conversation, const std::string& name, const Entry& entry,
           const Rewritten& rewritten) {
  const rewriter::Statement none;
  const rewriter::Statement& statement = rewritten.statements.empty() ? none : rewritten.statements.front();
  auto fresh = std::make_shared<Entry>(*make_entry(statement, rewritten, entry.text));
  fresh->source = entry.source;
  fresh->parsed = entry.parsed;
  fresh->result = entry.result;
  fresh->sent = {.digest = sha256(statement.sql), .bytes = statement.sql.size()};
  const std::size_t mark = conversation.registry.mark();
  if (auto full = check_growth(conversation, entry, *fresh))
    return put_refused(conversation, name, entry, kNever, std::move(*full));
  std::string server_name = name;
  if (pooled::is_placed(conversation, &entry)) {
    fresh->parsed = pooled::renewed_text(conversation, *entry.parsed, name, *fresh);
    conversation.registry.put_statement(name, fresh);
    const auto there = prepare_placed(conversation, name, fresh);
    if (!there) return;
    server_name = *there;
  } else {
    conversation.registry.put_statement(name, fresh);
    prepare_own(conversation, name, *fresh, mark, statement.sql);
  }
  if (!fresh->result->empty()) describe(conversation, name, server_name, *fresh);
}

bool is_sent_the_same(const Entry& entry, const Rewritten& rewritten) {
  if (rewritten.statements.size() > 1) return false;
  const rewriter::Statement none;
  const rewriter::Statement& statement = rewritten.statements.empty() ? none : rewritten.statements.front();
  return reads_the_same(entry, *make_entry(statement, rewritten)) &&
         sha256(statement.sql) == entry.sent.digest;
}

wire::ErrorResponse not_the_same(const Use& use, bool is_of_earlier_version) {
  const bool is_portal = use.kind == Kind::portal;
  const std::string what = (is_portal ? "portal \"" : "prepared statement \"") + use.name + "\" ";
  const std::string why = is_of_earlier_version ? "was made under an earlier version of its policy; "
                                                : "would be answered otherwise since the policies changed; ";
  return refuse(is_portal ? sqlstate::kInvalidCursorName : sqlstate::kInvalidSqlStatementName,
                what + why + (is_portal ? "open it again" : "prepare it again"));
}

// A position in the kept text would be wrong in the client's current text.
template <class Objection>
wire::ErrorResponse without_position(Objection objection) {
  objection.position = 0;
  if constexpr (std::is_same_v<Objection, Error>)
    return error_response(objection, Severity::error);
  else
    return error_response(objection);
}

}  // namespace

std::optional<wire::ErrorResponse> judge_again(Conversation& conversation, const Use& use,
                                               const Serving& serving) {
  const Entry& entry = *use.entry;
  SessionState& state = conversation.state;
  // A generation is one snapshot. What was allowed under it stays allowed while it is served.
  const bool is_answered = serving.generation != 0;
  if (is_answered && entry.allowed == serving.generation) return std::nullopt;
  if (entry.source == nullptr && !state.gate.is_current(entry.versions, state.database))
    return not_the_same(use, true);
  if (entry.source == nullptr || !facts_of(entry.kind).reads_tables) return std::nullopt;
  rewriter::Client client = conversation.client;
  client.path = entry.source->path;
  const auto judged = state.gate.judge(entry.source->sql, client, state.database).verdict;
  const rewriter::Verdict& verdict = *judged;
  if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
    conversation.findings.reason = reason_name(refusal->reason);
    state.log_info("refused (" + std::string(reason_name(refusal->reason)) + ")", refusal->message);
    return without_position(*refusal);
  }
  if (const auto* error = std::get_if<Error>(&verdict)) return without_position(*error);
  const auto& rewritten = std::get<Rewritten>(verdict);
  if (!is_sent_the_same(entry, rewritten))
    return not_the_same(use, !state.gate.is_current(entry.versions, state.database));
  if (conversation.registry.find(use.kind, use.name) != use.entry) return std::nullopt;  // not yet entered
  auto allowed = std::make_shared<Entry>(entry);
  allowed->allowed = rewritten.generation;
  conversation.registry.update(use.kind, use.name, std::move(allowed));
  return std::nullopt;
}

void before(Conversation& conversation, const wire::FrameView& frame) {
  if (conversation.is_skipping || conversation.status == wire::TransactionStatus::failed) return;
  const auto name = statement_of(frame);
  if (!name) return;
  const EntryPtr entry = conversation.registry.find(Kind::statement, *name);
  if (entry == nullptr || entry->parsed == nullptr || entry->source == nullptr) return;
  if (!facts_of(entry->kind).reads_tables) return;
  const SessionState& state = conversation.state;
  const std::uint64_t generation = state.gate.serving(state.database).generation;
  if (entry->generation == generation) return;
  rewriter::Client client = conversation.client;
  client.path = entry->source->path;
  const auto verdict = state.gate.judge(entry->source->sql, client, state.database).verdict;
  const auto* rewritten = std::get_if<Rewritten>(verdict.get());
  if (rewritten == nullptr) return put_verdict(conversation, *name, *entry, generation, *verdict);
  const rewriter::Statement none;
  const auto fresh = make_entry(rewritten->statements.empty() ? none : rewritten->statements.front(),
                                *rewritten, entry->text);
  if (is_bound_by_transaction(conversation, *rewritten)) return stay(conversation, *name, *entry, *fresh);
  renew(conversation, std::string(*name), *entry, *rewritten);
}

bool is_under_way(const Conversation& conversation) {
  return std::ranges::any_of(conversation.expected,
                             [](const Expectation& each) { return each.renews.has_value(); });
}

std::string result_of(const wire::RowDescription& description) {
  std::string text;
  for (const wire::ColumnDescription& column : description.columns) {
    text += column.name + '\0' + std::to_string(column.type_oid) + ' ' +
            std::to_string(column.type_modifier) + '\n';
  }
  return text.empty() ? "\n" : text;
}

wire::ErrorResponse changed_result() {
  return refuse(sqlstate::kFeatureNotSupported, kStalePlanText);
}

void refuse_stale(Conversation& conversation, std::string_view name,
                  const std::shared_ptr<const std::string>& told) {
  const EntryPtr entry = conversation.registry.find(Kind::statement, name);
  if (entry == nullptr || entry->result != told) return;
  put_refused(conversation, name, *entry, entry->generation, changed_result());
}

void on_described(Conversation& conversation, const Expectation& asked, std::string_view result) {
  const EntryPtr entry = conversation.registry.find(Kind::statement, *asked.renews);
  if (entry == nullptr || entry->result == nullptr || *entry->result == result) return;
  put_refused(conversation, *asked.renews, *entry, entry->generation, changed_result());
}

}  // namespace pgveil::session::renewal
