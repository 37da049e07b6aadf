#pragma once
// A private folder of this process for files that must not outlive it. It is removed with this object, or
// after a crash by the next process that makes one at the same place. We choose the names of files in it,
// never a visitor.
#include <string>

#include "common/error.hpp"
#include "common/files/descriptor.hpp"

namespace pgveil {

class ProcessFolder {
 public:
  // Makes a folder of mode 0700 below `parent`, which is made if it does not exist. Errors: ErrorKind::io.
  [[nodiscard]] static Result<ProcessFolder> make(const std::string& parent);
  ProcessFolder(ProcessFolder&& other) noexcept;
  ProcessFolder& operator=(ProcessFolder&&) = delete;
  ~ProcessFolder();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  ProcessFolder(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;  // empty: moved from
  Descriptor lock_;   // held while the process lives
};

}  // namespace pgveil
