#pragma once
// The file that a job publishes: there whole or not at all, and taken back until it is settled. It is written
// beside its place under a name of its own; a crash leaves that, never half of the file.
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/files/descriptor.hpp"

namespace pgveil {

struct OutputPlace {
  std::string path;
  bool replace = false;
  std::vector<std::string> inputs;  // files that are never overwritten, whatever their names
  std::string below;                // if not empty: only in this folder or below it, through no symbolic link
};

class OutputFile {
 public:
  // Errors: ErrorKind::usage: something is there and may not be replaced, is an input or no regular file; the
  // place is not below `below`. ErrorKind::io.
  [[nodiscard]] static Result<OutputFile> create(const OutputPlace& place);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  // unless settled, all is as it was before

  [[nodiscard]] Result<void> append(std::string_view bytes);
  // Everything is on the disk. Nothing may be appended any more.
  [[nodiscard]] Result<void> finish();
  // What was written, read back. After finish().
  [[nodiscard]] Result<std::string> read_back() const;
  // Takes the final name; what was there is kept aside.
  [[nodiscard]] Result<void> publish();
  // Gives up what was kept aside.
  void settle();

 private:
  OutputFile(Descriptor folder, Descriptor file, std::string path, std::string name, bool replace);
  [[nodiscard]] Result<void> flush();

  Descriptor folder_;
  Descriptor file_;
  std::string path_;  // for messages
  std::string name_;
  std::string temporary_;  // empty once it has the final name
  std::string aside_;      // empty: nothing is kept
  bool replace_;
  bool is_published_ = false;
  std::string buffer_;
};

}  // namespace pgveil
