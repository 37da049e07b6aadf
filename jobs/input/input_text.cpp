#include "jobs/input/input_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "common/files/packed_text.hpp"
#include "common/files/whole_file.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

Result<std::string> read_standard_input() {
  std::string text;
  std::array<char, 1 << 16> some{};
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, some.data(), some.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("read", "standard input", errno);
    if (got == 0) return text;
    text.append(some.data(), static_cast<std::size_t>(got));
  }
}

Result<std::string> read_bytes(const std::string& path) {
  if (path == "-") return read_standard_input();
  auto text = read_whole(path, std::numeric_limits<std::size_t>::max());
  if (!text) return text.error();
  if (*text) return std::move(**text);
  return invalid_input(
      fmt::format("there is no file {}", path),
      "check the path; a job's paths are relative to the job's file, and - is standard input");
}

}  // namespace

Result<std::string> read_input_text(const std::string& path) {
  auto bytes = read_bytes(path);
  if (!bytes) return bytes;
  auto text = unpacked(std::move(*bytes), most_unpacked_bytes());
  if (text) return text;
  Error error = text.error();
  error.public_message = fmt::format("{}: {}", path == "-" ? "standard input" : path, error.public_message);
  return error;
}

}  // namespace pgveil::app
