#include "proxy/session/pooled.hpp"

#include "common/assert.hpp"
#include "common/sha256.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/kept_plan.hpp"
#include "proxy/session/prepare_on_connection.hpp"
#include "proxy/session/statement_facts.hpp"

namespace pgveil::session::pooled {

namespace {

using rewriter::StatementKind;

constexpr std::string_view kNoStatement = "pgveil_none";  // PreparedStatements never uses this name
const std::string kDeallocate = "DEALLOCATE ALL";

// The key of a named statement. All clients that send the same text with the same types share it.
std::string key_of(const SentText& sent, const std::vector<std::uint32_t>& parameter_types) {
  std::string key;
  for (const std::uint32_t type : parameter_types) key += std::to_string(type) + ",";
  return key + ";" + sent.digest;
}

std::string kept_key(std::uint64_t generation, const SentText& sent,
                     const std::vector<std::uint32_t>& parameter_types) {
  return std::to_string(generation) + ";" + key_of(sent, parameter_types);
}

// The unnamed statement never belongs to another session, so its key only has to differ from others of this
// one.
std::string key_for(Conversation& conversation, std::string_view name, const SentText& sent,
                    const std::vector<std::uint32_t>& parameter_types) {
  if (!is_in_use(conversation)) return {};
  return name.empty() ? "#" + std::to_string(++conversation.unnamed_count) : key_of(sent, parameter_types);
}

// Of a statement that is not unnamed. While settings are changing it is one that nobody else has, because
// others may not take the statement for theirs.
std::string key_here(Conversation& conversation, const ParsedText& parsed) {
  const BackendState& server = *conversation.state.server;
  const std::string key = parsed.key + reading_of_constants(server);
  if (!conversation.is_changing_settings) return key;
  constexpr std::size_t kMostKeys = 1'000;  // of one batch; those that are forgotten are prepared again
  auto& keys = conversation.keys_while_changing;
  if (keys.size() >= kMostKeys && !keys.contains(parsed.key)) keys.clear();
  std::string& own = keys[parsed.key];
  while (own.empty()) {
    std::string next = key + "#" + std::to_string(++conversation.unnamed_count);
    if (!server.statements.has(next)) own = std::move(next);
  }
  return own;
}

bool is_unnamed_there(std::string_view name, const ParsedText& parsed) {
  return name.empty() && !parsed.is_kept;
}

wire::ErrorResponse unknown_statement(const std::string& name) {
  return session::refuse(sqlstate::kInvalidSqlStatementName,
                         "prepared statement \"" + name + "\" does not exist");
}

wire::ErrorResponse failed_transaction() {
  return session::refuse(sqlstate::kInFailedTransaction,
                         "current transaction is aborted, commands ignored until end of transaction block");
}

// Sends the Parse of a statement that is not on the connection, and returns its name there.
std::string parse_here(Conversation& conversation, bool is_unnamed, const ParsedText& parsed,
                       const std::string& sent_sql, Expectation expectation) {
  if (!is_unnamed) {
    const auto origin =
        parsed.is_kept ? PreparedStatements::Origin::kept : PreparedStatements::Origin::of_client;
    return prepare_on_connection(conversation, key_here(conversation, parsed), sent_sql,
                                 parsed.parameter_types, origin, std::move(expectation));
  }
  conversation.state.server->unnamed = parsed.key;
  conversation.state.to_backend(
      wire::Parse{.statement = "", .sql = sent_sql, .parameter_types = parsed.parameter_types});
  conversation.is_unsynced = true;
  expectation.prepares = parsed.key;
  conversation.expect(std::move(expectation));
  return "";
}

// What prepare_here returns.
std::variant<std::string, wire::ErrorResponse> place_here(Conversation& conversation, const Use& use) {
  BackendState& server = *conversation.state.server;
  if (use.entry == nullptr || use.entry->parsed == nullptr) return unknown_statement(use.name);
  const ParsedText& parsed = *use.entry->parsed;
  const bool is_unnamed = is_unnamed_there(use.name, parsed);
  if (is_unnamed && server.unnamed == parsed.key) return std::string();
  if (!is_unnamed) {
    if (const std::string* name = server.statements.find(key_here(conversation, parsed))) return *name;
  }
  rewriter::Client client = conversation.client;
  client.path = use.entry->source->path;
  Judged judged = judge(conversation, use.entry->source->sql, client);
  if (auto* refusal = std::get_if<wire::ErrorResponse>(&judged)) return std::move(*refusal);
  const auto& statements = std::get<LetThrough>(judged).rewritten->statements;
  const std::string sent_sql = statements.empty() ? "" : pooled::text_of(conversation, statements.front());
  const bool is_same = sha256(sent_sql) == use.entry->sent.digest;
  if (statements.size() > 1 || !is_same) {
    return session::refuse(
        sqlstate::kInvalidSqlStatementName,
        "prepared statement \"" + use.name + "\" has another meaning now; prepare it again");
  }
  return parse_here(conversation, is_unnamed, parsed, sent_sql,
                    {.step = Step::parse,
                     .protection = protection_of(use),
                     .mark = conversation.registry.mark(),
                     .shown = Expectation::Shown::not_at_all});
}

// Nothing before the message at hand can make the server skip it.
bool is_alone(const Conversation& conversation) {
  return conversation.status == wire::TransactionStatus::idle && !conversation.is_unsynced;
}

// In the other modes the client has the connection for itself. Only what pgveil has prepared there counts.
void note_dropped(Conversation& conversation, const Entry& entry) {
  const bool is_deallocate = entry.kind == StatementKind::deallocate && entry.target.empty();
  const bool is_discard = entry.kind == StatementKind::discard && entry.target == "all";
  if (!is_deallocate && !is_discard) return;
  const auto certain = is_alone(conversation) ? kept_plan::Certain::yes : kept_plan::Certain::no;
  kept_plan::note_all_dropped(conversation, certain);
}

}  // namespace

bool is_in_use(const Conversation& conversation) {
  return conversation.state.pool_mode == PoolMode::transaction;
}

bool is_placed(const Conversation& conversation, const Entry* entry) {
  if (is_in_use(conversation)) return true;
  return entry != nullptr && entry->parsed != nullptr && !entry->parsed->key.empty();
}

std::optional<wire::ErrorResponse> refuse(const Conversation& conversation,
                                          const rewriter::Rewritten& rewritten) {
  if (!is_in_use(conversation)) return std::nullopt;
  for (const rewriter::Statement& statement : rewritten.statements) {
    const bool is_unknown =
        statement.kind == StatementKind::deallocate && !statement.name.empty() &&
        conversation.registry.find(StatementRegistry::Kind::statement, statement.name) == nullptr;
    if (is_unknown) return unknown_statement(statement.name);
    const StatementFacts facts = facts_of(statement.kind);
    if (facts.needs_own_connection.empty()) continue;
    return session::refuse(
        sqlstate::kFeatureNotSupported,
        std::string(facts.needs_own_connection) + " is not answered in transaction pooling",
        "use the driver's prepared statements, which are messages of the protocol");
  }
  return std::nullopt;
}

const std::string& text_of(const Conversation& conversation, const rewriter::Statement& statement) {
  const bool is_ours = is_in_use(conversation) && statement.kind == StatementKind::deallocate;
  return is_ours ? kDeallocate : statement.sql;
}

// A statement may have changed settings unless it is known not to.
void note_effect(Conversation& conversation, const Entry& entry) {
  if (!is_in_use(conversation)) return note_dropped(conversation, entry);
  BackendState& server = *conversation.state.server;
  switch (facts_of(entry.kind).connection) {
    case ConnectionEffect::drops_statements:
      is_alone(conversation) ? server.statements.forget_all() : close_all_later(conversation);
      server.unnamed.clear();
      server.is_soiled = true;
      conversation.has_set = true;
      return;
    case ConnectionEffect::may_change_settings: conversation.has_set = true; return;
    case ConnectionEffect::none: return;
  }
}

void note_unnamed_dropped(Conversation& conversation) {
  if (is_in_use(conversation)) conversation.state.server->unnamed.clear();
}

void note_not_prepared(Conversation& conversation, const std::string& key) {
  if (key.empty()) return;
  BackendState& server = *conversation.state.server;
  server.statements.forget(key);
  if (server.unnamed == key) server.unnamed.clear();
}

PortalLife cursor_life(const Conversation& conversation, const Entry& entry) {
  return is_in_use(conversation) && !entry.is_held ? PortalLife::transaction : PortalLife::session;
}

// PostgreSQL looks at the failed transaction first, and lets an empty text through.
std::optional<wire::ErrorResponse> check_parse(const Conversation& conversation, const wire::Parse& message,
                                               const rewriter::Rewritten& rewritten) {
  const bool is_taken =
      is_in_use(conversation) && !message.statement.empty() &&
      conversation.registry.find(StatementRegistry::Kind::statement, message.statement) != nullptr;
  if (!is_taken) return std::nullopt;
  const bool is_aborted = conversation.status == wire::TransactionStatus::failed && !conversation.is_unsynced;
  const bool may_run =
      rewritten.statements.empty() || facts_of(rewritten.statements.front().kind).may_end_failed_transaction;
  if (is_aborted && !may_run) return failed_transaction();
  return session::refuse(sqlstate::kDuplicatePreparedStatement,
                         "prepared statement \"" + message.statement + "\" already exists");
}

std::shared_ptr<const ParsedText> parsed_text(Conversation& conversation, const wire::Parse& message,
                                              const LetThrough& judged, const SentText& sent) {
  const auto& types = message.parameter_types;
  BackendState* server = conversation.state.server.get();
  const bool may_keep = message.statement.empty() && judged.may_keep_plan && server != nullptr &&
                        server->knows_statements && fits_as_kept(conversation, sent.bytes) &&
                        !conversation.is_changing_settings;
  if (may_keep) {
    std::string key = kept_key(judged.rewritten->generation, sent, types);
    if (server->statements.is_met_again(key + reading_of_constants(*server)))
      return std::make_shared<const ParsedText>(ParsedText{types, std::move(key), true});
  }
  return std::make_shared<const ParsedText>(
      ParsedText{types, key_for(conversation, message.statement, sent, types)});
}

std::shared_ptr<const ParsedText> renewed_text(Conversation& conversation, const ParsedText& parsed,
                                               std::string_view name, const Entry& fresh) {
  const auto& types = parsed.parameter_types;
  return std::make_shared<const ParsedText>(ParsedText{types,
                                                       parsed.is_kept
                                                           ? kept_key(fresh.generation, fresh.sent, types)
                                                           : key_for(conversation, name, fresh.sent, types),
                                                       parsed.is_kept});
}

// A statement that is already there needs no Parse. Its ParseComplete replaces the answer to a message that
// does nothing. In a failed transaction only statements that end it may be prepared.
std::optional<wire::ErrorResponse> send_parse(Conversation& conversation, const wire::Parse& message,
                                              const Entry& entry, const std::string& sent_sql,
                                              std::size_t mark) {
  const ParsedText& parsed = *entry.parsed;
  const Protection protection = entry.is_protected ? Protection::is_protected : Protection::open;
  const bool is_unnamed = is_unnamed_there(message.statement, parsed);
  if (is_unnamed || conversation.state.server->statements.find(key_here(conversation, parsed)) == nullptr) {
    parse_here(conversation, is_unnamed, parsed, sent_sql,
               {.step = Step::parse, .protection = protection, .mark = mark});
    return std::nullopt;
  }
  const bool is_aborted = conversation.status == wire::TransactionStatus::failed;
  if (is_aborted && !facts_of(entry.kind).may_end_failed_transaction) return failed_transaction();
  conversation.state.to_backend(stand_in_for_close());
  conversation.is_unsynced = true;
  conversation.expect(
      {.step = Step::close, .protection = protection, .mark = mark, .shown = Expectation::Shown::as_parsed});
  return std::nullopt;
}

std::variant<std::string, wire::ErrorResponse> prepare_here(Conversation& conversation, const Use& use) {
  conversation.next_use.reset();
  const std::size_t sent_before = conversation.expected.size();
  auto name = place_here(conversation, use);
  const auto* there = std::get_if<std::string>(&name);
  if (there != nullptr && !there->empty()) {
    conversation.next_use = OwnUse{key_here(conversation, *use.entry->parsed), *there, use.name,
                                   use.entry->result, conversation.expected.size() > sent_before};
  }
  return name;
}

wire::Close stand_in_for_close() {
  return {.target = wire::Target::statement, .name = std::string(kNoStatement)};
}

}  // namespace pgveil::session::pooled
