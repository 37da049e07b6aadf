#pragma once
// Versions of policies on disk, for databases without the schema pgveil (daemon/policies/versions.hpp):
// <state_dir>/<database>/<policy>.json, mode 0600 in folders of mode 0700. A file is replaced whole
// (temporary file, fsync, rename): a reader sees the old version or the new one. Numbers only rise: a lock
// per database keeps two builders apart, whichever process they are in.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/built_table.hpp"

namespace pgveil::app {

// What is stored of one policy. A withdrawn policy stays closed until its next build, also after a restart.
struct StoredVersion {
  std::shared_ptr<const policy::PolicyVersion> version;  // null: never built
  std::optional<std::string> withdrawn;                  // why
};

class VersionStore {
 public:
  explicit VersionStore(std::string state_dir) : state_dir_(std::move(state_dir)) {}

  // Errors: ErrorKind::io, ErrorKind::configuration for a damaged file.
  [[nodiscard]] Result<StoredVersion> load(const std::string& database, const std::string& policy) const;

  // Held while a version is compared with what is stored, and saved; ends with the process that holds it.
  // Errors: ErrorKind::io, also when another process has held it for half a minute.
  class Lock {
   public:
    Lock(Lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Lock& operator=(Lock&&) = delete;
    ~Lock();

   private:
    friend class VersionStore;
    explicit Lock(int fd) : fd_(fd) {}
    int fd_;
  };
  [[nodiscard]] Result<Lock> lock(const std::string& database) const;

  // The number after the stored one; 1 for the first.
  [[nodiscard]] Result<std::uint64_t> next_number(const Lock& lock, const std::string& database,
                                                  const std::string& policy) const;
  // Also ends a withdrawal. REQUIRES: version.number is from next_number, under the same lock.
  [[nodiscard]] Result<void> save(const Lock& lock, const std::string& database,
                                  const policy::PolicyVersion& version) const;
  // Closes the policy until the next save.
  [[nodiscard]] Result<void> withdraw(const Lock& lock, const std::string& database,
                                      const std::string& policy, const std::string& reason) const;

  // The schema pgveil has it now: renames the file, so that nothing reads it again. Errors: ErrorKind::io.
  [[nodiscard]] Result<void> retire(const std::string& database, const std::string& policy) const;

  // Which tables versions were ever built of: a line each in <state_dir>/<database>/.tables. Noted before the
  // version is saved. Errors: as load.
  [[nodiscard]] Result<std::vector<rewriter::BuiltTable>> built_tables(const std::string& database) const;
  [[nodiscard]] Result<void> note_built_table(const Lock& lock, const std::string& database,
                                              const rewriter::BuiltTable& table) const;

  // Changes whenever load would answer something else. Empty: nothing stored.
  [[nodiscard]] std::string stamp(const std::string& database, const std::string& policy) const;

  [[nodiscard]] std::string path_of(const std::string& database, const std::string& policy) const;

 private:
  [[nodiscard]] std::string folder_of(const std::string& database) const;
  [[nodiscard]] std::string withdrawal_path(const std::string& database, const std::string& policy) const;
  std::string state_dir_;
};

}  // namespace pgveil::app
