#include "proxy/session/simple.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/kept_plan.hpp"
#include "proxy/session/pooled.hpp"
#include "proxy/session/statement_facts.hpp"

namespace pgveil::session::simple {

namespace {

// Within a transaction the server must fail together with us. Otherwise it need not know.
void refuse_query(Conversation& conversation, wire::ErrorResponse response,
                  std::optional<std::string_view> sql = std::nullopt) {
  audit_refusal(conversation, response, sql);
  const bool must_fail = conversation.status == wire::TransactionStatus::in_block || conversation.is_unsynced;
  if (!must_fail) {
    conversation.state.to_client(response);
    conversation.state.count_answer(conversation.status);
    conversation.state.to_client(wire::ReadyForQuery{.status = conversation.status});
    if (conversation.status == wire::TransactionStatus::idle) conversation.transaction = {};
    return;
  }
  pooled::note_unnamed_dropped(conversation);
  conversation.state.to_backend(wire::Query{.sql = std::string(kRefusalText)});
  conversation.expect({.step = Step::refused_simple,
                       .mark = conversation.registry.mark(),
                       .replacement = std::move(response)});
}

std::string joined(const Conversation& conversation, const rewriter::Rewritten& rewritten) {
  std::string sql;
  for (const rewriter::Statement& statement : rewritten.statements) {
    if (!sql.empty()) sql += ';';
    sql += pooled::text_of(conversation, statement);
  }
  return sql;
}

// Decides when a statement's errors may come from rows that were read before its first answer. SELECT and
// COPY describe their rows first. EXECUTE and FETCH run first and describe afterwards. A commit reads the
// rest of cursors WITH HOLD; this applies to COMMIT, and to the end of a query outside a transaction block,
// for which PostgreSQL reports errors with its last statement.
enum class CommitsHere { no, yes };
Part part_of(rewriter::StatementKind kind, Protection own, Protection earlier, CommitsHere commits) {
  using rewriter::StatementKind;
  const bool reads_earlier = commits == CommitsHere::yes && earlier == Protection::is_protected;
  const bool describes_first = facts_of(kind).describes_first;
  const bool reads_nothing = kind == StatementKind::prepare && !reads_earlier;
  return {.rows = own,
          .errors = reads_earlier ? Protection::is_protected : own,
          .progress = describes_first || reads_nothing ? Progress::before_rows : Progress::running};
}

// Keeps the statement's own part of the client's text, so that what the server keeps of it can be judged
// again by itself.
EntryPtr entry_of(const Conversation& conversation, const rewriter::Statement& statement,
                  const rewriter::Rewritten& rewritten, std::string_view sql) {
  const EntryPtr entry = make_entry(statement, rewritten);
  const NameEffect names = facts_of(statement.kind).names;
  if (names != NameEffect::puts_statement && names != NameEffect::puts_cursor) return entry;
  auto whole = std::make_shared<Entry>(*entry);
  keep_text(conversation, *whole, sql.substr(statement.source_begin, statement.source_bytes), statement.sql);
  return whole;
}

// Only a text that is one statement may be sent again by itself.
void note_run(Conversation& conversation, const rewriter::Rewritten& rewritten, retry::Plan plan) {
  const bool is_one = rewritten.statements.size() == 1;
  const EntryPtr entry = is_one ? make_entry(rewritten.statements.front(), rewritten) : nullptr;
  retry::on_run(conversation, entry.get(), plan);
}

// Checks the statements in their order, each with the names that the earlier ones leave behind.
std::optional<wire::ErrorResponse> enter(Conversation& conversation, const LetThrough& judged,
                                         std::string_view sql, std::vector<Part>& parts) {
  using rewriter::StatementKind;
  const rewriter::Rewritten& rewritten = *judged.rewritten;
  const auto drops_all = [](const rewriter::Statement& it) {
    return it.kind == StatementKind::deallocate || it.kind == StatementKind::discard;
  };
  if (rewritten.statements.size() > 1 && std::ranges::any_of(rewritten.statements, drops_all))
    kept_plan::note_all_dropped(conversation, kept_plan::Certain::no);
  bool may_end_idle = conversation.status == wire::TransactionStatus::idle;
  for (const rewriter::Statement& statement : rewritten.statements) {
    const EntryPtr entry = entry_of(conversation, statement, rewritten, sql);
    const std::size_t mark = conversation.registry.mark();
    const KeptSettings before = conversation.kept();
    const Protection earlier = conversation.transaction.protection;
    const Checked checked =
        check_use(conversation, {.entry = entry, .kind = StatementRegistry::Kind::statement, .name = {}},
                  judged.serving);
    if (const auto* refusal = std::get_if<wire::ErrorResponse>(&checked)) return *refusal;
    if (auto refusal = apply_effect(conversation, *entry)) return refusal;
    const bool is_last = &statement == &rewritten.statements.back();
    const bool is_commit = statement.kind == StatementKind::commit;
    may_end_idle = may_end_idle || is_commit || statement.kind == StatementKind::rollback;
    const bool commits = is_commit || (is_last && may_end_idle);
    parts.push_back(part_of(statement.kind, std::get<Protection>(checked), earlier,
                            commits ? CommitsHere::yes : CommitsHere::no));
    parts.back().mark = mark;
    parts.back().before = before;
    parts.back().shown_setting = shown_setting(conversation, *entry);
    parts.back().origins = entry->origins;
  }
  return std::nullopt;
}

}  // namespace

void on_query(Conversation& conversation, const wire::FrameView& frame) {
  PGVEIL_ASSERT(conversation.expected.empty() && !conversation.is_skipping);
  auto query = wire::decode_as<wire::Query>(frame.body);
  if (!query) return conversation.state.end(query.error());
  StatementRegistry& registry = conversation.registry;
  // PostgreSQL drops the unnamed statement and the unnamed portal at every Query. If this one is refused,
  // they are dropped here nevertheless.
  registry.erase(StatementRegistry::Kind::statement, "");
  registry.erase(StatementRegistry::Kind::portal, "");
  registry.settle();
  if (auto refusal = convert_text(conversation, query->sql))
    return refuse_query(conversation, std::move(*refusal), query->sql);
  Judged judged = judge(conversation, query->sql);
  if (auto* refusal = std::get_if<wire::ErrorResponse>(&judged)) {
    return refuse_query(conversation, std::move(*refusal), query->sql);
  }
  const auto& let_through = std::get<LetThrough>(judged);
  Expectation expectation{.step = Step::simple, .mark = registry.mark(), .before = conversation.kept()};
  if (auto refusal = enter(conversation, let_through, query->sql, expectation.parts)) {
    conversation.return_to(*expectation.before);
    registry.undo_to(expectation.mark, StatementRegistry::NewNames::forget);
    return refuse_query(conversation, std::move(*refusal), query->sql);
  }
  tell_conditions(conversation, *let_through.rewritten);
  tell_tables(conversation);
  const bool is_kept = kept_plan::may_run(conversation, let_through);
  note_run(conversation, *let_through.rewritten, is_kept ? retry::Plan::kept : retry::Plan::of_its_own);
  note_statement(conversation, audited_text(conversation, query->sql, Gate::TextOf::statement));
  if (is_kept) {
    return kept_plan::run(conversation, *let_through.kept, expectation.parts.front(), expectation.mark,
                          *expectation.before);
  }
  pooled::note_unnamed_dropped(conversation);
  conversation.state.to_backend(wire::Query{.sql = joined(conversation, *let_through.rewritten)});
  conversation.expect(std::move(expectation));
}

void on_function_call(Conversation& conversation, const wire::FrameView& frame) {
  PGVEIL_ASSERT(conversation.expected.empty() && !conversation.is_skipping);
  const auto call = wire::decode_as<wire::FunctionCall>(frame.body);
  if (!call) return conversation.state.end(call.error());
  refuse_query(conversation, refuse(sqlstate::kInsufficientPrivilege, "function-call messages are not open",
                                    "call the function in a query"));
}

}  // namespace pgveil::session::simple
