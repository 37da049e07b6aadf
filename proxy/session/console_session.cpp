#include "proxy/session/console_session.hpp"

#include <algorithm>
#include <utility>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::session {

namespace {

constexpr std::uint32_t kTextOid = 25;
constexpr std::int16_t kVariableSize = -1;

constexpr std::pair<std::string_view, std::string_view> kConsoleSettings[] = {
    {"server_version", "15.0 (pgveil)"}, {"server_encoding", "UTF8"}, {"client_encoding", "UTF8"},
    {"DateStyle", "ISO, MDY"},           {"integer_datetimes", "on"}, {"standard_conforming_strings", "on"},
};

bool is_benign(const console::Command& command) {
  return std::holds_alternative<console::Benign>(command);
}

// True if the command has nothing but spaces, comments and semicolons.
bool is_empty(const console::Command& command) {
  const auto* benign = std::get_if<console::Benign>(&command);
  return benign != nullptr && benign->tag.empty();
}

// The client's own BEGIN and COMMIT are answered and do nothing, but drivers expect the status to follow.
std::optional<wire::TransactionStatus> status_after(const console::Command& command) {
  const auto* benign = std::get_if<console::Benign>(&command);
  if (benign == nullptr) return std::nullopt;
  if (benign->tag == "BEGIN" || benign->tag == "START TRANSACTION") return wire::TransactionStatus::in_block;
  if (benign->tag == "COMMIT" || benign->tag == "ROLLBACK") return wire::TransactionStatus::idle;
  return std::nullopt;
}

std::int16_t format_of(const std::vector<std::int16_t>& formats, std::size_t column) {
  if (formats.empty()) return 0;
  return formats.size() == 1 ? formats.front() : formats[column];
}

}  // namespace

void ConsoleSession::start() {
  state_.phase = Phase::console;
  for (const auto& [name, value] : kConsoleSettings) {
    state_.to_client(wire::ParameterStatus{.name = std::string(name), .value = std::string(value)});
  }
  greet(state_);
}

void ConsoleSession::on_message(const wire::FrameView& frame) {
  PGVEIL_ASSERT(!is_waiting());
  const Result<wire::FrontendMessage> message = wire::decode_frontend(frame);
  if (!message) return state_.end(message.error());
  state_.begin_request();
  const bool is_heard = !is_skipping_ || frame.tag == wire::Sync::tag || frame.tag == wire::Terminate::tag;
  if (is_heard) std::visit([this](const auto& kind) { on(kind); }, *message);
}

void ConsoleSession::end_unexpected() {
  state_.end(wire::protocol_error("no COPY is open"));
}

Result<void> ConsoleSession::check_room(const std::string& text) const {
  std::size_t bytes = text.size();
  for (const auto& [name, kept] : statements_) bytes += kept.size();
  for (const auto& [name, portal] : portals_) bytes += portal.text.size();
  const SessionLimits& limits = state_.config.limits;
  if (statement_count() < limits.statements && bytes <= limits.statement_bytes) return {};
  return client_error(sqlstate::kProgramLimitExceeded, "too many prepared statements and portals");
}

void ConsoleSession::fail(const Error& error) {
  state_.to_client(error_response(error, Severity::error));
  is_skipping_ = true;
}

void ConsoleSession::ready() {
  state_.count_answer(status_);
  state_.to_client(wire::ReadyForQuery{.status = status_});
}

void ConsoleSession::run(const std::string& text, Waiting waiting) {
  waiting.request = state_.request;
  waiting.is_audited = waiting.is_audited && state_.config.is_audited;
  if (waiting.is_audited)
    state_.audit(AuditedCommand{state_.gate.audited_text(text, Gate::TextOf::command)}, waiting.request);
  waiting_ = std::move(waiting);
  state_.command(RunConsole{.request = {.role = state_.role, .text = text}});
}

void ConsoleSession::on(const wire::Query& message) {
  statements_.erase("");
  portals_.erase("");
  const Result<console::Command> command = console::parse_command(message.sql);
  if (!command) {
    state_.to_client(error_response(command.error(), Severity::error));
    return ready();
  }
  if (is_empty(*command)) {
    state_.to_client(wire::EmptyQueryResponse{});
    return ready();
  }
  run(message.sql, {.is_simple = true,
                    .portal = {},
                    .row_limit = 0,
                    .status_after = status_after(*command),
                    .columns = console::columns_of(*command),
                    .is_audited = !is_benign(*command)});
}

void ConsoleSession::on(const wire::Parse& message) {
  if (!message.parameter_types.empty()) {
    return fail(client_error(sqlstate::kFeatureNotSupported, "the console takes no parameters"));
  }
  const Result<console::Command> command = console::parse_command(message.sql);
  if (!command) return fail(command.error());
  if (!message.statement.empty() && statements_.contains(message.statement)) {
    return fail(client_error(sqlstate::kDuplicatePreparedStatement,
                             "prepared statement \"" + message.statement + "\" already exists"));
  }
  if (const auto room = check_room(message.sql); !room) return fail(room.error());
  statements_.insert_or_assign(message.statement, message.sql);
  state_.to_client(wire::ParseComplete{});
}

