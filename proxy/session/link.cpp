#include "proxy/session/link.hpp"

#include <algorithm>

namespace pgveil::session {

void Link::log_info(std::string public_text, std::string private_detail) {
  command(LogLine{.is_warning = false,
                  .text = std::move(public_text),
                  .private_detail = std::move(private_detail),
                  .request = request});
}

void Link::log_warning(std::string public_text, std::string private_detail) {
  command(LogLine{.is_warning = true,
                  .text = std::move(public_text),
                  .private_detail = std::move(private_detail),
                  .request = request});
}

LoginMethod Link::login_method() const {
  if (demand == LoginDemand::certificate) return LoginMethod::certificate;
  switch (config.authentication) {
    case ClientAuthentication::trust: return LoginMethod::trust;
    case ClientAuthentication::vouched: return LoginMethod::vouched;
    case ClientAuthentication::scram_sha_256: break;
  }
  return LoginMethod::scram_sha_256;
}

void Link::audit(AuditedThing thing, std::uint64_t request_number) {
  if (!config.is_audited) return;
  out.audit.push_back({request_number, role, database, std::move(thing)});
}

void Link::end(const Error& error) {
  log_warning("session ended: " + error.public_message, error.private_detail);
  end(error_response(error, Severity::fatal));
}

void Link::end(const wire::ErrorResponse& fatal) {
  if (is_closed()) return;
  to_client(fatal);
  end_silently();
}

void Link::end_silently() {
  if (is_closed()) return;
  if (backend != BackendLink::none) {
    if (is_backend_busy && server) command(ForwardCancel{.pid = server->pid, .secret = server->secret});
    if (phase == Phase::ready || phase == Phase::relay) to_backend(wire::Terminate{});
    command(CloseBackend{});
    backend = BackendLink::none;
  }
  if (is_let_in) audit(AuditedLogout{}, 0);
  server = nullptr;
  phase = Phase::closed;
  command(CloseClient{});
}

std::string printable(std::string_view name) {
  std::string text(name);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

Result<void> relay_parameter(Link& link, wire::ParameterStatus status) {
  // SQL_ASCII passes bytes on unchanged, so a text means the same as in UTF8.
  const bool is_unpinned =
      (status.name == "client_encoding" && status.value != "UTF8" && status.value != "SQL_ASCII") ||
      (status.name == "standard_conforming_strings" && status.value != "on");
  if (is_unpinned) return wire::protocol_error("the database server changed a pinned setting");
  if (link.pool_mode != PoolMode::none) {
    note_parameter(link.server->parameters, status.name, status.value);
    note_parameter(link.told, status.name, status.value);
  }
  if (status.name == "session_authorization") status.value = link.role;
  if (status.name == "is_superuser") status.value = "off";
  if (status.name == "application_name") link.command(NoteName{status.value});
  link.to_client(status);
  return {};
}

Result<void> relay_changed_parameters(Link& link) {
  const Settings parameters = link.server->parameters;
  for (const auto& [name, value] : parameters) {
    const auto told = std::ranges::find(link.told, name, &Settings::value_type::first);
    if (told != link.told.end() && told->second == value) continue;
    const Result<void> relayed = relay_parameter(link, {.name = name, .value = value});
    if (!relayed) return relayed;
  }
  return {};
}

void greet(Link& link) {
  link.command(LoginDone{});
  link.to_client(wire::BackendKeyData{.pid = link.config.client_pid, .secret = link.config.client_secret});
  link.to_client(wire::ReadyForQuery{.status = wire::TransactionStatus::idle});
}

}  // namespace pgveil::session
