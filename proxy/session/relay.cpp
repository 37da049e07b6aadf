#include "proxy/session/relay.hpp"

#include <algorithm>

#include "proxy/session/error_filter.hpp"

namespace pgveil::session {

void Relay::note_parameter(const wire::ParameterStatus& status) {
  if (status.name == "client_encoding") is_utf8_ = status.value == "UTF8" || status.value == "SQL_ASCII";
  if (status.name == "standard_conforming_strings") reads_as_we_do_ = status.value == "on";
  if (status.name == "application_name") state_.command(NoteName{status.value});
}

// Text in another encoding, or with backslashes in plain strings, would be split at the wrong places, so it
// is not recorded.
AuditedText Relay::text_of(std::string_view sql) const {
  const bool is_readable = is_utf8_ && reads_as_we_do_ && state_.config.is_audited;
  return is_readable ? state_.gate.audited_text(sql, Gate::TextOf::statement) : nullptr;
}

void Relay::audit(AuditedText text) {
  state_.audit(AuditedStatement{.verdict = AuditVerdict::bypass,
                                .sqlstate = {},
                                .reason = {},
                                .text = std::move(text),
                                .versions = {}},
               state_.request);
}

void Relay::remember(Texts& texts, const std::string& name, AuditedText text) {
  const bool has_room = texts.size() < state_.config.limits.statements || texts.contains(name);
  if (has_room) texts.insert_or_assign(name, std::move(text));
}

// A message that cannot be decoded is still passed on: the server says what is wrong with it.
void Relay::audit_message(const wire::FrameView& frame) {
  const auto text_in = [](const Texts& texts, const std::string& name) {
    const auto found = texts.find(name);
    return found == texts.end() ? nullptr : found->second;
  };
  switch (frame.tag) {
    case wire::Query::tag: {
      const auto query = wire::decode_as<wire::Query>(frame.body);
      return audit(query ? text_of(query->sql) : nullptr);
    }
    case wire::Parse::tag: {
      const auto parse = wire::decode_as<wire::Parse>(frame.body);
      const AuditedText text = parse ? text_of(parse->sql) : nullptr;
      if (parse) remember(statements_, parse->statement, text);
      return audit(text);
    }
    case wire::Bind::tag:
      if (const auto bind = wire::decode_as<wire::Bind>(frame.body))
        remember(portals_, bind->portal, text_in(statements_, bind->statement));
      return;
    case wire::Execute::tag: {
      const auto execute = wire::decode_as<wire::Execute>(frame.body);
      return audit(execute ? text_in(portals_, execute->portal) : nullptr);
    }
    case wire::Close::tag:
      if (const auto close = wire::decode_as<wire::Close>(frame.body))
        (close->target == wire::Target::portal ? portals_ : statements_).erase(close->name);
      return;
    case wire::FunctionCall::tag: return audit(nullptr);
  }
}

void Relay::on_client(const wire::FrameView& frame) {
  const bool is_data =
      frame.tag == wire::CopyData::tag || frame.tag == wire::Sync::tag || frame.tag == wire::Flush::tag;
  if (!is_data) state_.begin_request();
  if (state_.config.is_audited) audit_message(frame);
  books_.on_sent(frame, state_.request);
  state_.is_backend_busy = books_.is_busy();
  state_.out.to_backend.append(frame.whole);
}

void Relay::on_backend(const wire::FrameView& frame) {
  if (frame.tag == wire::ParameterStatus::tag) {
    if (const auto status = wire::decode_as<wire::ParameterStatus>(frame.body)) note_parameter(*status);
  } else if (frame.tag == wire::ErrorResponse::tag) {
    const auto error = wire::decode_as<wire::ErrorResponse>(frame.body);
    has_heard_the_end_ = error && is_fatal(*error);
  }
  for (RelayBooks::Answer& answer : books_.on_received(frame))
    state_.audit(AuditedAnswer{answer.rows, std::move(answer.sqlstate)}, answer.request);
  if (frame.tag == wire::ReadyForQuery::tag) state_.count_answer(books_.status());
  state_.is_backend_busy = books_.is_busy();
  state_.out.to_client.append(frame.whole);
}

}  // namespace pgveil::session
