#include "daemon/audit/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "common/files/whole_file.hpp"
#include "common/sha256.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::app {
namespace {

constexpr off_t kMaxLineBytes = 1 << 20;  // of a last line; ours are far shorter

Error unusable(const std::string& path, std::string_view what, std::string_view fix) {
  return {ErrorKind::io, std::string(sqlstate::kIoError), fmt::format("audit log {}: {}", path, what),
          std::string(fix)};
}

Result<struct stat> checked_status(const std::string& path, int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return io_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) return unusable(path, "not a regular file", "name a plain file");
  if (status.st_uid != ::geteuid()) return unusable(path, "another user owns it", "let pgveil create it");
  if ((status.st_mode & (S_IWGRP | S_IWOTH | S_IROTH)) != 0)
    return unusable(path, "others may write it, or everybody may read it", fmt::format("chmod 640 {}", path));
  return status;
}

Result<Descriptor> open_checked(const std::string& path) {
  Descriptor file(::open(path.c_str(),
                         O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
  if (!file.is_open()) return io_error("open audit log", path, errno);
  if (const auto status = checked_status(path, file.get()); !status) return status.error();
  return file;
}

// While this object lives, nobody else writes the file.
class Unlock {
 public:
  explicit Unlock(int fd) : fd_(fd) {}
  Unlock(const Unlock&) = delete;
  Unlock& operator=(const Unlock&) = delete;
  ~Unlock() { ::flock(fd_, LOCK_UN); }

 private:
  int fd_;
};

// The end of the file, at most kMaxLineBytes.
Result<std::string> tail_of(const std::string& path, int fd) {
  const off_t size = ::lseek(fd, 0, SEEK_END);
  if (size < 0) return io_error("read", path, errno);
  std::string tail(static_cast<std::size_t>(std::min(size, kMaxLineBytes)), '\0');
  const ssize_t count = ::pread(fd, tail.data(), tail.size(), size - static_cast<off_t>(tail.size()));
  if (count != static_cast<ssize_t>(tail.size())) return io_error("read", path, errno);
  return tail;
}

}  // namespace

std::string chain_hash(std::string_view line, std::string_view key) {
  return hex_of(key.empty() ? sha256(line) : hmac_sha256(key, line));
}

Result<AuditFile> AuditFile::open(std::string path, std::string key, std::chrono::milliseconds patience) {
  AuditFile file(std::move(path), std::move(key), patience);
  if (auto opened = file.reopen(); !opened) return opened.error();
  return file;
}

bool AuditFile::is_in_place() const {
  struct stat open_one {};
  struct stat named {};
  return file_.is_open() && ::fstat(file_.get(), &open_one) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
         open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

Result<void> AuditFile::lock() const {
  constexpr std::chrono::milliseconds kPause{1};
  for (std::chrono::milliseconds waited{}; ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0; waited += kPause) {
    if (waited >= patience_)
      return unusable(path_, "another process holds its lock and does not release it",
                      "look for a stopped process");
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

// Lines that others have written since are part of the chain. Lines that were removed or changed are not
// checked here: then the next line does not fit, which is the purpose of the chain. A last line without a
// line feed was left by a crash of the machine: it gets one and stays a link of the chain.
Result<void> AuditFile::catch_up() {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) return io_error("read", path_, errno);
  if (status.st_size <= size_) return {};
  auto tail = tail_of(path_, file_.get());
  if (!tail) return tail.error();
  size_ = status.st_size;
  if (tail->back() != '\n') {
    if (!write_all(file_.get(), "\n")) return io_error("write audit log", path_, errno);
    ++size_;
  } else {
    tail->pop_back();
  }
  const std::size_t feed = tail->rfind('\n');
  previous_ = chain_hash(feed == std::string::npos ? *tail : tail->substr(feed + 1), key_);
  return {};
}

// Switches to the file that has the name now. The last line of the old file is read before the new one gets
// its first line.
Result<void> AuditFile::follow() {
  auto file = open_checked(path_);
  if (!file) return file.error();
  if (file_.is_open()) {
    if (auto locked = lock(); !locked) return locked;
    const Unlock unlock(file_.get());
    if (auto read = catch_up(); !read) return read;
  }
  file_ = std::move(*file);
  size_ = 0;
  return {};
}

Result<void> AuditFile::reopen() {
  if (is_in_place()) return {};
  if (auto followed = follow(); !followed) return followed;
  if (auto locked = lock(); !locked) return locked;
  const Unlock unlock(file_.get());
  return catch_up();
}

Result<void> AuditFile::append(std::string_view fields) {
  why_misplaced_.reset();
  for (;;) {
    if (!is_in_place() && !why_misplaced_) {
      if (auto followed = follow(); !followed) why_misplaced_ = followed.error();
    }
    if (auto locked = lock(); !locked) return locked;
    const Unlock unlock(file_.get());
    if (!why_misplaced_ && !is_in_place()) continue;  // it was moved in the meantime
    if (auto read = catch_up(); !read) return read;
    return write(fields);
  }
}

Result<void> AuditFile::write(std::string_view fields) {
  std::string line = fmt::format(R"({{{},"prev":"{}"}})", fields, previous_);
  std::string next = chain_hash(line, key_);
  line += '\n';
  struct stat before {};
  if (::fstat(file_.get(), &before) != 0) return io_error("write audit log", path_, errno);
  if (write_all(file_.get(), line)) {
    size_ = before.st_size + static_cast<off_t>(line.size());
    previous_ = std::move(next);
    return {};
  }
  const int why = errno;
  if (::ftruncate(file_.get(), before.st_size) != 0) return io_error("mend audit log", path_, errno);
  return io_error("write audit log", path_, why);
}

}  // namespace pgveil::app
