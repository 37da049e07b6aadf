#include "proxy/session/pooled.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/digest.hpp"

namespace pgveil::session::pooled {

namespace {

using rewriter::StatementKind;

constexpr std::size_t kMaxParsedBytes = 64 << 20;         // of one client's statements
constexpr std::string_view kNoStatement = "pgveil_none";  // PreparedStatements never gives this name
const std::string kDeallocate = "DEALLOCATE ALL";

std::string key_of(const std::string& sql, const std::vector<std::uint32_t>& parameter_types) {
  std::string text;
  for (const std::uint32_t type : parameter_types) text += std::to_string(type) + ",";
  return sha256_of(text + ";" + sql);
}

std::optional<std::string_view> needs_own_connection(const rewriter::Statement& statement) {
  switch (statement.kind) {
    case StatementKind::prepare: return "PREPARE";
    case StatementKind::execute: return "EXECUTE";
    case StatementKind::declare_cursor:
      return statement.is_held ? std::optional<std::string_view>("DECLARE … WITH HOLD") : std::nullopt;
    case StatementKind::select:
    case StatementKind::copy_out:
    case StatementKind::deallocate:
    case StatementKind::fetch:
    case StatementKind::close_cursor:
    case StatementKind::begin:
    case StatementKind::commit:
    case StatementKind::rollback:
    case StatementKind::savepoint:
    case StatementKind::set:
    case StatementKind::show:
    case StatementKind::discard:
    case StatementKind::explain: return std::nullopt;
  }
  return std::nullopt;
}

wire::ErrorResponse unknown_statement(const std::string& name) {
  return session::refuse(sqlstate::kInvalidSqlStatementName,
                         "prepared statement \"" + name + "\" does not exist");
}

// Makes room for one more.
void close_oldest(Conversation& conversation) {
  PreparedStatements& statements = conversation.link.server->statements;
  if (statements.size() < std::max<std::size_t>(conversation.link.config.limits.prepared_statements, 1))
    return;
  conversation.link.to_backend(
      wire::Close{.target = wire::Target::statement, .name = statements.take_oldest()});
  conversation.expect(
      {.step = Step::close, .mark = conversation.registry.mark(), .shown = Expectation::Shown::not_at_all});
}

// Sends the Parse of a statement that is not on the connection → its name there.
std::string parse_here(Conversation& conversation, bool is_unnamed, const ParsedText& parsed,
                       const std::string& sent_sql, Expectation expectation) {
  BackendState& server = *conversation.link.server;
  std::string name;
  if (is_unnamed) {
    server.unnamed = parsed.key;
  } else {
    close_oldest(conversation);
    name = server.statements.add(parsed.key);
  }
  conversation.link.to_backend(
      wire::Parse{.statement = name, .sql = sent_sql, .parameter_types = parsed.parameter_types});
  conversation.is_unsynced = true;
  expectation.prepares = parsed.key;
  conversation.expect(std::move(expectation));
  return name;
}

}  // namespace

bool is_in_use(const Conversation& conversation) {
  return conversation.link.pool_mode == PoolMode::transaction;
}

std::optional<wire::ErrorResponse> refuse(const Conversation& conversation,
                                          const rewriter::Rewritten& rewritten) {
  if (!is_in_use(conversation)) return std::nullopt;
  for (const rewriter::Statement& statement : rewritten.statements) {
    const bool is_unknown = statement.kind == StatementKind::deallocate && !statement.name.empty() &&
                            conversation.registry.find(Registry::Kind::statement, statement.name) == nullptr;
    if (is_unknown) return unknown_statement(statement.name);
    const auto what = needs_own_connection(statement);
    if (!what) continue;
    const bool is_cursor = statement.kind == StatementKind::declare_cursor;
    return session::refuse(
        sqlstate::kFeatureNotSupported, std::string(*what) + " is not answered in transaction pooling",
        is_cursor ? "use the cursor inside a transaction"
                  : "use the driver's prepared statements, which are messages of the protocol");
  }
  return std::nullopt;
}

const std::string& text_of(const Conversation& conversation, const rewriter::Statement& statement) {
  const bool is_ours = is_in_use(conversation) && statement.kind == StatementKind::deallocate;
  return is_ours ? kDeallocate : statement.sql;
}

// Whatever is not known to leave settings alone may have changed them.
void note_effect(Conversation& conversation, const Entry& entry) {
  if (!is_in_use(conversation)) return;
  BackendState& server = *conversation.link.server;
  switch (entry.kind) {
    case StatementKind::discard:
    case StatementKind::deallocate:
      server.statements.forget_all();
      server.unnamed.clear();
      server.is_soiled = true;
      conversation.has_set = true;
      return;
    case StatementKind::set:
    case StatementKind::prepare:
    case StatementKind::execute: conversation.has_set = true; return;
    case StatementKind::select:
    case StatementKind::copy_out:
    case StatementKind::declare_cursor:
    case StatementKind::fetch:
    case StatementKind::close_cursor:
    case StatementKind::begin:
    case StatementKind::commit:
    case StatementKind::rollback:
    case StatementKind::savepoint:
    case StatementKind::show:
    case StatementKind::explain: return;
  }
}

void note_unnamed_dropped(Conversation& conversation) {
  if (is_in_use(conversation)) conversation.link.server->unnamed.clear();
}

void note_not_prepared(Conversation& conversation, const std::string& key) {
  if (key.empty()) return;
  BackendState& server = *conversation.link.server;
  server.statements.forget(key);
  if (server.unnamed == key) server.unnamed.clear();
}

PortalLife cursor_life(const Conversation& conversation) {
  return is_in_use(conversation) ? PortalLife::transaction : PortalLife::session;
}

std::optional<wire::ErrorResponse> check_parse(const Conversation& conversation, const wire::Parse& message) {
  const bool is_taken = !message.statement.empty() &&
                        conversation.registry.find(Registry::Kind::statement, message.statement) != nullptr;
  if (is_taken) {
    return session::refuse(sqlstate::kDuplicatePreparedStatement,
                           "prepared statement \"" + message.statement + "\" already exists");
  }
  if (*conversation.parsed_bytes + message.sql.size() <= kMaxParsedBytes) return std::nullopt;
  return session::refuse(sqlstate::kProgramLimitExceeded, "the prepared statements are too long in all",
                         "close some of them");
}

// The unnamed statement is never another session's, so its key has to tell it only from others of this one; digests of
// long texts take time.
std::string key_for(Conversation& conversation, const wire::Parse& message, const std::string& sent_sql) {
  if (message.statement.empty()) return "#" + std::to_string(++conversation.unnamed_count);
  return key_of(sent_sql, message.parameter_types);
}

EntryPtr with_own_text(Conversation& conversation, const EntryPtr& entry, const wire::Parse& message) {
  if (*conversation.parsed_bytes + message.sql.size() > kMaxParsedBytes) return entry;
  auto whole = std::make_shared<Entry>(*entry);
  whole->result = std::make_shared<std::string>();
  whole->parsed =
      std::make_shared<const ParsedText>(message.sql, message.parameter_types, conversation.client.path,
                                         std::string(), conversation.parsed_bytes);
  return whole;
}

std::shared_ptr<const ParsedText> renewed_text(Conversation& conversation, const ParsedText& parsed,
                                               std::string_view name, const std::string& sent_sql) {
  std::string key = name.empty() ? "#" + std::to_string(++conversation.unnamed_count)
                                 : key_of(sent_sql, parsed.parameter_types);
  return std::make_shared<const ParsedText>(parsed.sql, parsed.parameter_types, parsed.path, std::move(key),
                                            conversation.parsed_bytes);
}

EntryPtr with_text(Conversation& conversation, const Entry& entry, const wire::Parse& message,
                   const std::string& sent_sql) {
  auto whole = std::make_shared<Entry>(entry);
  whole->result = std::make_shared<std::string>();
  whole->parsed =
      std::make_shared<const ParsedText>(message.sql, message.parameter_types, conversation.client.path,
                                         key_for(conversation, message, sent_sql), conversation.parsed_bytes);
  return whole;
}

// A statement that is there already needs no Parse; its ParseComplete takes the place of the answer to a message that
// does nothing. In a failed transaction only what ends it may be prepared.
std::optional<wire::ErrorResponse> send_parse(Conversation& conversation, const wire::Parse& message,
                                              const Entry& entry, const std::string& sent_sql,
                                              std::size_t mark) {
  const ParsedText& parsed = *entry.parsed;
  const Protection protection = entry.is_protected ? Protection::is_protected : Protection::open;
  const bool is_unnamed = message.statement.empty();
  if (is_unnamed || conversation.link.server->statements.find(parsed.key) == nullptr) {
    parse_here(conversation, is_unnamed, parsed, sent_sql,
               {.step = Step::parse, .protection = protection, .mark = mark});
    return std::nullopt;
  }
  const bool may_end_it = entry.kind == StatementKind::commit || entry.kind == StatementKind::rollback ||
                          entry.kind == StatementKind::savepoint;
  if (conversation.status == wire::TransactionStatus::failed && !may_end_it) {
    return session::refuse(sqlstate::kInFailedTransaction,
                           "current transaction is aborted, commands ignored until end of transaction block");
  }
  conversation.link.to_backend(stand_in_for_close());
  conversation.is_unsynced = true;
  conversation.expect(
      {.step = Step::close, .protection = protection, .mark = mark, .shown = Expectation::Shown::as_parsed});
  return std::nullopt;
}

std::variant<std::string, wire::ErrorResponse> prepare_here(Conversation& conversation, const Use& use) {
  BackendState& server = *conversation.link.server;
  if (use.entry == nullptr || use.entry->parsed == nullptr) return unknown_statement(use.name);
  const ParsedText& parsed = *use.entry->parsed;
  const bool is_unnamed = use.name.empty();
  if (is_unnamed && server.unnamed == parsed.key) return std::string();
  if (!is_unnamed) {
    if (const std::string* name = server.statements.find(parsed.key)) return *name;
  }
  rewriter::Client client = conversation.client;
  client.path = parsed.path;
  Judged judged = judge(conversation, parsed.sql, client);
  if (auto* refusal = std::get_if<wire::ErrorResponse>(&judged)) return std::move(*refusal);
  const auto& statements = std::get<rewriter::Rewritten>(judged).statements;
  const std::string sent_sql = statements.empty() ? "" : text_of(conversation, statements.front());
  const bool is_same = is_unnamed || key_of(sent_sql, parsed.parameter_types) == parsed.key;
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

wire::Close stand_in_for_close() {
  return {.target = wire::Target::statement, .name = std::string(kNoStatement)};
}

}  // namespace pgveil::session::pooled
