#pragma once
// The file that a job publishes. It exists completely or not at all, and publication can be undone until
// settle(). Until publish() it has no name, so the kernel removes it when the process ends in any way. A file
// system without unnamed files (NFS) gets a file `.pgveil-new-…` beside the target, which a crash may leave.
// Between publish() and settle(), a replaced file is kept as `.pgveil-old-…`, which a crash may leave, too.
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/files/descriptor.hpp"
#include "common/read_piece.hpp"

namespace pgveil {

struct OutputPlace {
  std::string path;
  bool replace = false;
  std::vector<std::string> inputs;  // files that are never overwritten, whatever their names
  std::string below;                // not empty: only in this folder or below, without symbolic links
  // What the same command writes besides. It must not be this file, too.
  std::vector<std::string> outputs = {};
  // The hint if the file exists already and `replace` is false.
  std::string how_to_replace = "let output.replace be true";
};

// Whether writing to `output` would replace what `other` names: both are one existing file, or they have one
// name in one folder, however the folder's path is written.
[[nodiscard]] bool is_same_destination(const std::string& output, const std::string& other);

class OutputFile {
 public:
  // Errors: ErrorKind::usage: the existing file may not be replaced or is no regular file; the file is an
  // input or another output; the path is not below `below`. ErrorKind::io.
  [[nodiscard]] static Result<OutputFile> create(const OutputPlace& place);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  // Restores the state from before unless settled. A file that somebody else has put there since stays.
  ~OutputFile();

  [[nodiscard]] Result<void> append(std::string_view bytes);
  // Writes everything to disk. Nothing may be appended afterwards.
  [[nodiscard]] Result<void> finish();
  // Reads back what was written, from its beginning, in pieces. The file outlives the function. REQUIRES:
  // finish() was called.
  [[nodiscard]] ReadPiece read_back() const;
  // Takes the final name and keeps an existing file aside.
  [[nodiscard]] Result<void> publish();
  // Deletes the file that was kept aside.
  void settle();

 private:
  OutputFile(Descriptor folder, Descriptor file, std::string path, std::string name, bool replace);
  [[nodiscard]] Result<void> flush();

  Descriptor folder_;
  Descriptor file_;
  std::string path_;  // for messages
  std::string name_;
  std::string temporary_;  // its name for now; empty: it has none, or the final one
  std::string aside_;      // empty: nothing is kept
  bool replace_;
  bool is_published_ = false;
  std::string buffer_;
};

}  // namespace pgveil
