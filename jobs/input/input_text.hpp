#pragma once
// The bytes and the text of a file that a job or a command reads.
#include <memory>
#include <string>

#include "common/error.hpp"
#include "common/files/descriptor.hpp"
#include "common/read_piece.hpp"

namespace pgveil::app {

struct InputBytes {
  std::string beginning;                   // the first bytes, up to kBeginningOfInput of them
  ReadPiece read;                          // all bytes, from the beginning
  std::shared_ptr<const Descriptor> file;  // null: standard input
};
inline constexpr std::size_t kBeginningOfInput = 8;

// Puts pieces that have been read before the others.
[[nodiscard]] ReadPiece after(std::string first, ReadPiece read);

// "-" is standard input. Errors: the file is not there or can't be read.
[[nodiscard]] Result<InputBytes> input_bytes(const std::string& path);

// The text of input_bytes(). If it is packed with gzip or zstd it is unpacked, and may be as large as half of
// the machine's memory. Errors: those of input_bytes; while reading, what packed_text.hpp refuses, without
// the file's name.
[[nodiscard]] Result<ReadPiece> input_pieces(const std::string& path);

// All of it at once, for files that must be in memory. The errors name the file.
[[nodiscard]] Result<std::string> read_input_text(const std::string& path);

// An error in what the file says, with the file's name before it.
[[nodiscard]] Error in_input(Error error, const std::string& path);

}  // namespace pgveil::app
