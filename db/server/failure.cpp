#include "db/server/failure.hpp"

#include <fmt/format.h>

#include <array>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::db {
namespace {

// The first line without PostgreSQL's severity. Texts of libpq end with a line feed.
std::string first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  for (const std::string_view severity : {"ERROR:  ", "FATAL:  "}) {
    if (text.substr(0, severity.size()) == severity) text.remove_prefix(severity.size());
  }
  return std::string(text);
}

// SQLSTATEs whose messages name objects, roles or resources, and never quote a value.
bool quotes_names_only(std::string_view state) {
  constexpr std::array<std::string_view, 9> kStates{"42501", "42P01", "42703", "42P07", "3F000",
                                                    "3D000", "25006", "42704", "55P03"};
  for (const auto known : kStates) {
    if (state == known) return true;
  }
  const auto state_class = state.substr(0, 2);
  return state_class == "28" || state_class == "53" || state_class == "57";
}

}  // namespace

Error server_failure(std::string_view what, const SqlFailure& failure) {
  const std::string& state = failure.sqlstate();
  Error error{ErrorKind::server,
              state.empty() ? std::string(sqlstate::kInternalError) : state,
              fmt::format("{} failed: SQLSTATE {}", what, state.empty() ? "unknown" : state),
              "",
              failure.what(),
              0};
  if (quotes_names_only(error.sqlstate)) {
    error.public_message = fmt::format("{} failed: {}", what, first_line(failure.what()));
  } else {
    error.hint = "the server's log has the text; log.log_private shows it here";
  }
  if (error.sqlstate == "42501" && (what.starts_with("reading") || what.starts_with("counting")))
    error.hint = "run what pgveil setup-sql prints, also after a new policy: it grants what is needed";
  if (error.sqlstate == "25006")
    error.hint = "a standby can't be written to: do it on the primary, and it arrives here";
  return error;
}

Error connection_failure(std::string_view what, const std::exception& failure) {
  const std::string text = first_line(failure.what());
  const bool lacks_role =
      text.find("FATAL:  role \"") != std::string::npos && text.ends_with("does not exist");
  return {ErrorKind::connection,
          std::string(sqlstate::kConnectionFailure),
          fmt::format("{} failed: {}", what, text),
          lacks_role ? "what pgveil setup-sql prints makes the role: run it"
                     : "is PostgreSQL running there, and do the backend settings fit?",
          failure.what(),
          0};
}

Error other_failure(std::string_view what, const std::exception& failure) {
  if (dynamic_cast<const Bug*>(&failure) != nullptr) throw;  // a bug is not an expected failure
  return {ErrorKind::server,
          std::string(sqlstate::kInternalError),
          fmt::format("{} failed", what),
          "",
          failure.what(),
          0};
}

}  // namespace pgveil::db
