#pragma once
// Versions of policies on disk, for databases without the schema pgveil (daemon/policies/versions.hpp):
// <state_dir>/<database>/<policy>.json, mode 0600 in folders of mode 0700. A file is replaced as a whole
// (temporary file, fsync, rename), so a reader sees the old or the new version. Numbers only rise: a lock per
// database keeps two builders apart, even in different processes.
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

  // Held while a version is compared with what is stored and then saved. It ends with the process that holds
  // it. Errors: ErrorKind::io, also if another process has held the lock for half a minute.
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

  // Renames the file so that nothing reads it again, because the schema pgveil has the version now. Errors:
  // ErrorKind::io.
  [[nodiscard]] Result<void> retire(const std::string& database, const std::string& policy) const;

  // The tables that versions were ever built from: one line each in <state_dir>/<database>/.tables, noted
  // before the version is saved. Errors: as load.
  [[nodiscard]] Result<std::vector<rewriter::BuiltTable>> built_tables(const std::string& database) const;
  [[nodiscard]] Result<void> note_built_table(const Lock& lock, const std::string& database,
                                              const rewriter::BuiltTable& table) const;

  // A text that changes whenever the result of load would change. Empty: nothing is stored.
  [[nodiscard]] std::string stamp(const std::string& database, const std::string& policy) const;

  [[nodiscard]] std::string path_of(const std::string& database, const std::string& policy) const;

 private:
  [[nodiscard]] std::string folder_of(const std::string& database) const;
  [[nodiscard]] std::string withdrawal_path(const std::string& database, const std::string& policy) const;
  std::string state_dir_;
};

}  // namespace pgveil::app
