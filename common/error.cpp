#include "common/error.hpp"

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

std::string one_line(const Error& error) {
  return error.hint.empty() ? error.public_message : fmt::format("{} ({})", error.public_message, error.hint);
}

}  // namespace pgveil
