#include "jobs/input/input_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "common/files/descriptor.hpp"
#include "common/files/packed_text.hpp"
#include "common/files/whole_file.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;

Result<bool> read_some(int file, const std::string& name, std::string& to) {
  const std::size_t held = to.size();
  to.resize(held + kReadBytes);
  ssize_t got = -1;
  do {
    got = ::read(file, to.data() + held, kReadBytes);
  } while (got < 0 && errno == EINTR);
  to.resize(held + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got < 0) return io_error("read", name, errno);
  return got > 0;
}

Result<std::shared_ptr<const Descriptor>> opened(const std::string& path) {
  auto file =
      std::make_shared<const Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file->is_open() && errno == ENOENT)
    return invalid_input(
        fmt::format("there is no file {}", path),
        "check the path; a job's paths are relative to the job's file, and - as the input is standard input");
  if (!file->is_open()) return io_error("open", path, errno);
  struct stat status {};
  if (::fstat(file->get(), &status) != 0) return io_error("read", path, errno);
  if (S_ISDIR(status.st_mode)) return invalid_input(fmt::format("{} is a folder", path), "name a file");
  if (!S_ISREG(status.st_mode))
    return invalid_input(fmt::format("{} is a pipe or a device, and not a file", path),
                         "write - in its place to read standard input, or copy the bytes into a file");
  return file;
}

ReadPiece pieces_of_standard_input() {
  return [](std::string& to) { return read_some(STDIN_FILENO, "standard input", to); };
}

Result<InputBytes> bytes_of_standard_input() {
  const auto read = pieces_of_standard_input();
  std::string first;
  while (first.size() < kBeginningOfInput) {
    const auto more = read(first);
    if (!more) return more.error();
    if (!*more) break;
  }
  auto beginning = first.substr(0, kBeginningOfInput);
  return InputBytes{std::move(beginning), after(std::move(first), read), nullptr};
}

Result<InputBytes> bytes_of_file(const std::string& path) {
  auto file = opened(path);
  if (!file) return file.error();
  std::string beginning(kBeginningOfInput, '\0');
  const ssize_t got = ::pread((*file)->get(), beginning.data(), beginning.size(), 0);
  if (got < 0) return io_error("read", path, errno);
  beginning.resize(static_cast<std::size_t>(got));
  return InputBytes{std::move(beginning),
                    [file = *file, path](std::string& to) { return read_some(file->get(), path, to); },
                    *file};
}

}  // namespace

ReadPiece after(std::string first, ReadPiece read) {
  return [first = std::move(first), read = std::move(read)](std::string& to) mutable -> Result<bool> {
    if (first.empty()) return read(to);
    to += std::exchange(first, {});
    return true;
  };
}

Result<InputBytes> input_bytes(const std::string& path) {
  return path == "-" ? bytes_of_standard_input() : bytes_of_file(path);
}

Result<ReadPiece> input_pieces(const std::string& path) {
  auto bytes = input_bytes(path);
  if (!bytes) return bytes.error();
  return unpacked_pieces(std::move(bytes->read), most_unpacked_bytes());
}

Error in_input(Error error, const std::string& path) {
  if (error.kind == ErrorKind::io) return error;  // names the file
  error.public_message = fmt::format("{}: {}", path == "-" ? "standard input" : path, error.public_message);
  return error;
}

Result<std::string> read_input_text(const std::string& path) {
  const auto pieces = input_pieces(path);
  if (!pieces) return pieces.error();
  auto text = joined(*pieces);
  if (!text) return in_input(text.error(), path);
  return text;
}

}  // namespace pgveil::app
