#pragma once
// The text of a file that a job or a command reads.
#include <string>

#include "common/error.hpp"
#include "common/read_piece.hpp"

namespace pgveil::app {

// "-" is standard input. Text that is packed with gzip or zstd is unpacked; it may be as large as half of
// the machine's memory. Errors: the file is not there or can't be read; while reading, what packed_text.hpp
// refuses, without the file's name.
[[nodiscard]] Result<ReadPiece> input_pieces(const std::string& path);

// All of it at once, for files that must be in memory. The errors name the file.
[[nodiscard]] Result<std::string> read_input_text(const std::string& path);

// An error in what the file says, with the file's name before it.
[[nodiscard]] Error in_input(Error error, const std::string& path);

}  // namespace pgveil::app
