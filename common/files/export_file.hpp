#pragma once
// A file below export_dir that exists completely or not at all. Symbolic links are not followed, and nothing
// is overwritten.
#include <cstddef>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "common/files/descriptor.hpp"

namespace pgveil {

class ExportFile {
 public:
  // name: relative, "folder/people.csv"; the folders must exist. extension: the required end of the name. The
  // file is opened without following a symbolic link in any component, as a temporary file of mode 0600
  // beside the target. Errors: ErrorKind::usage for a name that is absolute or empty, contains ".." or a
  // control character, or is taken; ErrorKind::io.
  [[nodiscard]] static Result<ExportFile> create(const std::string& export_dir, std::string_view name,
                                                 std::string_view extension = ".csv");
  ExportFile(ExportFile&&) noexcept = default;
  ExportFile& operator=(ExportFile&&) = delete;
  ~ExportFile();  // removes the temporary file unless published

  [[nodiscard]] Result<void> append(std::string_view bytes);
  // fsync, then the final name, without overwriting. Errors, after which nothing has the name because of this
  // call: ErrorKind::io; the name was taken in the meantime.
  [[nodiscard]] Result<void> publish();
  // Removes a published file again.
  void withdraw();

 private:
  ExportFile(Descriptor folder, Descriptor file, std::string temporary, std::string name)
      : folder_(std::move(folder)),
        file_(std::move(file)),
        temporary_(std::move(temporary)),
        name_(std::move(name)) {}
  [[nodiscard]] Result<void> flush();

  Descriptor folder_;
  Descriptor file_;
  std::string temporary_;
  std::string name_;
  std::string buffer_;
  bool is_published_ = false;
};

}  // namespace pgveil
