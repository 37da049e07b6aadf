#include "proxy/session/session_state.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "rewriter/lists/session_settings.hpp"

namespace pgveil::session {

namespace {

// As in PostgreSQL 18. A client of protocol 3.0 has no place for more than four.
constexpr std::size_t kLongSecretBytes = 32;

}  // namespace

void SessionState::log_info(std::string public_text, std::string private_detail) {
  command(LogLine{.is_warning = false,
                  .text = std::move(public_text),
                  .private_detail = std::move(private_detail),
                  .request = request});
}

void SessionState::log_warning(std::string public_text, std::string private_detail) {
  command(LogLine{.is_warning = true,
                  .text = std::move(public_text),
                  .private_detail = std::move(private_detail),
                  .request = request});
}

LoginMethod SessionState::login_method() const {
  if (demand == LoginDemand::certificate) return LoginMethod::certificate;
  switch (config.authentication) {
    case ClientAuthentication::trust: return LoginMethod::trust;
    case ClientAuthentication::vouched: return LoginMethod::vouched;
    case ClientAuthentication::scram_sha_256: break;
  }
  return LoginMethod::scram_sha_256;
}

void SessionState::audit(AuditedThing thing, std::uint64_t request_number) {
  if (!config.is_audited) return;
  out.audit.push_back({request_number, role, database, std::move(thing)});
}

void SessionState::cancel_backend() {
  if (!is_backend_busy || !server || server->pid == 0) return;
  command(ForwardCancel{.pid = server->pid, .secret = server->secret});
}

void SessionState::end(const Error& error) {
  log_warning("session ended: " + error.public_message, error.private_detail);
  end(error_response(error, Severity::fatal));
}

void SessionState::end(const wire::ErrorResponse& fatal) {
  if (is_closed()) return;
  to_client(fatal);
  end_silently();
}

void SessionState::end_silently() {
  if (is_closed()) return;
  if (backend != BackendLink::none) {
    cancel_backend();
    if (facts_of(phase).has_terminate) to_backend(wire::Terminate{});
    command(CloseBackend{});
    backend = BackendLink::none;
  }
  if (is_let_in) audit(AuditedLogout{}, 0);
  server = nullptr;
  phase = Phase::closed;
  command(CloseClient{});
}

namespace {

wire::Diagnostics converted(const wire::Diagnostics& diagnostics, const SingleByteEncoding* encoding) {
  wire::Diagnostics out = diagnostics;
  if (encoding == nullptr) return out;
  for (auto& [code, text] : out.fields) text = from_utf8(text, *encoding);
  return out;
}

// False: the client did not ask for it. SQL_ASCII passes bytes on unchanged, so a text means the same as in
// UTF8.
bool take_encoding(SessionState& state, std::string_view name) {
  state.encoding = nullptr;
  if (name == "UTF8" || name == "SQL_ASCII") return true;
  state.encoding = single_byte_encoding(name);
  return state.encoding != nullptr && state.may_convert;
}

}  // namespace

void SessionState::to_client(const wire::ErrorResponse& error) {
  pass_on(wire::ErrorResponse{converted(error.diagnostics, encoding)});
}

void SessionState::to_client(const wire::NoticeResponse& notice) {
  pass_on(wire::NoticeResponse{converted(notice.diagnostics, encoding)});
}

std::string printable(std::string_view name) {
  std::string text(name);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

Result<void> relay_parameter(SessionState& state, wire::ParameterStatus status) {
  const bool is_unpinned =
      (status.name == rewriter::kEncodingSetting && !take_encoding(state, status.value)) ||
      (status.name == "standard_conforming_strings" && status.value != "on");
  if (is_unpinned) return wire::protocol_error("the database server changed a pinned setting");
  if (state.server != nullptr) note_reading(*state.server, status.name, status.value);
  if (state.pool_mode != PoolMode::none) {
    const bool was_told = state.told == state.server->parameters;
    note_parameter(state.server->parameters, status.name, status.value);
    if (was_told)
      state.told = state.server->parameters;
    else
      note_parameter(state.told, status.name, status.value);
  }
  if (rewriter::is_path_setting(status.name)) {
    state.reports_path = true;
    return {};
  }
  if (status.name == "session_authorization") status.value = state.role;
  if (status.name == "is_superuser") status.value = "off";
  if (status.name == "default_transaction_read_only") status.value = state.reads_only ? "on" : "off";
  if (status.name == "in_hot_standby") state.is_standby = status.value == "on";
  if (status.name == "application_name") state.command(NoteName{status.value});
  state.to_client(status);
  return {};
}

Result<void> relay_changed_parameters(SessionState& state) {
  const SharedSettings now = state.server->parameters;
  if (now == state.told || !now) return {};
  const SharedSettings before = state.told;
  for (const auto& setting : *now) {
    if (before && std::ranges::find(*before, setting) != before->end()) continue;
    const Result<void> relayed = relay_parameter(state, {.name = setting.first, .value = setting.second});
    if (!relayed) return relayed;
  }
  state.told = now;
  return {};
}

void greet(SessionState& state) {
  state.command(LoginDone{});
  PGVEIL_ASSERT(state.config.make_secret != nullptr);
  const std::size_t size =
      state.client_minor >= wire::kNewestMinor ? kLongSecretBytes : wire::CancelSecret::kMinBytes;
  state.to_client(
      wire::BackendKeyData{.pid = state.config.client_pid, .secret = {state.config.make_secret(size)}});
  state.to_client(wire::ReadyForQuery{.status = wire::TransactionStatus::idle});
}

}  // namespace pgveil::session
