#include "common/files/process_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "common/files/whole_file.hpp"

namespace pgveil {
namespace {

constexpr std::string_view kPrefix = "page-";
constexpr std::string_view kLock = "/.lock";

Descriptor open_lock(const std::string& folder, int more_flags) {
  return Descriptor(
      ::open((folder + std::string(kLock)).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | more_flags, 0600));
}

void remove(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

// Removes folders of processes that have ended: nobody holds their lock. A folder without a lock is still
// being made.
void remove_abandoned(const std::string& parent) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !entry.is_directory(ignored) || entry.is_symlink(ignored)) continue;
    const Descriptor lock = open_lock(entry.path().string(), 0);
    if (lock.is_open() && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) remove(entry.path().string());
  }
}

}  // namespace

Result<ProcessFolder> ProcessFolder::make(const std::string& parent) {
  if (auto made = make_private_folder(parent); !made) return made.error();
  remove_abandoned(parent);
  std::string path = parent + "/" + std::string(kPrefix) + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return io_error("create a folder in", parent, errno);
  Descriptor lock = open_lock(path, O_CREAT | O_EXCL);
  if (!lock.is_open() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    const int error_number = errno;
    remove(path);
    return io_error("lock", path, error_number);
  }
  return ProcessFolder(std::move(path), std::move(lock));
}

ProcessFolder::ProcessFolder(ProcessFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

ProcessFolder::~ProcessFolder() {
  if (!path_.empty()) remove(path_);
}

}  // namespace pgveil
