#include "common/files/seen_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "common/files/descriptor.hpp"
#include "common/files/whole_file.hpp"

namespace pgveil {
namespace {

constexpr std::size_t kMostCompared = std::size_t{64} << 20;

struct SeenPlace {
  std::string path;  // for messages
  Descriptor folder;
  std::string name;
  std::string temporary;  // no pattern for files matches a name that begins with a dot
};

Result<SeenPlace> open_place(const std::string& path) {
  const std::filesystem::path whole(path);
  SeenPlace place{path, {}, whole.filename().string(), {}};
  place.temporary = "." + place.name + ".new";
  const std::string folder = whole.parent_path().empty() ? "." : whole.parent_path().string();
  place.folder = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!place.folder.is_open()) return io_error("open", folder, errno);
  return place;
}

struct SeenText {
  std::string text;
  struct stat status = {};
};

Result<std::optional<SeenText>> read_place(const SeenPlace& place, std::size_t limit_bytes) {
  const Descriptor file(::openat(place.folder.get(), place.name.c_str(),
                                 O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.is_open() && errno == ENOENT) return std::optional<SeenText>();
  if (!file.is_open()) return io_error(errno == ELOOP ? "follow the link" : "open", place.path, errno);
  SeenText seen;
  if (::fstat(file.get(), &seen.status) != 0) return io_error("read", place.path, errno);
  if (!S_ISREG(seen.status.st_mode)) return io_error("read", place.path, EINVAL);
  if (static_cast<std::size_t>(seen.status.st_size) > limit_bytes) return io_error("read", place.path, EFBIG);
  char part[65536];
  for (;;) {
    const ssize_t got = ::read(file.get(), part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("read", place.path, errno);
    if (got == 0) return std::optional(std::move(seen));
    seen.text.append(part, static_cast<std::size_t>(got));
    if (seen.text.size() > limit_bytes) return io_error("read", place.path, EFBIG);
  }
}

Result<bool> is_as_seen(const SeenPlace& place, const std::optional<std::string>& seen) {
  const auto now = read_place(place, kMostCompared);
  if (!now) return now.error();
  if (!*now) return !seen;
  return seen && (*now)->text == *seen;
}

// like: whose owner, group and mode the file gets; null: ours, 0600.
Result<void> make_temporary(const SeenPlace& place, std::string_view text, const struct stat* like) {
  const int folder = place.folder.get();
  // A crash may have left it.
  if (::unlinkat(folder, place.temporary.c_str(), 0) != 0 && errno != ENOENT)
    return io_error("write", place.path, errno);
  Descriptor file(
      ::openat(folder, place.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return io_error("write", place.path, errno);
  if (like != nullptr && (::fchown(file.get(), like->st_uid, like->st_gid) != 0 ||
                          ::fchmod(file.get(), like->st_mode & 07777U) != 0))
    return io_error("keep owner and mode of", place.path, errno);
  if (!write_all(file.get(), text) || ::fsync(file.get()) != 0 || file.close() != 0)
    return io_error("write", place.path, errno);
  return {};
}

// The temporary file gets the name. A new file never takes another's place.
Result<bool> give_name(const SeenPlace& place, bool is_new) {
  const int folder = place.folder.get();
  const char* from = place.temporary.c_str();
  const char* to = place.name.c_str();
  if (!is_new) {
    if (::renameat(folder, from, folder, to) == 0) return true;
    return io_error("replace", place.path, errno);
  }
  if (::linkat(folder, from, folder, to, 0) != 0) {
    if (errno == EEXIST) return false;
    return io_error("write", place.path, errno);
  }
  return true;
}

Result<bool> put(const SeenPlace& place, const std::optional<std::string>& seen, const std::string& next) {
  const auto now = read_place(place, kMostCompared);
  if (!now) return now.error();
  auto written = make_temporary(place, next, *now ? &(*now)->status : nullptr);
  const auto same = written ? is_as_seen(place, seen) : Result<bool>(written.error());
  auto named = same && *same ? give_name(place, !seen) : same;
  static_cast<void>(::unlinkat(place.folder.get(), place.temporary.c_str(), 0));
  return named;
}

Result<bool> take_away(const SeenPlace& place, const std::optional<std::string>& seen) {
  const auto same = is_as_seen(place, seen);
  if (!same || !*same || !seen) return same;
  if (::unlinkat(place.folder.get(), place.name.c_str(), 0) != 0)
    return io_error("remove", place.path, errno);
  return true;
}

}  // namespace

Result<std::optional<std::string>> read_seen(const std::string& path, std::size_t limit_bytes) {
  const auto place = open_place(path);
  if (!place) return place.error();
  auto seen = read_place(*place, limit_bytes);
  if (!seen) return seen.error();
  if (!*seen) return std::optional<std::string>();
  return std::optional(std::move((*seen)->text));
}

Result<bool> change_seen(const std::string& path, const std::optional<std::string>& seen,
                         const std::optional<std::string>& next) {
  const auto place = open_place(path);
  if (!place) return place.error();
  auto changed = next ? put(*place, seen, *next) : take_away(*place, seen);
  if (!changed || !*changed) return changed;
  if (::fsync(place->folder.get()) != 0) return io_error("sync", path, errno);
  return true;
}

}  // namespace pgveil