void ConsoleSession::on(const wire::Bind& message) {
  const auto statement = statements_.find(message.statement);
  if (statement == statements_.end()) {
    return fail(client_error(sqlstate::kInvalidSqlStatementName,
                             "prepared statement \"" + message.statement + "\" does not exist"));
  }
  if (!message.parameters.empty()) {
    return fail(client_error(sqlstate::kFeatureNotSupported, "the console takes no parameters"));
  }
  if (const auto room = check_room(statement->second); !room) return fail(room.error());
  Portal portal{.text = statement->second, .columns = {}, .formats = message.result_formats, .table = {}};
  const Result<console::Command> command = console::parse_command(portal.text);
  if (!command) return fail(command.error());
  portal.columns = console::columns_of(*command);
  const auto& formats = portal.formats;
  const bool fits = formats.size() <= 1 || formats.size() == portal.columns.size();
  const bool is_known =
      std::all_of(formats.begin(), formats.end(), [](auto format) { return format == 0 || format == 1; });
  if (!fits || !is_known)
    return fail(client_error(sqlstate::kProtocolViolation, "result formats do not fit"));
  portals_.insert_or_assign(message.portal, std::move(portal));
  state_.to_client(wire::BindComplete{});
}

void ConsoleSession::describe(const std::vector<std::string>& columns,
                              const std::vector<std::int16_t>& formats) {
  if (columns.empty()) return state_.to_client(wire::NoData{});
  wire::RowDescription description;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    description.columns.push_back({.name = columns[i],
                                   .type_oid = kTextOid,
                                   .type_size = kVariableSize,
                                   .type_modifier = -1,
                                   .format = format_of(formats, i)});
  }
  state_.to_client(description);
}

void ConsoleSession::on(const wire::Describe& message) {
  if (message.target == wire::Target::portal) {
    const auto portal = portals_.find(message.name);
    if (portal == portals_.end()) {
      return fail(
          client_error(sqlstate::kInvalidCursorName, "portal \"" + message.name + "\" does not exist"));
    }
    return describe(portal->second.columns, portal->second.formats);
  }
  const auto statement = statements_.find(message.name);
  if (statement == statements_.end()) {
    return fail(client_error(sqlstate::kInvalidSqlStatementName,
                             "prepared statement \"" + message.name + "\" does not exist"));
  }
  state_.to_client(wire::ParameterDescription{});
  const Result<console::Command> command = console::parse_command(statement->second);
  describe(command ? console::columns_of(*command) : std::vector<std::string>(), {});
}

void ConsoleSession::on(const wire::Execute& message) {
  const auto found = portals_.find(message.portal);
  if (found == portals_.end()) {
    return fail(
        client_error(sqlstate::kInvalidCursorName, "portal \"" + message.portal + "\" does not exist"));
  }
  Portal& portal = found->second;
  if (portal.table) return send_rows(portal, message.row_limit);
  const Result<console::Command> command = console::parse_command(portal.text);
  if (!command) return fail(command.error());
  if (is_empty(*command)) return state_.to_client(wire::EmptyQueryResponse{});
  run(portal.text, {.is_simple = false,
                    .portal = message.portal,
                    .row_limit = message.row_limit,
                    .status_after = status_after(*command),
                    .columns = portal.columns,
                    .is_audited = !is_benign(*command)});
}

void ConsoleSession::on(const wire::Close& message) {
  if (message.target == wire::Target::portal) {
    portals_.erase(message.name);
  } else {
    statements_.erase(message.name);
  }
  state_.to_client(wire::CloseComplete{});
}

void ConsoleSession::on(const wire::Sync&) {
  is_skipping_ = false;
  if (status_ == wire::TransactionStatus::idle) portals_.clear();
  ready();
}

void ConsoleSession::on(const wire::FunctionCall&) {
  state_.to_client(
      error_response(client_error(sqlstate::kInsufficientPrivilege, "function-call messages are not open"),
                     Severity::error));
  ready();
}

void ConsoleSession::on(const wire::Terminate&) {
  state_.end_silently();
}

void ConsoleSession::send_notices(const console::Table& table) {
  for (const std::string& notice : table.notices) {
    state_.to_client(wire::NoticeResponse{diagnostics("NOTICE", sqlstate::kSuccessfulCompletion, notice)});
  }
}

void ConsoleSession::send_rows(Portal& portal, std::int32_t row_limit) {
  const console::Table& table = *portal.table;
  const std::size_t left = table.rows.size() - portal.next_row;
  const bool is_limited = row_limit > 0 && static_cast<std::size_t>(row_limit) < left;
  const std::size_t end = portal.next_row + (is_limited ? static_cast<std::size_t>(row_limit) : left);
  for (; portal.next_row < end; ++portal.next_row)
    state_.to_client(wire::DataRow{.values = table.rows[portal.next_row]});
  if (is_limited) return state_.to_client(wire::PortalSuspended{});
  state_.to_client(wire::CommandComplete{.command = table.tag});
}

void ConsoleSession::on_answer(const console::Answer& answer) {
  PGVEIL_ASSERT(is_waiting());
  const Waiting waiting = *std::exchange(waiting_, std::nullopt);
  const bool fits = !answer || (answer->columns == waiting.columns &&
                                std::all_of(answer->rows.begin(), answer->rows.end(), [&](const auto& row) {
                                  return row.size() == answer->columns.size();
                                }));
  PGVEIL_ASSERT(fits);
  if (waiting.is_audited)
    state_.audit(AuditedCommandEnd{answer ? std::string() : answer.error().sqlstate}, waiting.request);
  if (!answer) {
    state_.to_client(error_response(answer.error(), Severity::error));
    if (!waiting.is_simple) is_skipping_ = true;
  } else {
    send_notices(*answer);
    if (waiting.status_after) status_ = *waiting.status_after;
    Portal simple{.text = {}, .columns = waiting.columns, .formats = {}, .table = {}};
    Portal& portal = waiting.is_simple ? simple : portals_.at(waiting.portal);
    portal.table = *answer;
    if (waiting.is_simple && !waiting.columns.empty()) describe(waiting.columns, {});
    send_rows(portal, waiting.row_limit);
  }
  if (waiting.is_simple) ready();
}

}  // namespace pgveil::session
