#pragma once
// The text of a file that a job or a command reads.
#include <string>

#include "common/error.hpp"

namespace pgveil::app {

// "-" is standard input. Text that is packed with gzip or zstd is unpacked, up to half of the machine's
// memory.
// Errors: the file is not there or can't be read; what packed_text.hpp refuses. The message names the file.
[[nodiscard]] Result<std::string> read_input_text(const std::string& path);

}  // namespace pgveil::app
