#pragma once
// Changes a file only if it still is what the writer has seen, because others may write it, too. A symbolic
// link in the file's place is refused.
#include <cstddef>
#include <optional>
#include <string>

#include "common/error.hpp"

namespace pgveil {

// nullopt: there is no file. Errors: ErrorKind::io: not readable, a link, not a regular file, over
// limit_bytes.
[[nodiscard]] Result<std::optional<std::string>> read_seen(const std::string& path, std::size_t limit_bytes);

// Makes `next` the text of the file, or removes the file (nullopt). A reader sees the old or the new text,
// also after a crash. A file that is replaced keeps its owner, group and mode; a new one gets mode 0600, and
// never takes another's place. False: the file is not what `seen` says (nullopt: no file), and nothing was
// changed. Errors: ErrorKind::io. Of two processes that replace a file in the same instant the later one
// wins: the text is compared right before the file gets its name, and POSIX has no way to do both at once.
[[nodiscard]] Result<bool> change_seen(const std::string& path, const std::optional<std::string>& seen,
                                       const std::optional<std::string>& next);

}  // namespace pgveil
