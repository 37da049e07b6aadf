#pragma once
// What drivers and psql send on connect (SET, BEGIN, SELECT version() …): answered without doing anything, so
// that any driver can talk to the console.
#include <optional>
#include <span>

#include "console/console.hpp"
#include "console/tokens.hpp"

namespace pgveil::console {

// nullopt: not one of them. `tokens` ends with an `end` token and has no trailing semicolons. No tokens at
// all is an empty command: a Benign with an empty tag.
[[nodiscard]] std::optional<Benign> benign_of(std::span<const Token> tokens);

}  // namespace pgveil::console
