#include "common/files/export_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "common/files/whole_file.hpp"
#include "common/sqlstate.hpp"

namespace pgveil {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;
constexpr std::size_t kMaxNameBytes = 200;  // leaves room for the temporary suffix in NAME_MAX

Error export_refused(std::string_view what, std::string_view hint) {
  return {ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
          fmt::format("export refused: {}", what), std::string(hint)};
}

// "a/b.csv" → {"a", "b.csv"}; the last is the file.
Result<std::vector<std::string>> components_of(std::string_view name, std::string_view extension) {
  const bool has_control = std::any_of(
      name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (name.empty() || has_control) return export_refused("the file needs a plain name", "write 'name.csv'");
  if (name.front() == '/')
    return export_refused("the file's path is absolute", "name it relative to export_dir");
  std::vector<std::string> parts;
  while (!name.empty()) {
    const auto slash = std::min(name.find('/'), name.size());
    parts.emplace_back(name.substr(0, slash));
    name.remove_prefix(std::min(slash + 1, name.size()));
    const std::string& part = parts.back();
    if (part == "..") return export_refused("the file's path has \"..\"", "name it below export_dir");
    if (part.empty() || part == ".")
      return export_refused("the file's path has an empty part",
                            fmt::format("write 'folder/name{}'", extension));
    if (part.size() > kMaxNameBytes) return export_refused("the file's name is too long", "shorten it");
  }
  if (!parts.back().ends_with(extension))
    return export_refused(fmt::format("the file's name does not end in {}", extension),
                          fmt::format("write 'name{}'", extension));
  return parts;
}

Result<Descriptor> open_folder(const std::string& export_dir, const std::vector<std::string>& parts) {
  Descriptor folder(::open(export_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return io_error("open export_dir", export_dir, errno);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    Descriptor next(
        ::openat(folder.get(), parts[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.is_open() && errno == ENOENT)
      return export_refused("the folder does not exist", "create it below export_dir");
    if (!next.is_open())
      return export_refused("a folder of the path is a symbolic link, or no folder", "name a real folder");
    folder = std::move(next);
  }
  return folder;
}

Error name_is_taken() {
  return export_refused("the file exists already", "name another or remove it first");
}

std::string temporary_name() {
  std::random_device random;
  return fmt::format(".pgveil-export-{:08x}{:08x}", random(), random());
}

// Links the finished file to its name. Fails if anything has that name.
bool link_without_overwriting(int folder, const std::string& from, const std::string& to) {
  return ::linkat(folder, from.c_str(), folder, to.c_str(), 0) == 0;
}

}  // namespace

Result<ExportFile> ExportFile::create(const std::string& export_dir, std::string_view name,
                                      std::string_view extension) {
  if (export_dir.empty())
    return export_refused("the configuration has no export_dir", "set export_dir and RELOAD");
  const auto parts = components_of(name, extension);
  if (!parts) return parts.error();
  auto folder = open_folder(export_dir, *parts);
  if (!folder) return folder.error();
  struct stat status {};
  if (::fstatat(folder->get(), parts->back().c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
    return name_is_taken();
  const std::string temporary = temporary_name();
  Descriptor file(
      ::openat(folder->get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return io_error("write below", export_dir, errno);
  return ExportFile(std::move(*folder), std::move(file), temporary, parts->back());
}

ExportFile::~ExportFile() {
  if (folder_.is_open() && !temporary_.empty()) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

Result<void> ExportFile::append(std::string_view bytes) {
  buffer_ += bytes;
  return buffer_.size() < kBufferBytes ? Result<void>() : flush();
}

Result<void> ExportFile::flush() {
  if (!write_all(file_.get(), buffer_)) return io_error("write", name_, errno);
  buffer_.clear();
  return {};
}

Result<void> ExportFile::publish() {
  if (auto flushed = flush(); !flushed) return flushed;
  if (::fsync(file_.get()) != 0 || file_.close() != 0) return io_error("write", name_, errno);
  if (!link_without_overwriting(folder_.get(), temporary_, name_)) {
    return errno == EEXIST ? name_is_taken() : io_error("name", name_, errno);
  }
  ::unlinkat(folder_.get(), temporary_.c_str(), 0);
  temporary_.clear();
  is_published_ = true;
  if (::fsync(folder_.get()) != 0) {
    const int error_number = errno;
    withdraw();
    return io_error("sync the folder of", name_, error_number);
  }
  return {};
}

void ExportFile::withdraw() {
  if (std::exchange(is_published_, false)) ::unlinkat(folder_.get(), name_.c_str(), 0);
}

}  // namespace pgveil
