#pragma once
// A file of lines that are chained: each ends with a hash of the line before it (`,"prev":"…"}`), over a key when there
// is one. One process writes it. A line is there whole or not at all; a file that was moved away is made anew under its
// name, and the chain goes on in it. Not thread-safe.
#include <string>
#include <string_view>

#include "cli/descriptor.hpp"
#include "common/error.hpp"

namespace pgveil::cli {

// Of the first line of all.
inline constexpr std::string_view kNoLineBefore =
    "0000000000000000000000000000000000000000000000000000000000000000";

// SHA-256 of the line without its line feed, or HMAC-SHA-256 with a key; in hexadecimal.
[[nodiscard]] std::string chain_hash(std::string_view line, std::string_view key);

class AuditFile {
 public:
  // Goes on behind the last line of a file that is there. Errors (ErrorKind::io): can't be opened; no regular file; not
  // ours; others may write it or everybody may read it; another process writes it.
  [[nodiscard]] static Result<AuditFile> open(std::string path, std::string key);

  // fields: what stands in the line between the opening brace and the hash. Errors: nothing of it was written.
  [[nodiscard]] Result<void> append(std::string_view fields);

  // Is the file still the one under its name? False also when there is none.
  [[nodiscard]] bool is_in_place() const;
  // Opens what is under the name now; the one that was open stays in use when that fails.
  [[nodiscard]] Result<void> reopen();

 private:
  AuditFile(std::string path, std::string key) : path_(std::move(path)), key_(std::move(key)) {}
  [[nodiscard]] Result<void> take(Descriptor file);

  std::string path_;
  std::string key_;
  Descriptor file_;
  std::string previous_{kNoLineBefore};
};

}  // namespace pgveil::cli
