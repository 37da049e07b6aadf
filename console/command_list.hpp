#pragma once
// The one table of all console commands: their syntax, what they answer and who may run them. SHOW HELP,
// authorize() and columns_of() read it, and a test compares docs/console.md with it.
#include <span>
#include <string_view>
#include <vector>

#include "console/console.hpp"

namespace pgveil::console {

struct CommandInfo {
  std::size_t alternative = 0;  // of Command
  std::string_view name;        // "SHOW TREE": in errors and audit
  std::string_view syntax;      // "SHOW TREE policy"
  std::string_view meaning;     // one line
  Standing needed = Standing::admin;
  std::vector<std::string> columns;
};

// In the order in which SHOW HELP lists them. Every alternative of Command is there once, except Benign.
[[nodiscard]] std::span<const CommandInfo> command_list();

// REQUIRES: command is not Benign.
[[nodiscard]] const CommandInfo& info_of(const Command& command);

// The lines of a text, each as a row of the command's only column.
[[nodiscard]] Table lines_table(const Command& command, std::string_view text);

// The answer of SHOW HELP.
[[nodiscard]] Table help_table();

}  // namespace pgveil::console
