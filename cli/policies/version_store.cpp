#include "cli/policies/version_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "cli/files/whole_file.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::cli {
namespace {

constexpr std::size_t kMaxReasonBytes = 4096;

// A file name for any database name: what is not plain is percent-encoded.
std::string file_name_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    out += is_plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

Error damaged(const std::string& path, std::string_view what) {
  return {ErrorKind::configuration, std::string(sqlstate::kInternalError), fmt::format("{}: {}", path, what),
          "restore it, or remove it and build the policy again"};
}

std::string stat_text(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "-";
  return fmt::format("{}.{}.{}.{}", status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                     status.st_size);
}

}  // namespace

VersionStore::Lock::~Lock() {
  if (fd_ >= 0) ::close(fd_);
}

std::string VersionStore::folder_of(const std::string& database) const {
  return state_dir_ + "/" + file_name_of(database);
}
std::string VersionStore::path_of(const std::string& database, const std::string& policy) const {
  return folder_of(database) + "/" + file_name_of(policy) + ".json";
}
std::string VersionStore::withdrawal_path(const std::string& database, const std::string& policy) const {
  return folder_of(database) + "/" + file_name_of(policy) + ".withdrawn";
}

Result<StoredVersion> VersionStore::load(const std::string& database, const std::string& policy) const {
  StoredVersion stored;
  const std::string path = path_of(database, policy);
  const auto text = read_whole(path, policy::kMaxVersionBytes);
  if (!text) return text.error();
  if (*text) {
    auto version = policy::version_from_json(**text, path);
    if (!version) return version.error();
    if (version->policy != policy) return damaged(path, "the version of another policy");
    stored.version = std::make_shared<const policy::PolicyVersion>(std::move(*version));
  }
  auto reason = read_whole(withdrawal_path(database, policy), kMaxReasonBytes);
  if (!reason) return reason.error();
  stored.withdrawn = std::move(*reason);
  return stored;
}

Result<VersionStore::Lock> VersionStore::lock(const std::string& database) const {
  if (auto made = make_private_folder(folder_of(database)); !made) return made.error();
  const std::string path = folder_of(database) + "/.lock";
  Lock held(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (held.fd_ < 0) return io_error("open", path, errno);
  while (::flock(held.fd_, LOCK_EX) != 0) {
    if (errno != EINTR) return io_error("lock", path, errno);
  }
  return held;
}

Result<std::uint64_t> VersionStore::next_number(const Lock&, const std::string& database,
                                                const std::string& policy) const {
  const auto stored = load(database, policy);
  if (!stored) return stored.error();
  return stored->version ? stored->version->number + 1 : 1;
}

Result<void> VersionStore::save(const Lock&, const std::string& database,
                                const policy::PolicyVersion& version) const {
  if (auto saved = replace_whole(path_of(database, version.policy), policy::to_json(version)); !saved)
    return saved;
  // After the new version: a crash in between leaves it closed, never open too early.
  const std::string withdrawal = withdrawal_path(database, version.policy);
  if (::unlink(withdrawal.c_str()) != 0 && errno != ENOENT) return io_error("remove", withdrawal, errno);
  return {};
}

Result<void> VersionStore::withdraw(const Lock&, const std::string& database, const std::string& policy,
                                    const std::string& reason) const {
  return replace_whole(withdrawal_path(database, policy), reason.substr(0, kMaxReasonBytes));
}

Result<void> VersionStore::retire(const std::string& database, const std::string& policy) const {
  const std::string path = path_of(database, policy);
  if (::rename(path.c_str(), (path + ".imported").c_str()) != 0 && errno != ENOENT)
    return io_error("rename", path, errno);
  const std::string withdrawal = withdrawal_path(database, policy);
  if (::unlink(withdrawal.c_str()) != 0 && errno != ENOENT) return io_error("remove", withdrawal, errno);
  return {};
}

std::string VersionStore::stamp(const std::string& database, const std::string& policy) const {
  return stat_text(path_of(database, policy)) + " " + stat_text(withdrawal_path(database, policy));
}

}  // namespace pgveil::cli
