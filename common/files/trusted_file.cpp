#include "common/files/trusted_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "common/files/descriptor.hpp"
#include "common/sqlstate.hpp"

namespace pgveil {
namespace {

constexpr int kMaxLinks = 20;
constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;
constexpr int kLooking = O_PATH | O_CLOEXEC | O_NOFOLLOW;

Error unusable(const std::string& path, std::string_view what, std::string_view fix) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
          fmt::format("{}: {}", path, what), std::string(fix)};
}

Error unusable(const std::string& path, int error_number) {
  return unusable(path, std::strerror(error_number), "check the path, and that pgveil may read it");
}

std::string whose(uid_t us) {
  return fmt::format("it belongs neither to root nor to the user that pgveil runs as ({})", us);
}

bool is_strangers(const struct stat& status, uid_t us) {
  return status.st_uid != 0 && status.st_uid != us;
}

Result<struct stat> status_of(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return unusable(path, errno);
  return status;
}

// Walks from the root folder to one file.
class Walk {
 public:
  explicit Walk(const std::string& path) : us_(::geteuid()) { push(std::filesystem::absolute(path)); }

  // The file, open and not yet checked. is_at() returns where it was found.
  Result<Descriptor> open_file();
  [[nodiscard]] const std::string& is_at() const { return at_; }

 private:
  void push(const std::filesystem::path& path);
  [[nodiscard]] Result<void> start();
  [[nodiscard]] Result<void> enter(Descriptor folder, const struct stat& status);
  [[nodiscard]] Result<void> follow(const Descriptor& link, const struct stat& status);

  uid_t us_;
  std::vector<std::string> to_go_;  // reversed: the next component is the last element
  Descriptor folder_;
  std::string folder_path_, at_;
  bool is_shut_ = false;
  int links_left_ = kMaxLinks;
};

void Walk::push(const std::filesystem::path& path) {
  std::vector<std::string> names;
  for (const auto& part : path) {
    if (const auto name = part.string(); name != "/" && !name.empty() && name != ".") names.push_back(name);
  }
  to_go_.insert(to_go_.end(), names.rbegin(), names.rend());
}

Result<void> Walk::start() {
  at_ = folder_path_ = "/";
  is_shut_ = false;
  Descriptor root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) return unusable(at_, errno);
  const auto status = status_of(root, at_);
  if (!status) return status.error();
  return enter(std::move(root), *status);
}

Result<void> Walk::enter(Descriptor folder, const struct stat& status) {
  if (auto [why, fix] = distrust_of_folder(status, is_shut_, us_, at_); !why.empty())
    return unusable(at_, why, fix);
  is_shut_ = is_shut_ || (status.st_mode & (S_IXGRP | S_IXOTH)) == 0;
  folder_ = std::move(folder);
  folder_path_ = at_;
  return {};
}

Result<void> Walk::follow(const Descriptor& link, const struct stat& status) {
  if (is_strangers(status, us_))
    return unusable(at_, "a link, and " + whose(us_), "name the file itself, or make the link anew");
  if (--links_left_ < 0) return unusable(at_, ELOOP);
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlinkat(link.get(), "", target.data(), target.size());
  if (size <= 0 || size == static_cast<ssize_t>(target.size()))
    return unusable(at_, size < 0 ? errno : ENAMETOOLONG);
  const std::filesystem::path path(std::string(target.data(), static_cast<std::size_t>(size)));
  push(path);
  return path.is_absolute() ? start() : Result<void>();
}

Result<Descriptor> Walk::open_file() {
  if (auto started = start(); !started) return started.error();
  while (!to_go_.empty()) {
    const std::string name = std::exchange(to_go_.back(), {});
    to_go_.pop_back();
    at_ = (std::filesystem::path(folder_path_) / name).lexically_normal().string();
    if (name == "..") is_shut_ = false;
    Descriptor entry(::openat(folder_.get(), name.c_str(), kLooking));
    if (!entry.is_open()) return unusable(at_, errno);
    const auto status = status_of(entry, at_);
    if (!status) return status.error();
    Result<void> gone_on;
    if (S_ISLNK(status->st_mode)) {
      gone_on = follow(entry, *status);
    } else if (S_ISDIR(status->st_mode)) {
      gone_on = enter(std::move(entry), *status);
    } else if (!to_go_.empty()) {
      return unusable(at_, ENOTDIR);
    } else if (!S_ISREG(status->st_mode)) {
      break;
    } else {
      Descriptor file(::openat(folder_.get(), name.c_str(), kReading));
      if (!file.is_open()) return unusable(at_, errno);
      return file;
    }
    if (!gone_on) return gone_on.error();
  }
  return unusable(at_, "not a regular file", "name a plain file");
}

std::string in_words(std::size_t bytes) {
  return bytes % (1 << 20) == 0 ? fmt::format("{} MiB", bytes >> 20) : fmt::format("{} bytes", bytes);
}

Result<std::string> read_all(const Descriptor& file, const std::string& path, std::size_t limit_bytes) {
  std::string text;
  std::array<char, 65536> chunk{};
  for (;;) {
    const ssize_t count = ::read(file.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return unusable(path, errno);
    if (count == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(count));
    if (text.size() > limit_bytes)
      return unusable(path, "over " + in_words(limit_bytes), "is it the right file?");
  }
}

}  // namespace

Distrust distrust_of_folder(const struct stat& status, bool is_shut, uid_t us, const std::string& path) {
  if (is_strangers(status, us))
    return {"a folder on the way to the file, and " + whose(us), fmt::format("chown root {}", path)};
  const bool is_open = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (status.st_mode & S_ISVTX) == 0;
  if (!is_open || is_shut) return {};
  return {"a folder on the way to the file in which others may put files",
          fmt::format("chmod go-w {}", path)};
}

Distrust distrust_of_file(const struct stat& status, Secrecy secrecy, uid_t us, const std::string& path) {
  if (!S_ISREG(status.st_mode)) return {"not a regular file", "name a plain file"};
  if (is_strangers(status, us)) return {whose(us), fmt::format("chown root {}", path)};
  const bool is_secret = secrecy == Secrecy::secret;
  const bool is_roots = status.st_uid == 0;
  const std::string fix = is_secret ? fmt::format("chmod {} {}", is_roots ? "640" : "600", path)
                                    : fmt::format("chmod go-w {}", path);
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return {"others than its owner may write it", fix};
  const mode_t readers = S_IROTH | (is_roots ? 0 : S_IRGRP);
  if (is_secret && (status.st_mode & readers) != 0) return {"others than its owner may read it", fix};
  return {};
}

namespace {

struct Opened {
  Descriptor file;
  std::string path;  // after resolving links
};

Result<Opened> open_trusted(const std::string& path, Secrecy secrecy) {
  Walk walk(path);
  auto file = walk.open_file();
  if (!file) return file.error();
  const auto status = status_of(*file, walk.is_at());
  if (!status) return status.error();
  if (auto [why, fix] = distrust_of_file(*status, secrecy, ::geteuid(), walk.is_at()); !why.empty())
    return unusable(walk.is_at(), why, fix);
  return Opened{std::move(*file), walk.is_at()};
}

}  // namespace

Result<std::string> read_trusted(const std::string& path, Secrecy secrecy, std::size_t limit_bytes) {
  const auto opened = open_trusted(path, secrecy);
  if (!opened) return opened.error();
  return read_all(opened->file, opened->path, limit_bytes);
}

Result<void> check_trusted(const std::string& path, Secrecy secrecy) {
  const auto opened = open_trusted(path, secrecy);
  if (!opened) return opened.error();
  return {};
}

}  // namespace pgveil
