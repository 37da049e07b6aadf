#pragma once
// Runs a command that prints one line, such as a token, and reads it.
#include <chrono>
#include <span>
#include <string>

#include "common/error.hpp"

namespace pgveil {

inline constexpr std::size_t kMostLineBytes = 16'384;

// words: the program, looked for in PATH, and its arguments; no shell reads them. The command gets no input,
// our environment, none of our files, and a process group of its own. Its standard error is dropped, because
// it might quote a secret. Returns the line without its end.
// Errors (ErrorKind::server): the command could not be started, did not end in time and was killed with all
// that it started, failed, or printed nothing, more than one line, or more than kMostLineBytes. Messages
// complete the sentence "the command …" and never quote what was printed. Blocks, at most for the time.
// REQUIRES: words is not empty.
[[nodiscard]] Result<std::string> run_for_one_line(std::span<const std::string> words,
                                                   std::chrono::milliseconds time);

}  // namespace pgveil
