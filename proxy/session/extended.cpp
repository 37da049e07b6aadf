#include "proxy/session/extended.hpp"

#include <algorithm>

#include "common/sqlstate.hpp"
#include "proxy/session/pooled.hpp"

namespace pgveil::session::extended {

namespace {

using Kind = StatementRegistry::Kind;

// OIDs below this are PostgreSQL's own. Types made later can run functions made later. (FirstNormalObjectId)
constexpr std::uint32_t kFirstUserOid = 16384;

// If nothing was sent in this batch and no transaction is open, the server need not know. Otherwise it must
// fail at this place.
void refuse_message(Conversation& conversation, wire::ErrorResponse response,
                    std::optional<std::string_view> sql = std::nullopt) {
  audit_refusal(conversation, response, sql);
  conversation.is_skipping = true;
  const bool must_fail = conversation.status == wire::TransactionStatus::in_block || conversation.is_unsynced;
  if (!must_fail) return conversation.state.to_client(response);
  conversation.registry.erase(Kind::statement, "");
  pooled::note_unnamed_dropped(conversation);
  conversation.state.to_backend(
      wire::Parse{.statement = "", .sql = std::string(kRefusalText), .parameter_types = {}});
  conversation.is_unsynced = true;
  conversation.expect({.step = Step::refused_parse,
                       .mark = conversation.registry.mark(),
                       .replacement = std::move(response)});
}

void forward(Conversation& conversation, std::string_view whole, Expectation expectation) {
  conversation.state.out.to_backend.append(whole);
  conversation.is_unsynced = true;
  conversation.expect(std::move(expectation));
}

std::optional<wire::ErrorResponse> check_parse(const Conversation& conversation, const wire::Parse& message) {
  if (auto refusal = check_new_name(conversation, message.statement)) return refusal;
  const bool has_user_type = std::any_of(message.parameter_types.begin(), message.parameter_types.end(),
                                         [](std::uint32_t oid) { return oid >= kFirstUserOid; });
  if (!has_user_type) return std::nullopt;
  return refuse(sqlstate::kInsufficientPrivilege, "a parameter's type is not one of PostgreSQL's own",
                "leave the type open (OID 0) or send text");
}

// The entry that Parse makes, with all that is needed to judge it and to make it again.
EntryPtr parsed_entry(Conversation& conversation, const wire::Parse& message, const LetThrough& judged,
                      const std::string& sent_sql) {
  const rewriter::Rewritten& rewritten = *judged.rewritten;
  auto entry = std::make_shared<Entry>(
      *make_entry(rewritten.statements.empty() ? rewriter::Statement{} : rewritten.statements.front(),
                  rewritten, audited_text(conversation, message.sql, Gate::TextOf::statement)));
  keep_text(conversation, *entry, message.sql, sent_sql);
  entry->parsed = pooled::parsed_text(conversation, message, judged, entry->sent);
  entry->result = std::make_shared<std::string>();
  return entry;
}

void parse_placed(Conversation& conversation, const wire::Parse& message, const EntryPtr& entry,
                  const std::string& sql, std::size_t mark) {
  if (auto refusal = pooled::send_parse(conversation, message, *entry, sql, mark))
    return refuse_message(conversation, std::move(*refusal));
  conversation.registry.put_statement(message.statement, entry);
}

void on(Conversation& conversation, const wire::Parse& message, const wire::FrameView&) {
  // As in PostgreSQL, a Parse of the unnamed statement drops the old one even if the Parse fails.
  const std::size_t mark = conversation.registry.mark();
  if (message.statement.empty()) conversation.registry.erase(Kind::statement, "");
  if (auto refusal = check_parse(conversation, message))
    return refuse_message(conversation, std::move(*refusal));
  Judged judged = judge(conversation, message.sql);
  if (auto* refusal = std::get_if<wire::ErrorResponse>(&judged)) {
    return refuse_message(conversation, std::move(*refusal), message.sql);
  }
  const auto& let_through = std::get<LetThrough>(judged);
  const rewriter::Rewritten& rewritten = *let_through.rewritten;
  if (rewritten.statements.size() > 1) {
    return refuse_message(
        conversation,
        refuse(sqlstate::kSyntaxError, "cannot insert multiple commands into a prepared statement"),
        message.sql);
  }
  if (auto refusal = pooled::check_parse(conversation, message, rewritten))
    return refuse_message(conversation, std::move(*refusal), message.sql);
  const std::string sql = rewritten.statements.empty()
                              ? std::string()
                              : pooled::text_of(conversation, rewritten.statements.front());
  if (auto refusal = check_room(conversation, message.sql.size(), sql.size()))
    return refuse_message(conversation, std::move(*refusal), message.sql);
  tell_conditions(conversation, rewritten);
  const EntryPtr entry = parsed_entry(conversation, message, let_through, sql);
  if (pooled::is_placed(conversation, entry.get()))
    return parse_placed(conversation, message, entry, sql, mark);
  const Protection protection = entry->is_protected ? Protection::is_protected : Protection::open;
  conversation.registry.put_statement(message.statement, entry);
  conversation.state.to_backend(
      wire::Parse{.statement = message.statement, .sql = sql, .parameter_types = message.parameter_types});
  conversation.is_unsynced = true;
  conversation.expect({.step = Step::parse, .protection = protection, .mark = mark});
}

// If we do not know a named one, the server answers. An unknown unnamed one is refused: the server may still
// have an old one after we refused the message that would have replaced it.
std::variant<Use, wire::ErrorResponse> look_up(const Conversation& conversation, Kind kind,
                                               const std::string& name) {
  if (auto refusal = check_name(conversation, name)) return std::move(*refusal);
  Use use{.entry = conversation.registry.find(kind, name), .kind = kind, .name = name};
  if (use.entry != nullptr || !name.empty()) return use;
  return kind == Kind::statement
             ? refuse(sqlstate::kInvalidSqlStatementName, "unnamed prepared statement does not exist")
             : refuse(sqlstate::kInvalidCursorName, "portal \"\" does not exist");
}

struct Found {
  Use use;
  Protection protection = Protection::is_protected;
};

// Looks a name up and checks that it may be used now; otherwise refuses the message.
std::optional<Found> find_use(Conversation& conversation, Kind kind, const std::string& name) {
  auto found = look_up(conversation, kind, name);
  if (auto* refusal = std::get_if<wire::ErrorResponse>(&found)) {
    refuse_message(conversation, std::move(*refusal));
    return std::nullopt;
  }
  Use& use = std::get<Use>(found);
  Checked checked =
      check_use(conversation, use, conversation.state.gate.serving(conversation.state.database));
  if (auto* refusal = std::get_if<wire::ErrorResponse>(&checked)) {
    refuse_message(conversation, std::move(*refusal));
    return std::nullopt;
  }
  return Found{.use = std::move(use), .protection = std::get<Protection>(checked)};
}

ShownSetting shown(const Conversation& conversation, const Found& found) {
  return found.use.entry != nullptr ? shown_setting(conversation, *found.use.entry) : ShownSetting{};
}

template <class Message>
void forward_renamed(Conversation& conversation, const Message& message, Expectation expectation) {
  conversation.state.to_backend(message);
  conversation.is_unsynced = true;
  conversation.expect(std::move(expectation));
}

// The server's name for the client's statement; otherwise refuses the message.
std::optional<std::string> server_name(Conversation& conversation, const Use& use) {
  if (!pooled::is_placed(conversation, use.entry.get())) return use.name;
  auto name = pooled::prepare_here(conversation, use);
  if (auto* refusal = std::get_if<wire::ErrorResponse>(&name)) {
    refuse_message(conversation, std::move(*refusal));
    return std::nullopt;
  }
  return std::get<std::string>(std::move(name));
}

void on(Conversation& conversation, const wire::Bind& message, const wire::FrameView& frame) {
  const std::size_t mark = conversation.registry.mark();
  if (message.portal.empty()) conversation.registry.erase(Kind::portal, "");
  if (auto refusal = check_new_name(conversation, message.portal))
    return refuse_message(conversation, std::move(*refusal));
  std::optional<Found> found = find_use(conversation, Kind::statement, message.statement);
  if (!found) return;
  // There is only one unnamed portal. So a client that has filled the limit with statements can still run
  // each of them.
  if (found->use.entry != nullptr && !message.portal.empty()) {
    if (auto refusal = check_room(conversation, 0, found->use.entry->sent.bytes))
      return refuse_message(conversation, std::move(*refusal));
  }
  const auto name = server_name(conversation, found->use);
  if (!name) return;
  EntryPtr entry = found->use.entry != nullptr ? found->use.entry : std::make_shared<const Entry>();
  conversation.registry.put_portal(message.portal, std::move(entry), PortalLife::transaction);
  Expectation expectation{.step = Step::bind, .protection = found->protection, .mark = mark};
  if (*name == message.statement) return forward(conversation, frame.whole, std::move(expectation));
  wire::Bind renamed = message;
  renamed.statement = *name;
  forward_renamed(conversation, renamed, std::move(expectation));
}

void on(Conversation& conversation, const wire::Describe& message, const wire::FrameView& frame) {
  const bool is_portal = message.target == wire::Target::portal;
  const auto found = find_use(conversation, is_portal ? Kind::portal : Kind::statement, message.name);
  if (!found) return;
  const auto name = is_portal ? std::optional(message.name) : server_name(conversation, found->use);
  if (!name) return;
  Expectation expectation{.step = is_portal ? Step::describe_portal : Step::describe_statement,
                          .protection = found->protection,
                          .mark = conversation.registry.mark(),
                          .shown_setting = shown(conversation, *found),
                          .origins = found->use.entry != nullptr ? found->use.entry->origins : nullptr,
                          .result = found->use.entry != nullptr ? found->use.entry->result : nullptr};
  if (*name == message.name) return forward(conversation, frame.whole, std::move(expectation));
  forward_renamed(conversation, wire::Describe{.target = message.target, .name = *name},
                  std::move(expectation));
}

void on(Conversation& conversation, const wire::Execute& message, const wire::FrameView& frame) {
  const auto found = find_use(conversation, Kind::portal, message.portal);
  if (!found) return;
  const std::size_t mark = conversation.registry.mark();
  const KeptSettings before = conversation.kept();
  if (found->use.entry != nullptr) {
    if (auto refusal = apply_effect(conversation, *found->use.entry)) {
      return refuse_message(conversation, std::move(*refusal));
    }
  } else {
    // An unknown name may be anything.
    conversation.has_set = conversation.is_changing_settings = conversation.has_set_in_transaction = true;
    conversation.has_set_unreported = true;
    note_unreported_change(*conversation.state.server);
  }
  tell_tables(conversation);
  retry::on_run(conversation, found->use.entry.get());
  note_statement(conversation, found->use.entry != nullptr ? found->use.entry->text : nullptr);
  // A COMMIT reads the rest of the WITH HOLD cursors that the transaction declared.
  const bool commits =
      found->use.entry != nullptr && found->use.entry->kind == rewriter::StatementKind::commit;
  const Protection protection = commits ? conversation.transaction.protection : found->protection;
  forward(conversation, frame.whole,
          {.step = Step::execute,
           .protection = protection,
           .mark = mark,
           .before = before,
           .shown_setting = shown(conversation, *found)});
}

void on(Conversation& conversation, const wire::Close& message, const wire::FrameView& frame) {
  if (auto refusal = check_name(conversation, message.name))
    return refuse_message(conversation, std::move(*refusal));
  const std::size_t mark = conversation.registry.mark();
  const bool is_statement = message.target == wire::Target::statement;
  conversation.registry.erase(is_statement ? Kind::statement : Kind::portal, message.name);
  Expectation expectation{
      .step = Step::close, .protection = conversation.transaction.protection, .mark = mark};
  if (is_statement && message.name.empty()) pooled::note_unnamed_dropped(conversation);
  if (pooled::is_in_use(conversation) && is_statement && !message.name.empty())
    return forward_renamed(conversation, pooled::stand_in_for_close(), std::move(expectation));
  forward(conversation, frame.whole, std::move(expectation));
}

void on(Conversation& conversation, const wire::Flush&, const wire::FrameView&) {
  flush(conversation);
}

void on(Conversation& conversation, const wire::Sync&, const wire::FrameView& frame) {
  const bool was_refused_here = conversation.is_skipping && !conversation.is_unsynced;
  conversation.is_skipping = false;
  if (was_refused_here) {
    conversation.registry.settle();
    if (conversation.status == wire::TransactionStatus::idle) conversation.transaction = {};
    conversation.state.count_answer(conversation.status);
    conversation.state.to_client(wire::ReadyForQuery{.status = conversation.status});
    return;
  }
  forward(conversation, frame.whole,
          {.step = Step::sync,
           .protection = conversation.transaction.protection,
           .mark = conversation.registry.mark()});
}

bool has_ascii_names(const wire::Parse& message) {
  return is_ascii(message.statement);
}
bool has_ascii_names(const wire::Bind& message) {
  return is_ascii(message.portal) && is_ascii(message.statement);
}
bool has_ascii_names(const wire::Describe& message) {
  return is_ascii(message.name);
}
bool has_ascii_names(const wire::Execute& message) {
  return is_ascii(message.portal);
}
bool has_ascii_names(const wire::Close& message) {
  return is_ascii(message.name);
}
bool has_ascii_names(const wire::Flush&) {
  return true;
}
bool has_ascii_names(const wire::Sync&) {
  return true;
}

// Which name the bytes mean would depend on the encoding that the server has when it reads them.
template <class Message>
std::optional<wire::ErrorResponse> check_encoding(const Conversation& conversation, const Message& message) {
  if (!conversation.state.may_convert || has_ascii_names(message)) return std::nullopt;
  return refuse(sqlstate::kFeatureNotSupported,
                "names of statements and portals must be ASCII in a session that changed client_encoding");
}

template <class Message>
void decode_and_run(Conversation& conversation, const wire::FrameView& frame) {
  auto message = wire::decode_as<Message>(frame.body);
  if (!message) return conversation.state.end(message.error());
  if (conversation.is_skipping && Message::tag != wire::Sync::tag) return;
  if constexpr (Message::tag == wire::Parse::tag) {
    if (auto refusal = convert_text(conversation, message->sql))
      return refuse_message(conversation, std::move(*refusal), message->sql);
  }
  if (auto refusal = check_encoding(conversation, *message))
    return refuse_message(conversation, std::move(*refusal));
  on(conversation, *message, frame);
}

}  // namespace

void flush(Conversation& conversation) {
  if (conversation.expected.empty() || conversation.is_flush_sent) return;
  conversation.state.to_backend(wire::Flush{});
  conversation.is_flush_sent = true;
}

void on_message(Conversation& conversation, const wire::FrameView& frame) {
  switch (frame.tag) {
    case wire::Parse::tag: return decode_and_run<wire::Parse>(conversation, frame);
    case wire::Bind::tag: return decode_and_run<wire::Bind>(conversation, frame);
    case wire::Describe::tag: return decode_and_run<wire::Describe>(conversation, frame);
    case wire::Execute::tag: return decode_and_run<wire::Execute>(conversation, frame);
    case wire::Close::tag: return decode_and_run<wire::Close>(conversation, frame);
    case wire::Flush::tag: return decode_and_run<wire::Flush>(conversation, frame);
    case wire::Sync::tag: return decode_and_run<wire::Sync>(conversation, frame);
  }
  conversation.state.end(wire::protocol_error("unknown message"));
}

}  // namespace pgveil::session::extended
