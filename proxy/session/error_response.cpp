#include "proxy/session/error_response.hpp"

#include <string>
#include <utility>

#include "common/sqlstate.hpp"

namespace pgveil::session {

namespace {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::error: return "ERROR";
    case Severity::fatal: return "FATAL";
    case Severity::notice: return "NOTICE";
  }
  return "FATAL";
}

std::string before_nul(std::string_view text) {
  return std::string(text.substr(0, text.find('\0')));
}

}  // namespace

wire::Diagnostics diagnostics(std::string_view severity, std::string_view sqlstate, std::string_view message,
                              std::string_view hint, int position) {
  wire::Diagnostics result;
  result.fields = {{'S', std::string(severity)},
                   {'V', std::string(severity)},
                   {'C', before_nul(sqlstate)},
                   {'M', before_nul(message)}};
  if (!hint.empty()) result.fields.emplace_back('H', before_nul(hint));
  if (position > 0) result.fields.emplace_back('P', std::to_string(position));
  return result;
}

wire::ErrorResponse error_response(const Error& error, Severity severity) {
  const std::string_view sqlstate =
      error.sqlstate.size() == 5 ? std::string_view(error.sqlstate) : sqlstate::kInternalError;
  return {diagnostics(name_of(severity), sqlstate, error.public_message, error.hint, error.position)};
}

wire::ErrorResponse error_response(const Refusal& refusal) {
  auto said =
      diagnostics("ERROR", sqlstate::kInsufficientPrivilege, refusal.message, refusal.hint, refusal.position);
  if (!refusal.detail.empty()) said.fields.emplace_back('D', before_nul(refusal.detail));
  return {std::move(said)};
}

Error client_error(std::string_view sqlstate, std::string_view message, std::string_view hint) {
  return {.kind = ErrorKind::server,
          .sqlstate = std::string(sqlstate),
          .public_message = std::string(message),
          .hint = std::string(hint)};
}

}  // namespace pgveil::session
