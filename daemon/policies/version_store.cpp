#include "daemon/policies/version_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <sstream>
#include <thread>

#include "common/ascii.hpp"
#include "common/files/whole_file.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMaxReasonBytes = 4096;
constexpr std::chrono::seconds kLongestWait{30};
constexpr std::chrono::milliseconds kPauseBetweenTries{20};

// A file name for any database name: characters that are not plain are percent-encoded.
std::string file_name_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_plain = is_letter(c) || is_digit(c) || c == '_' || c == '-';
    out += is_plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

// The name for a file name; nullopt: file_name_of never makes this text.
std::optional<std::string> name_of_file(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const auto digits = text.substr(i + 1, 2);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || read.ptr != digits.data() + 2) return std::nullopt;
    out += static_cast<char>(value);
    i += 2;
  }
  return file_name_of(out) == text ? std::optional(out) : std::nullopt;
}

// "16385 public people people_k2"
std::string line_of(const rewriter::BuiltTable& table) {
  return fmt::format("{} {} {} {}\n", table.oid, file_name_of(table.schema), file_name_of(table.name),
                     file_name_of(table.policy));
}

std::optional<rewriter::BuiltTable> table_of(const std::string& line) {
  std::istringstream words(line);
  rewriter::BuiltTable table;
  std::string schema;
  std::string name;
  std::string policy;
  if (!(words >> table.oid >> schema >> name >> policy)) return std::nullopt;
  const auto read = {name_of_file(schema), name_of_file(name), name_of_file(policy)};
  if (std::ranges::any_of(read, [](const auto& one) { return !one; })) return std::nullopt;
  table.schema = *read.begin()[0];
  table.name = *read.begin()[1];
  table.policy = *read.begin()[2];
  return line_of(table) == line + "\n" ? std::optional(table) : std::nullopt;
}

constexpr std::size_t kMaxTablesBytes = std::size_t{16} << 20;

Error damaged(const std::string& path, std::string_view what) {
  return {ErrorKind::configuration, std::string(sqlstate::kInternalError), fmt::format("{}: {}", path, what),
          "restore it, or remove it and build the policy again"};
}

Error busy(const std::string& path) {
  return {ErrorKind::io, std::string(sqlstate::kObjectInUse), path + ": another pgveil holds it",
          "try again. If this happens every time, find out which process has this file open"};
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
  const auto patience = std::chrono::steady_clock::now() + kLongestWait;
  while (::flock(held.fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK && std::chrono::steady_clock::now() > patience) return busy(path);
    if (errno != EWOULDBLOCK && errno != EINTR) return io_error("lock", path, errno);
    std::this_thread::sleep_for(kPauseBetweenTries);
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
  // Removed after the new version was saved: a crash in between leaves the policy closed, and never opens it
  // too early.
  const std::string withdrawal = withdrawal_path(database, version.policy);
  if (::unlink(withdrawal.c_str()) != 0 && errno != ENOENT) return io_error("remove", withdrawal, errno);
  return {};
}

Result<void> VersionStore::withdraw(const Lock&, const std::string& database, const std::string& policy,
                                    const std::string& reason) const {
  return replace_whole(withdrawal_path(database, policy), reason.substr(0, kMaxReasonBytes));
}

Result<std::vector<rewriter::BuiltTable>> VersionStore::built_tables(const std::string& database) const {
  std::vector<rewriter::BuiltTable> tables;
  const std::string path = folder_of(database) + "/.tables";
  const auto text = read_whole(path, kMaxTablesBytes);
  if (!text) return text.error();
  std::istringstream lines(*text ? **text : std::string());
  for (std::string line; std::getline(lines, line);) {
    auto table = table_of(line);
    if (!table) return damaged(path, "a line that names no table");
    tables.push_back(std::move(*table));
  }
  return tables;
}

Result<void> VersionStore::note_built_table(const Lock&, const std::string& database,
                                            const rewriter::BuiltTable& table) const {
  auto tables = built_tables(database);
  if (!tables) return tables.error();
  const bool is_known = std::ranges::any_of(*tables, [&](const rewriter::BuiltTable& known) {
    return known.oid == table.oid && known.schema == table.schema && known.name == table.name;
  });
  if (is_known) return {};
  tables->push_back(table);
  std::string text;
  for (const auto& known : *tables) text += line_of(known);
  return replace_whole(folder_of(database) + "/.tables", text);
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

}  // namespace pgveil::app
