#pragma once
// Files that visitors of the page upload. They are written in parts to files with names of our own and mode
// 0600, in a folder that is removed with the process. Only the role that uploaded a file can use it. The name
// that a visitor gives a file is only a label. Thread-safe.
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/files/descriptor.hpp"

namespace pgveil::app {

// The file is removed when the last holder of this object releases it.
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
  static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // of a file
  static constexpr std::uint64_t kMostBytesInAll = std::uint64_t{256}
                                                   << 20;  // announced sizes of all roles together
  static constexpr std::size_t kMostFiles = 64;
  static constexpr std::size_t kMostNameBytes = 200;
  static constexpr std::chrono::hours kKept{1};  // after its last use

  // folder outlives this and nobody else writes there.
  explicit Uploads(std::string folder) : folder_(std::move(folder)) {}

  // Announces a file and returns its id. Errors: ErrorKind::limit; ErrorKind::usage for a name without
  // letters or a size of 0.
  [[nodiscard]] Result<std::string> begin(const std::string& owner, const std::string& name,
                                          std::uint64_t bytes, Time now);
  // Adds a part, and returns how many bytes there are now. Errors: unknown_object; usage: offset is not the
  // number of bytes that are there, or there would be more than was announced.
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

}  // namespace pgveil::app
