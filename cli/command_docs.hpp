#pragma once
// The command line as a man page and as completion for bash, both made from what the parser itself knows.
#include <CLI/CLI.hpp>

#include <string>

namespace pgveil::app {

// docs/pgveil.1, whole. Verbs without a group are left out, as in --help.
[[nodiscard]] std::string man_page(const CLI::App& app);
// To be read by bash: `source <(pgveil completion)`.
[[nodiscard]] std::string bash_completion(const CLI::App& app);

}  // namespace pgveil::app
