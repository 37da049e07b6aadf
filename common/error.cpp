#include "common/error.hpp"

#include <utility>

#include "common/sqlstate.hpp"

#include <fmt/format.h>

#include "common/assert.hpp"

namespace pgveil {

void fail_assertion(const char* condition, const char* file, int line) {
  throw Bug(fmt::format("{}:{}: assertion failed: {}", file, line, condition));
}

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  throw Bug(fmt::format("{}:{}: value of a failed result: {}", where.file_name(), where.line(),
                        error.public_message));
}

Error usage_error(std::string message, std::string hint) {
  return error_of_kind(ErrorKind::usage, std::move(message), std::move(hint));
}

Error invalid_input(std::string message, std::string hint, std::string private_detail) {
  Error error = error_of_kind(ErrorKind::configuration, std::move(message), std::move(hint));
  error.private_detail = std::move(private_detail);
  return error;
}

Error not_permitted(std::string message, std::string hint) {
  return {ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege), std::move(message),
          std::move(hint)};
}

Error error_of_kind(ErrorKind kind, std::string message, std::string hint) {
  const auto state =
      kind == ErrorKind::limit ? sqlstate::kProgramLimitExceeded : sqlstate::kInvalidParameterValue;
  return {kind, std::string(state), std::move(message), std::move(hint)};
}

std::string one_line(const Error& error) {
  return error.hint.empty() ? error.public_message : fmt::format("{} ({})", error.public_message, error.hint);
}

}  // namespace pgveil
