#pragma once
// Answers what drivers and psql send on connect (SET, BEGIN, SELECT version() …) without doing anything, so
// that any driver can talk to the console.
#include <optional>
#include <span>

#include "console/console.hpp"
#include "console/tokens.hpp"

namespace pgveil::console {

// nullopt: the command is not one of these. `tokens` ends with an `end` token and has no trailing semicolons.
// An empty command has no other tokens and gives a Benign with an empty tag.
[[nodiscard]] std::optional<Benign> benign_of(std::span<const Token> tokens);

}  // namespace pgveil::console
