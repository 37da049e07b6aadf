#include "common/files/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "common/files/whole_file.hpp"
#include "common/sqlstate.hpp"

namespace pgveil {
namespace {

constexpr std::size_t kWriteBufferBytes = 1 << 16;
constexpr std::size_t kReadBytes = 1 << 20;

Error invalid_output(std::string what, std::string_view hint) {
  return {ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue), std::move(what),
          std::string(hint)};
}

Result<Descriptor> open_folder(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return io_error("open folder", path, errno);
  return folder;
}

// Opens component by component, so that no symbolic link leads outside.
Result<Descriptor> open_folder_below(const std::string& below, const std::filesystem::path& folder_path) {
  const auto relative = folder_path.lexically_relative(std::filesystem::path(below).lexically_normal());
  if (relative.empty() || *relative.begin() == "..")
    return invalid_output(fmt::format("{} is not below export_dir", folder_path.string()),
                          "let output.file be below it");
  auto folder = open_folder(below);
  if (!folder) return folder;
  for (const auto& part : relative) {
    if (part == "." || part.empty()) continue;
    Descriptor next(::openat(folder->get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.is_open()) return io_error("open without following links", folder_path.string(), errno);
    *folder = std::move(next);
  }
  return folder;
}

// Empty: the path is empty, or it is relative to a folder that is gone.
std::filesystem::path normal_path(const std::string& path) {
  std::error_code failed;
  return std::filesystem::absolute(path, failed).lexically_normal();
}

using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> id_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

Result<void> check_apart(const OutputPlace& place) {
  for (const auto& input : place.inputs) {
    if (is_same_destination(place.path, input))
      return invalid_output(
          fmt::format("{} would be overwritten, but this command reads {}", place.path, input),
          "publish to another file");
  }
  for (const auto& output : place.outputs) {
    if (is_same_destination(place.path, output))
      return invalid_output(
          fmt::format("{} would replace {}, which this command also writes", place.path, output),
          "name another file");
  }
  return {};
}

Result<void> check_free(const Descriptor& folder, const std::string& name, const OutputPlace& place) {
  struct stat status {};
  if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? Result<void>() : Result<void>(io_error("look for", place.path, errno));
  }
  if (!S_ISREG(status.st_mode))
    return invalid_output(fmt::format("{} is not a regular file", place.path), "publish to another file");
  if (place.replace) return {};
  return invalid_output(fmt::format("{} exists already", place.path),
                        "publish to another file, or " + place.how_to_replace);
}

std::string own_name(std::string_view what) {
  std::random_device random;
  return fmt::format(".pgveil-{}-{:08x}{:08x}", what, random(), random());
}

// Not open: the file system has no unnamed files, or no name could be given to one later.
Descriptor open_unnamed(const Descriptor& folder) {
  if (::access("/proc/self/fd", X_OK) != 0) return Descriptor();
  return Descriptor(::openat(folder.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
}

// Gives a name to an unnamed file, as open(2) describes it. → whether it worked; else errno says why.
bool name_file(const Descriptor& file, const Descriptor& folder, const std::string& name) {
  const auto opened = fmt::format("/proc/self/fd/{}", file.get());
  return ::linkat(AT_FDCWD, opened.c_str(), folder.get(), name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// Whether the name still is that of this file.
bool has_name(const Descriptor& file, const Descriptor& folder, const std::string& name) {
  struct stat own {};
  struct stat named {};
  return ::fstat(file.get(), &own) == 0 &&
         ::fstatat(folder.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

}  // namespace

OutputFile::OutputFile(Descriptor folder, Descriptor file, std::string path, std::string name, bool replace)
    : folder_(std::move(folder)),
      file_(std::move(file)),
      path_(std::move(path)),
      name_(std::move(name)),
      replace_(replace) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : folder_(std::move(other.folder_)),
      file_(std::move(other.file_)),
      path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      temporary_(std::exchange(other.temporary_, "")),
      aside_(std::exchange(other.aside_, "")),
      replace_(other.replace_),
      is_published_(std::exchange(other.is_published_, false)),
      buffer_(std::move(other.buffer_)) {}

bool is_same_destination(const std::string& output, const std::string& other) {
  const auto path = normal_path(output), other_path = normal_path(other);
  const auto file = id_of(path.string());
  if (file && file == id_of(other)) return true;
  if (path.empty() || path.filename() != other_path.filename()) return false;
  const auto folder = id_of(path.parent_path().string());
  return folder && folder == id_of(other_path.parent_path().string());
}

Result<OutputFile> OutputFile::create(const OutputPlace& place) {
  const auto path = normal_path(place.path);
  const auto name = path.filename().string();
  if (name.empty()) return invalid_output(fmt::format("{} is no file's name", place.path), "name a file");
  auto folder = place.below.empty() ? open_folder(path.parent_path().string())
                                    : open_folder_below(place.below, path.parent_path());
  if (!folder) return folder.error();
  if (auto apart = check_apart(place); !apart) return apart.error();
  if (auto free = check_free(*folder, name, place); !free) return free.error();
  std::string temporary;
  Descriptor file = open_unnamed(*folder);
  if (!file.is_open()) {
    temporary = own_name("new");
    file = Descriptor(
        ::openat(folder->get(), temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  }
  if (!file.is_open()) return io_error("write beside", place.path, errno);
  OutputFile made(std::move(*folder), std::move(file), place.path, name, place.replace);
  made.temporary_ = temporary;
  return made;
}

OutputFile::~OutputFile() {
  if (!folder_.is_open()) return;
  if (!temporary_.empty()) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
  if (!is_published_) return;
  const int folder = folder_.get();
  if (has_name(file_, folder_, name_)) {
    if (aside_.empty()) {
      ::unlinkat(folder, name_.c_str(), 0);
    } else {
      ::renameat(folder, aside_.c_str(), folder, name_.c_str());
    }
  } else if (!aside_.empty()) {
    // Another job may have published there meanwhile. linkat gives the name back only if nobody has it.
    if (::linkat(folder, aside_.c_str(), folder, name_.c_str(), 0) == 0 || errno == EEXIST)
      ::unlinkat(folder, aside_.c_str(), 0);
  }
}

Result<void> OutputFile::append(std::string_view bytes) {
  buffer_ += bytes;
  return buffer_.size() < kWriteBufferBytes ? Result<void>() : flush();
}

Result<void> OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return io_error("write", path_, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  return {};
}

Result<void> OutputFile::finish() {
  if (auto flushed = flush(); !flushed) return flushed;
  if (::fsync(file_.get()) != 0) return io_error("write", path_, errno);
  return {};
}

ReadPiece OutputFile::read_back() const {
  return [this, at = off_t{0}](std::string& to) mutable -> Result<bool> {
    const std::size_t held = to.size();
    to.resize(held + kReadBytes);
    ssize_t got = -1;
    do {
      got = ::pread(file_.get(), to.data() + held, kReadBytes, at);
    } while (got < 0 && errno == EINTR);
    to.resize(held + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) return io_error("read back", path_, errno);
    at += got;
    return got > 0;
  };
}

Result<void> OutputFile::publish() {
  const int folder = folder_.get();
  if (replace_) {
    if (temporary_.empty()) {
      const auto temporary = own_name("new");
      if (!name_file(file_, folder_, temporary)) return io_error("name", path_, errno);
      temporary_ = temporary;
    }
    const auto aside = own_name("old");
    if (::linkat(folder, name_.c_str(), folder, aside.c_str(), 0) == 0) {
      aside_ = aside;
    } else if (errno != ENOENT) {
      return io_error("keep aside", path_, errno);
    }
    if (::renameat(folder, temporary_.c_str(), folder, name_.c_str()) != 0) {
      const int error_number = errno;
      if (!aside_.empty()) ::unlinkat(folder, std::exchange(aside_, "").c_str(), 0);
      return io_error("name", path_, error_number);
    }
  } else {
    const bool is_named = temporary_.empty()
                              ? name_file(file_, folder_, name_)
                              : ::linkat(folder, temporary_.c_str(), folder, name_.c_str(), 0) == 0;
    if (!is_named) {
      if (errno != EEXIST) return io_error("name", path_, errno);
      return invalid_output(fmt::format("{} exists already", path_), "it was made meanwhile");
    }
    if (!temporary_.empty()) ::unlinkat(folder, temporary_.c_str(), 0);
  }
  temporary_.clear();
  is_published_ = true;
  if (::fsync(folder) != 0) return io_error("sync the folder of", path_, errno);
  return {};
}

void OutputFile::settle() {
  is_published_ = false;
  if (!aside_.empty()) ::unlinkat(folder_.get(), std::exchange(aside_, "").c_str(), 0);
}

}  // namespace pgveil
