#pragma once
// Files that visitors of the page bring: written in parts to files of our own naming, mode 0600, in a folder that goes with the process, and
// known only to the role that brought them. What a visitor calls a file is a label. Thread-safe.
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/descriptor.hpp"
#include "common/error.hpp"

namespace pgveil::cli {

// Removed with the last who holds it.
class UploadedFile {
 public:
  UploadedFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  UploadedFile(const UploadedFile&) = delete;
  UploadedFile& operator=(const UploadedFile&) = delete;
  ~UploadedFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Result<void> append(std::string_view bytes);

 private:
  const std::string path_;
  Descriptor file_;
};

struct UploadInfo {
  std::string id, name;
  std::uint64_t bytes = 0, received = 0;
};

class Uploads {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;        // of a file
  static constexpr std::uint64_t kMostBytesInAll = std::uint64_t{256} << 20;  // announced, of all roles
  static constexpr std::size_t kMostFiles = 64;
  static constexpr std::size_t kMostNameBytes = 200;
  static constexpr std::chrono::hours kKept{1};  // after it was used last

  // folder outlives this and nobody else writes there.
  explicit Uploads(std::string folder) : folder_(std::move(folder)) {}

  // → its id. Errors: ErrorKind::limit; ErrorKind::usage for a name without letters or a size of 0.
  [[nodiscard]] Result<std::string> begin(const std::string& owner, const std::string& name,
                                          std::uint64_t bytes, Time now);
  // → how much there is now. Errors: unknown_object; usage: offset is not what there is, or more than was announced.
  [[nodiscard]] Result<std::uint64_t> append(const std::string& owner, const std::string& id,
                                             std::uint64_t offset, std::string_view bytes, Time now);
  // Errors: unknown_object; usage: parts are missing.
  [[nodiscard]] Result<std::shared_ptr<const UploadedFile>> whole(const std::string& owner,
                                                                  const std::string& id, Time now);
  [[nodiscard]] Result<void> drop(const std::string& owner, const std::string& id);
  // In the order in which they came.
  [[nodiscard]] std::vector<UploadInfo> of(const std::string& owner) const;
  void forget_old(Time now);

 private:
  struct Entry {
    std::string owner;
    UploadInfo info;
    std::shared_ptr<UploadedFile> file;
    Time used;
  };
  [[nodiscard]] Result<Entry*> find(const std::string& owner, const std::string& id);

  const std::string folder_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Entry> entries_;  // by number
  std::uint64_t last_ = 0;
};

}  // namespace pgveil::cli
