#include "proxy/session/extended.hpp"

#include <algorithm>

#include "common/sqlstate.hpp"

namespace pgveil::session::extended {

namespace {

using Kind = Registry::Kind;

// OIDs below are PostgreSQL's own; types made later can run functions made later. (FirstNormalObjectId)
constexpr std::uint32_t kFirstUserOid = 16384;

// With nothing sent in this batch and no transaction open the server need not know; otherwise it fails at
// this place.
void refuse_message(Conversation& conversation, wire::ErrorResponse response,
                    std::optional<std::string_view> sql = std::nullopt) {
  audit_refusal(conversation, response, sql);
  conversation.is_skipping = true;
  const bool must_fail = conversation.status == wire::TransactionStatus::in_block || conversation.is_unsynced;
  if (!must_fail) return conversation.link.to_client(response);
  conversation.registry.erase(Kind::statement, "");
  conversation.link.to_backend(
      wire::Parse{.statement = "", .sql = std::string(kRefusalText), .parameter_types = {}});
  conversation.is_unsynced = true;
  conversation.expect({.step = Step::refused_parse,
                       .mark = conversation.registry.mark(),
                       .replacement = std::move(response)});
}

void forward(Conversation& conversation, std::string_view whole, Expectation expectation) {
  conversation.link.out.to_backend.append(whole);
  conversation.is_unsynced = true;
  conversation.expect(std::move(expectation));
}

std::optional<wire::ErrorResponse> check_parse(const Conversation& conversation, const wire::Parse& message) {
  if (auto refusal = check_name(conversation, message.statement)) return refusal;
  const bool has_user_type = std::any_of(message.parameter_types.begin(), message.parameter_types.end(),
                                         [](std::uint32_t oid) { return oid >= kFirstUserOid; });
  if (!has_user_type) return std::nullopt;
  return refuse(sqlstate::kInsufficientPrivilege, "a parameter's type is not one of PostgreSQL's own",
                "leave the type open (OID 0) or send text");
}

void on(Conversation& conversation, const wire::Parse& message, const wire::FrameView&) {
  // As in PostgreSQL, a Parse of the unnamed statement drops the old one even when it fails.
  const std::size_t mark = conversation.registry.mark();
  if (message.statement.empty()) conversation.registry.erase(Kind::statement, "");
  if (auto refusal = check_parse(conversation, message))
    return refuse_message(conversation, std::move(*refusal));
  Judged judged = judge(conversation, message.sql);
  if (auto* refusal = std::get_if<wire::ErrorResponse>(&judged)) {
    return refuse_message(conversation, std::move(*refusal), message.sql);
  }
  const auto& rewritten = std::get<rewriter::Rewritten>(judged);
  if (rewritten.statements.size() > 1) {
    return refuse_message(
        conversation,
        refuse(sqlstate::kSyntaxError, "cannot insert multiple commands into a prepared statement"),
        message.sql);
  }
  const EntryPtr entry =
      make_entry(rewritten.statements.empty() ? rewriter::Statement{} : rewritten.statements.front(),
                 rewritten, audited_text(conversation, message.sql, Gate::TextOf::statement));
  const Protection protection = entry->is_protected ? Protection::is_protected : Protection::open;
  conversation.registry.put_statement(message.statement, entry);
  conversation.link.to_backend(
      wire::Parse{.statement = message.statement,
                  .sql = rewritten.statements.empty() ? "" : rewritten.statements.front().sql,
                  .parameter_types = message.parameter_types});
  conversation.is_unsynced = true;
  conversation.expect({.step = Step::parse, .protection = protection, .mark = mark});
}

// A named one that we do not know is the server's to answer. The unnamed one it may still have after we
// refused the message that would have replaced it.
std::variant<Use, wire::ErrorResponse> look_up(const Conversation& conversation, Kind kind,
                                               const std::string& name) {
  if (name.size() > kMaxNameBytes) return refuse("42622", "name is longer than 63 bytes");
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
  Checked checked = check_use(conversation, use);
  if (auto* refusal = std::get_if<wire::ErrorResponse>(&checked)) {
    refuse_message(conversation, std::move(*refusal));
    return std::nullopt;
  }
  return Found{.use = std::move(use), .protection = std::get<Protection>(checked)};
}

void on(Conversation& conversation, const wire::Bind& message, const wire::FrameView& frame) {
  const std::size_t mark = conversation.registry.mark();
  if (message.portal.empty()) conversation.registry.erase(Kind::portal, "");
  if (auto refusal = check_name(conversation, message.portal))
    return refuse_message(conversation, std::move(*refusal));
  std::optional<Found> found = find_use(conversation, Kind::statement, message.statement);
  if (!found) return;
  EntryPtr entry = found->use.entry != nullptr ? found->use.entry : std::make_shared<const Entry>();
  conversation.registry.put_portal(message.portal, std::move(entry), PortalLife::transaction);
  forward(conversation, frame.whole, {.step = Step::bind, .protection = found->protection, .mark = mark});
}

void on(Conversation& conversation, const wire::Describe& message, const wire::FrameView& frame) {
  const bool is_portal = message.target == wire::Target::portal;
  const auto found = find_use(conversation, is_portal ? Kind::portal : Kind::statement, message.name);
  if (!found) return;
  forward(conversation, frame.whole,
          {.step = is_portal ? Step::describe_portal : Step::describe_statement,
           .protection = found->protection,
           .mark = conversation.registry.mark(),
           .names_path = found->use.entry != nullptr && names_path(*found->use.entry)});
}

void on(Conversation& conversation, const wire::Execute& message, const wire::FrameView& frame) {
  const auto found = find_use(conversation, Kind::portal, message.portal);
  if (!found) return;
  const std::size_t mark = conversation.registry.mark();
  const rewriter::SearchPath path = conversation.client.path;
  if (found->use.entry != nullptr) {
    if (auto refusal = apply_effect(conversation, *found->use.entry)) {
      return refuse_message(conversation, std::move(*refusal));
    }
  }
  audit_statement(conversation, found->use.entry != nullptr ? found->use.entry->text : nullptr);
  // A COMMIT reads the rest of cursors WITH HOLD that the transaction declared.
  const bool commits =
      found->use.entry != nullptr && found->use.entry->kind == rewriter::StatementKind::commit;
  const Protection protection = commits ? conversation.transaction.protection : found->protection;
  forward(conversation, frame.whole,
          {.step = Step::execute, .protection = protection, .mark = mark, .path = path});
}

void on(Conversation& conversation, const wire::Close& message, const wire::FrameView& frame) {
  if (message.name.size() > kMaxNameBytes) {
    return refuse_message(conversation, refuse("42622", "name is longer than 63 bytes"));
  }
  const std::size_t mark = conversation.registry.mark();
  conversation.registry.erase(message.target == wire::Target::portal ? Kind::portal : Kind::statement,
                              message.name);
  forward(conversation, frame.whole,
          {.step = Step::close, .protection = conversation.transaction.protection, .mark = mark});
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
    conversation.link.count_answer(conversation.status);
    conversation.link.to_client(wire::ReadyForQuery{.status = conversation.status});
    return;
  }
  forward(conversation, frame.whole,
          {.step = Step::sync,
           .protection = conversation.transaction.protection,
           .mark = conversation.registry.mark()});
}

template <class Message>
void decode_and_run(Conversation& conversation, const wire::FrameView& frame) {
  const auto message = wire::decode_as<Message>(frame.body);
  if (!message) return conversation.link.end(message.error());
  if (conversation.is_skipping && Message::tag != wire::Sync::tag) return;
  on(conversation, *message, frame);
}

}  // namespace

void flush(Conversation& conversation) {
  if (conversation.expected.empty() || conversation.is_flush_sent) return;
  conversation.link.to_backend(wire::Flush{});
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
  conversation.link.end(wire::protocol_error("unknown message"));
}

}  // namespace pgveil::session::extended
