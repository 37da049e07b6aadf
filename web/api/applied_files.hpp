#pragma once
// What each change of a file of policies replaced, kept below state_dir so that it can be restored, also
// after a restart. Not thread-safe.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::app {

struct AppliedFile {
  std::string file;                   // as people see it
  std::string path;                   // absolute
  std::optional<std::string> former;  // nullopt: there was no file
  std::optional<std::string> applied;
};

class AppliedFiles {
 public:
  static constexpr std::size_t kMost = 50;  // the oldest ones are removed

  explicit AppliedFiles(const std::string& state_dir) : folder_(state_dir + "/applied") {}

  // The id of the record: 32 hexadecimal digits that nobody can guess. Errors: ErrorKind::io.
  [[nodiscard]] Result<std::string> keep(const AppliedFile& applied) const;
  // Errors: ErrorKind::unknown_object: there is none; ErrorKind::io, ::configuration: it can't be read.
  [[nodiscard]] Result<AppliedFile> find(std::string_view id) const;
  void remove(std::string_view id) const;

 private:
  [[nodiscard]] std::string path_of(std::string_view id) const;
  void remove_oldest() const;
  const std::string folder_;
};

[[nodiscard]] std::string applied_file_text(const AppliedFile& applied);
// source: for messages. Errors: ErrorKind::configuration.
[[nodiscard]] Result<AppliedFile> read_applied_file(std::string_view text, const std::string& source);

}  // namespace pgveil::app
