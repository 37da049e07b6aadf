#pragma once
// Reads and replaces files as a whole.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil {

// nullopt: the file does not exist. Errors: ErrorKind::io: not readable, not a regular file, over
// limit_bytes.
[[nodiscard]] Result<std::optional<std::string>> read_whole(const std::string& path, std::size_t limit_bytes);

// Writes with mode 0600. A reader sees the old or the new text, also after a crash. Errors: ErrorKind::io.
[[nodiscard]] Result<void> replace_whole(const std::string& path, std::string_view text);

// The same for a file that others may depend on: an existing file keeps its owner, group and mode, and a link
// to it stays a link. Errors: ErrorKind::io, also if the owner or group cannot be kept.
[[nodiscard]] Result<void> replace_keeping_rights(const std::string& path, std::string_view text);

// Makes the folder (0700) and its parents.
[[nodiscard]] Result<void> make_private_folder(const std::string& path);

[[nodiscard]] Error io_error(std::string_view what, const std::string& path, int error_number);

}  // namespace pgveil
