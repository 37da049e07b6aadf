#include "proxy/session/server_messages.hpp"

#include <optional>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/pooled.hpp"
#include "proxy/session/prepare_on_connection.hpp"
#include "proxy/session/relay_books.hpp"
#include "proxy/session/renewal.hpp"
#include "proxy/session/stale_plan.hpp"

namespace pgveil::session::server_messages {

namespace {

Error broken_protocol() {
  return wire::protocol_error("the database server broke the protocol");
}

// Decodes the message, or ends the session.
template <class Message>
std::optional<Message> decode(Conversation& conversation, const wire::FrameView& frame) {
  auto message = wire::decode_as<Message>(frame.body);
  if (message) return std::move(*message);
  conversation.state.end(broken_protocol());
  return std::nullopt;
}

// The statement of a simple query that is being answered. Null in all other cases, and after the last
// statement.
const Part* current_part(const Expectation& front) {
  return front.part < front.parts.size() ? &front.parts[front.part] : nullptr;
}

Protection row_protection(const Expectation& front) {
  const Part* part = current_part(front);
  return part != nullptr ? part->rows : front.protection;
}

Protection error_protection(const Conversation& conversation) {
  if (conversation.expected.empty()) return Protection::is_protected;
  const Expectation& front = conversation.expected.front();
  const Part* part = current_part(front);
  if (part != nullptr) return part->errors;
  return front.step == Step::simple ? conversation.transaction.protection : front.protection;
}

Progress error_progress(const Expectation& front) {
  const Part* part = current_part(front);
  if (part != nullptr) return front.stage == Stage::start ? part->progress : Progress::running;
  const bool has_not_run = front.step == Step::parse || front.step == Step::describe_statement ||
                           front.step == Step::describe_portal;
  return has_not_run ? Progress::before_rows : Progress::running;
}

void undo(Conversation& conversation, const Expectation& front, std::string_view sqlstate) {
  const bool is_part = front.part < front.parts.size();
  const std::size_t mark = is_part ? front.parts[front.part].mark : front.mark;
  const bool is_complete = front.step == Step::simple && front.part == front.parts.size() && front.part > 0;
  if (!is_complete) conversation.return_to(is_part ? front.parts[front.part].before : *front.before);
  conversation.client.path.fail();
  conversation.mode.fail();
  if (is_complete) return;  // it failed at its end, so what its statements made stays
  // An interrupted statement may already have made its name.
  const bool is_interrupted = sqlstate.starts_with("57");
  conversation.registry.undo_to(
      mark, is_interrupted ? StatementRegistry::NewNames::keep : StatementRegistry::NewNames::forget);
}

void audit_answer(SessionState& state, const Expectation& of, const std::string& sqlstate) {
  if (state.config.is_audited) state.audit(AuditedAnswer{of.rows, sqlstate}, of.request);
}

// After an error in the extended protocol the server drops everything up to Sync, and so do we.
void skip_to_sync(Conversation& conversation, const std::string& sqlstate) {
  while (!conversation.expected.empty() && conversation.expected.front().step != Step::sync) {
    const Expectation& dropped = conversation.expected.front();
    if (dropped.step == Step::execute) audit_answer(conversation.state, dropped, sqlstate);
    if (!dropped.closes.empty()) conversation.unclosed.push_back(dropped.closes);
    pooled::note_not_prepared(conversation, dropped.prepares);
    conversation.pop_expectation();
  }
  if (conversation.expected.empty()) conversation.is_skipping = true;
}

// The client hears nothing of it, because it may be a cancel request that came too late for its statement.
// What is not closed now is closed later.
void on_error_of_closing(Conversation& conversation, const std::string& sqlstate) {
  conversation.state.log_info("statements of pgveil's own could not be closed: " + sqlstate);
  skip_to_sync(conversation, sqlstate);
}

// Two errors of Bind and Describe quote the statement: it does not exist, or it has another number of
// parameters. The client knows it by a name of its own.
void put_clients_name(wire::Diagnostics& diagnostics, const OwnUse& use) {
  const std::string sqlstate = sqlstate_of(diagnostics);
  const bool is_quoted =
      sqlstate == sqlstate::kInvalidSqlStatementName || sqlstate == sqlstate::kProtocolViolation;
  if (!is_quoted || use.there.empty()) return;
  for (auto& [code, text] : diagnostics.fields) {
    const std::size_t at = code == 'M' ? text.find(use.there) : std::string::npos;
    if (at != std::string::npos) text.replace(at, use.there.size(), use.name);
  }
}

void on_error(Conversation& conversation, const wire::ErrorResponse& error) {
  SessionState& state = conversation.state;
  PGVEIL_ASSERT(!conversation.expected.empty());
  const std::string sqlstate = sqlstate_of(error.diagnostics);
  if (is_closing_unclosed(conversation)) return on_error_of_closing(conversation, sqlstate);
  Expectation& front = conversation.expected.front();
  Filtered filtered = filter_error(error, error_protection(conversation), error_progress(front));
  put_clients_name(filtered.diagnostics, front.uses);
  undo(conversation, front, sqlstate);
  if (is_of_guard(error)) state.gate.note_stale_versions(state.database);
  if (front.replacement) {
    state.to_client(*front.replacement);
  } else {
    if (stale_plan::is_met(conversation, error))
      state.to_client(stale_plan::forget(conversation));
    else
      state.pass_on(wire::ErrorResponse{filtered.diagnostics});
    state.log_info("the database server answered " + sqlstate, filtered.private_detail);
  }
  if (ends_ready(front.step)) {
    front.stage = Stage::failed;
    front.sqlstate = sqlstate;
  } else {
    skip_to_sync(conversation, sqlstate);
  }
}

void on_fatal(Conversation& conversation, const wire::ErrorResponse& error) {
  const Filtered filtered = filter_fatal(error);
  conversation.state.log_warning(
      "the database server ended the connection: " + sqlstate_of(error.diagnostics), filtered.private_detail);
  conversation.state.is_backend_busy = false;  // nothing is left to cancel
  conversation.state.end(wire::ErrorResponse{filtered.diagnostics});
}

void on_notice(Conversation& conversation, const wire::NoticeResponse& notice) {
  Filtered filtered = filter_notice(notice, error_protection(conversation));
  conversation.state.log_info("notice of the database server", std::move(filtered.private_detail));
  conversation.state.pass_on(wire::NoticeResponse{std::move(filtered.diagnostics)});
}

const ShownSetting& shown_setting(const Expectation& front) {
  const Part* part = current_part(front);
  return part != nullptr ? part->shown_setting : front.shown_setting;
}

// The server does not know where masked columns come from, so masked and other columns get what the rewriter
// knows: the table's and the column's number where a column is shown plainly, else zeros.
void put_origins(wire::RowDescription& description, const Origins& origins) {
  const bool is_known = origins != nullptr && origins->size() == description.columns.size();
  for (std::size_t i = 0; i < description.columns.size(); ++i) {
    const rewriter::Origin origin = is_known ? (*origins)[i] : rewriter::Origin{};
    description.columns[i].table_oid = origin.table_oid;
    description.columns[i].column_number = origin.column;
  }
}

void on_row_description(Conversation& conversation, Expectation& front, const wire::FrameView& frame) {
  auto description = decode<wire::RowDescription>(conversation, frame);
  if (!description) return;
  if (front.renews) {
    renewal::on_described(conversation, front, renewal::result_of(*description));
    return conversation.pop_expectation();
  }
  if (front.result && front.result->empty()) *front.result = renewal::result_of(*description);
  if (front.step == Step::simple) front.stage = Stage::rows;
  if (shown_setting(front).is_path) {
    for (wire::ColumnDescription& column : description->columns) column.name = "search_path";
    conversation.state.to_client(*description);
  } else if (row_protection(front) == Protection::open) {
    conversation.state.out.to_client.append(frame.whole);
  } else {
    const Part* part = current_part(front);
    put_origins(*description, part != nullptr ? part->origins : front.origins);
    conversation.state.to_client(*description);
  }
  if (front.step != Step::simple) conversation.pop_expectation();
}

void on_ready(Conversation& conversation, const wire::FrameView& frame) {
  const auto ready = decode<wire::ReadyForQuery>(conversation, frame);
  if (!ready) return;
  const Expectation& done = conversation.expected.front();
  if (done.step == Step::simple) audit_answer(conversation.state, done, done.sqlstate);
  const bool was_closing = is_closing_unclosed(conversation);
  conversation.pop_expectation();
  PGVEIL_ASSERT(conversation.expected.empty());
  if (!was_closing && close_unclosed(conversation)) return;  // another ReadyForQuery follows
  conversation.status = ready->status;
  conversation.is_unsynced = conversation.is_changing_settings = false;
  conversation.keys_while_changing.clear();
  conversation.registry.settle();
  if (ready->status == wire::TransactionStatus::idle) {
    conversation.has_set_in_transaction = false;
    if (std::exchange(conversation.has_set_unreported, false))
      note_unreported_change(*conversation.state.server);
    conversation.client.path.end_transaction();
    conversation.mode.end_transaction();
    conversation.registry.end_transaction();
    conversation.transaction = {};
  }
  report_path(conversation);
  conversation.state.count_answer(ready->status);
  conversation.state.to_client(*ready);
}

// CommandComplete, EmptyQueryResponse and PortalSuspended end a statement.
void on_statement_end(Conversation& conversation, Expectation& front, const wire::FrameView& frame) {
  if (frame.tag == wire::CommandComplete::tag) {
    const auto complete = decode<wire::CommandComplete>(conversation, frame);
    if (!complete) return;
    front.rows += counted_rows(complete->command);
  } else if (!frame.body.empty()) {
    return conversation.state.end(broken_protocol());
  }
  const bool is_empty_query = frame.tag == wire::EmptyQueryResponse::tag;
  if (front.step == Step::simple && is_empty_query != front.parts.empty()) {
    return conversation.state.end(broken_protocol());
  }
  conversation.state.out.to_client.append(frame.whole);
  if (front.step != Step::simple) {
    audit_answer(conversation.state, front, {});
    return conversation.pop_expectation();
  }
  if (!is_empty_query) ++front.part;
  front.stage = front.part == front.parts.size() ? Stage::complete : Stage::start;
}

// ParseComplete, BindComplete, CloseComplete and NoData have no content besides their tag.
void on_complete(Conversation& conversation, const wire::FrameView& frame) {
  if (!frame.body.empty()) return conversation.state.end(broken_protocol());
  const Expectation& front = conversation.expected.front();
  if (front.renews) renewal::on_described(conversation, front, renewal::kNoResult);
  if (!front.renews && front.result && front.result->empty()) *front.result = renewal::kNoResult;
  switch (front.shown) {
    case Expectation::Shown::as_it_is: conversation.state.out.to_client.append(frame.whole); break;
    case Expectation::Shown::as_parsed: conversation.state.to_client(wire::ParseComplete{}); break;
    case Expectation::Shown::not_at_all: break;
  }
  conversation.pop_expectation();
}

void on_parameter_description(Conversation& conversation, Expectation& front, const wire::FrameView& frame) {
  if (!decode<wire::ParameterDescription>(conversation, frame)) return;
  front.stage = Stage::described;
  if (!front.renews) conversation.state.out.to_client.append(frame.whole);
}

// Rows are passed on unchanged, because the statement has already masked them. Only SHOW of a mode that the
// session keeps itself gets its value here.
void on_row(Conversation& conversation, Expectation& front, const wire::FrameView& frame) {
  front.stage = Stage::rows;
  if (const auto reads_only = shown_setting(front).reads_only) {
    auto row = decode<wire::DataRow>(conversation, frame);
    if (!row) return;
    for (auto& value : row->values) value = *reads_only ? "on" : "off";
    return conversation.state.to_client(*row);
  }
  conversation.state.out.to_client.append(frame.whole);
}

// Handles CopyOutResponse, CopyData and CopyDone of COPY … TO STDOUT, when they are owed. The data is passed
// on unchanged. The other two kinds never start, because COPY FROM STDIN and replication are refused before
// they are sent. Therefore a client's CopyData, CopyDone and CopyFail, and a server's CopyInResponse and
// CopyBothResponse, are not in the tables.
void on_copy_out(Conversation& conversation, Expectation& front, const wire::FrameView& frame) {
  if (frame.tag == wire::CopyOutResponse::tag) {
    const auto response = wire::decode_as<wire::CopyOutResponse>(frame.body);
    if (!response) return conversation.state.end(broken_protocol());
    front.stage = Stage::copy_out;
  } else if (frame.tag == wire::CopyDone::tag) {
    front.stage = Stage::copied;
  }
  conversation.state.out.to_client.append(frame.whole);
}

void on_owed(Conversation& conversation, Expectation& front, const wire::FrameView& frame) {
  switch (frame.tag) {
    case wire::DataRow::tag: return on_row(conversation, front, frame);
    case wire::RowDescription::tag: return on_row_description(conversation, front, frame);
    case wire::CommandComplete::tag:
    case wire::EmptyQueryResponse::tag:
    case wire::PortalSuspended::tag: return on_statement_end(conversation, front, frame);
    case wire::ParseComplete::tag:
    case wire::BindComplete::tag:
    case wire::CloseComplete::tag:
    case wire::NoData::tag: return on_complete(conversation, frame);
    case wire::ParameterDescription::tag: return on_parameter_description(conversation, front, frame);
    case wire::ReadyForQuery::tag: return on_ready(conversation, frame);
    case wire::CopyOutResponse::tag:
    case wire::CopyData::tag:
    case wire::CopyDone::tag: return on_copy_out(conversation, front, frame);
  }
  conversation.state.end(broken_protocol());
}

// True if the frame was one that may come at any time.
bool on_anytime(Conversation& conversation, const wire::FrameView& frame) {
  switch (frame.tag) {
    case wire::ParameterStatus::tag:
      if (auto status = decode<wire::ParameterStatus>(conversation, frame)) {
        const Result<void> relayed = relay_parameter(conversation.state, std::move(*status));
        if (!relayed) conversation.state.end(relayed.error());
      }
      return true;
    case wire::NoticeResponse::tag:
      if (const auto notice = decode<wire::NoticeResponse>(conversation, frame))
        on_notice(conversation, *notice);
      return true;
    case wire::NotificationResponse::tag:
      // LISTEN is not allowed, so no client waits for it, and its payload is somebody's data.
      static_cast<void>(decode<wire::NotificationResponse>(conversation, frame));
      return true;
  }
  return false;
}

}  // namespace

void on_frame(Conversation& conversation, const wire::FrameView& frame) {
  conversation.state.request = conversation.expected.empty() ? 0 : conversation.expected.front().request;
  const std::string_view owed =
      conversation.expected.empty()
          ? std::string_view()
          : answer_tags(conversation.expected.front().step, conversation.expected.front().stage);
  const bool is_owed = owed.find(frame.tag) != std::string_view::npos;
  if (frame.tag == wire::ErrorResponse::tag) {
    const auto error = decode<wire::ErrorResponse>(conversation, frame);
    if (!error) return;
    if (is_fatal(*error)) return on_fatal(conversation, *error);
    return is_owed ? on_error(conversation, *error) : conversation.state.end(broken_protocol());
  }
  if (is_owed) return on_owed(conversation, conversation.expected.front(), frame);
  if (kAnytime.find(frame.tag) != std::string_view::npos && on_anytime(conversation, frame)) return;
  conversation.state.end(broken_protocol());
}

}  // namespace pgveil::session::server_messages
