#pragma once
// Makes a man page and a bash completion from the command line that the parser knows.
#include <CLI/CLI.hpp>

#include <string>

namespace pgveil::app {

// The whole of docs/pgveil.1. Verbs without a group are left out, as in --help.
[[nodiscard]] std::string man_page(const CLI::App& app);
// The text for bash to read: `source <(pgveil completion)`.
[[nodiscard]] std::string bash_completion(const CLI::App& app);

}  // namespace pgveil::app
