#pragma once
// Asks for a password where somebody types it.
#include <string>

#include "common/error.hpp"

namespace pgveil::app {

// Asks twice, on the terminal and without showing what is typed; or reads the first line of standard input if
// that is no terminal. Errors: nothing was typed; the two differ.
[[nodiscard]] Result<std::string> ask_new_password(const std::string& user);

// Asks once, on the terminal, for a password that exists. REQUIRES: standard input is a terminal.
[[nodiscard]] Result<std::string> ask_password(const std::string& prompt);

// The first line of a file that nobody else may read; "-": of standard input. Errors: as read_trusted.
[[nodiscard]] Result<std::string> password_in_file(const std::string& path);

}  // namespace pgveil::app
