#pragma once
// A file of lines that are chained: each ends with a hash of the line before it (`,"prev":"…"}`), over a key
// when there is one. Several processes may write it, a line at a time under the file's lock, and make one
// chain. A line is there whole or not at all; a file that was moved away is made anew under its name, and the
// chain goes on in it. Not thread-safe.
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "common/files/descriptor.hpp"

namespace pgveil::app {

// Of the first line of all.
inline constexpr std::string_view kNoLineBefore =
    "0000000000000000000000000000000000000000000000000000000000000000";

// SHA-256 of the line without its line feed, or HMAC-SHA-256 with a key; in hexadecimal.
[[nodiscard]] std::string chain_hash(std::string_view line, std::string_view key);

class AuditFile {
 public:
  // Goes on behind the last line of a file that is there. patience: how long to wait for another process that
  // has the lock. Errors (ErrorKind::io): can't be opened; no regular file; not ours; others may write it or
  // everybody may read it.
  [[nodiscard]] static Result<AuditFile> open(std::string path, std::string key,
                                              std::chrono::milliseconds patience = std::chrono::seconds(2));

  // fields: what stands in the line between the opening brace and the hash. Goes into the file that is under
  // the name now, or, where that can't be opened, into the one that is open (why_misplaced). Errors: nothing
  // of it was written.
  [[nodiscard]] Result<void> append(std::string_view fields);

  // Opens what is under the name now; the one that was open stays in use when that fails.
  [[nodiscard]] Result<void> reopen();

  // Why the file that is open is not the one under its name, since the last line; nullopt: it is.
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
  std::int64_t size_ = 0;                // of it, after the line that previous_ is of
  std::string previous_{kNoLineBefore};  // hash
  std::optional<Error> why_misplaced_;
};

}  // namespace pgveil::app
