#pragma once
// A file of chained lines: each line ends with a hash of the line before it (`,"prev":"…"}`), which uses a
// key if there is one. Several processes may write the file. Each writes one line at a time under the file's
// lock, so all lines form one chain. A line is written completely or not at all. If the file is moved away, a
// new one is made under its name, and the chain continues there. Not thread-safe.
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "common/files/descriptor.hpp"

namespace pgveil::app {

// The hash that the very first line contains.
inline constexpr std::string_view kNoLineBefore =
    "0000000000000000000000000000000000000000000000000000000000000000";

// SHA-256 of the line without its line feed, or HMAC-SHA-256 with the key; in hexadecimal.
[[nodiscard]] std::string chain_hash(std::string_view line, std::string_view key);

class AuditFile {
 public:
  // Continues after the last line if the file exists. patience: how long to wait for another process that has
  // the lock. Errors (ErrorKind::io): it cannot be opened, is no regular file, is not ours, may be written by
  // others or read by everybody.
  [[nodiscard]] static Result<AuditFile> open(std::string path, std::string key,
                                              std::chrono::milliseconds patience = std::chrono::seconds(2));

  // Writes one line. fields: the text between the opening brace and the hash. The line goes into the file
  // that has the name now, or into the open one if that one cannot be opened (see why_misplaced). Errors:
  // nothing was written.
  [[nodiscard]] Result<void> append(std::string_view fields);

  // Opens the file that has the name now. If that fails, the file that is open stays in use.
  [[nodiscard]] Result<void> reopen();

  // Why the open file is not the one that has the name, as of the last line; nullopt: it is.
  [[nodiscard]] const std::optional<Error>& why_misplaced() const { return why_misplaced_; }

 private:
  AuditFile(std::string path, std::string key, std::chrono::milliseconds patience)
      : path_(std::move(path)), key_(std::move(key)), patience_(patience) {}
  [[nodiscard]] bool is_in_place() const;
  [[nodiscard]] Result<void> lock() const;
  [[nodiscard]] Result<void> follow();
  [[nodiscard]] Result<void> catch_up();
  [[nodiscard]] Result<void> write(std::string_view fields);

  std::string path_;
  std::string key_;
  std::chrono::milliseconds patience_;
  Descriptor file_;
  std::int64_t size_ = 0;                // of the file, after the line whose hash is previous_
  std::string previous_{kNoLineBefore};  // of the last line
  std::optional<Error> why_misplaced_;
};

}  // namespace pgveil::app
