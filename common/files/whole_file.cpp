#include "common/files/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "common/files/descriptor.hpp"
#include "common/sqlstate.hpp"

namespace pgveil {
namespace {

// like: whose owner, group and mode the file gets; nullptr: ours, 0600.
Result<void> write_temporary(const std::string& path, std::string_view text, const struct stat* like) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return io_error("create", path, errno);
  if (like != nullptr && (::fchown(file.get(), like->st_uid, like->st_gid) != 0 ||
                          ::fchmod(file.get(), like->st_mode & 07777U) != 0)) {
    return io_error("keep owner and mode of", path, errno);
  }
  if (!write_all(file.get(), text) || ::fsync(file.get()) != 0 || file.close() != 0) {
    return io_error("write", path, errno);
  }
  return {};
}

Result<void> sync_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() || ::fsync(folder.get()) != 0) return io_error("sync", path, errno);
  return {};
}

Result<void> replace(const std::string& path, std::string_view text, const struct stat* like) {
  // There is one writer at a time (the caller's lock), so one temporary name is enough. A crash may have left
  // the file.
  const std::string temporary = path + ".new";
  if (::unlink(temporary.c_str()) != 0 && errno != ENOENT) return io_error("remove", temporary, errno);
  if (auto written = write_temporary(temporary, text, like); !written) {
    ::unlink(temporary.c_str());
    return written;
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error_number = errno;
    ::unlink(temporary.c_str());
    return io_error("replace", path, error_number);
  }
  return sync_folder(std::filesystem::absolute(path).parent_path().string());
}

}  // namespace

Error io_error(std::string_view what, const std::string& path, int error_number) {
  return {ErrorKind::io, std::string(sqlstate::kInternalError),
          fmt::format("can't {} {}: {}", what, path, std::strerror(error_number)), ""};
}

Result<std::optional<std::string>> read_whole(const std::string& path, std::size_t limit_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.is_open() && errno == ENOENT) return std::optional<std::string>();
  if (!file.is_open()) return io_error("open", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return io_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) return io_error("read", path, EINVAL);
  if (static_cast<std::size_t>(status.st_size) > limit_bytes) return io_error("read", path, EFBIG);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("read", path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return std::optional(std::move(text));
}

Result<void> replace_whole(const std::string& path, std::string_view text) {
  return replace(path, text, nullptr);
}

Result<void> replace_keeping_rights(const std::string& path, std::string_view text) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? replace(path, text, nullptr) : io_error("open", path, errno);
  }
  std::error_code failed;
  const auto target = std::filesystem::canonical(path, failed);
  if (failed) return io_error("open", path, failed.value());
  return replace(target.string(), text, &status);
}

Result<void> make_private_folder(const std::string& path) {
  std::filesystem::path so_far;
  for (const auto& part : std::filesystem::path(path)) {
    so_far /= part;
    if (::mkdir(so_far.c_str(), 0700) == 0 || errno == EEXIST || errno == EISDIR) continue;
    const int error_number = errno;
    std::error_code ignored;
    if (!std::filesystem::is_directory(so_far, ignored))
      return io_error("make folder", so_far.string(), error_number);
  }
  return {};
}

}  // namespace pgveil
