#pragma once
// Writes SQL text without a character beyond ASCII, so that it means the same under any client_encoding:
// 'é' becomes U&'\00e9', "é" becomes U&"\00e9", and E'é' becomes E'\u00e9'. In comments it becomes "?". This
// is for text that pgveil printed; the caller parses the result and compares.
#include <optional>
#include <string>
#include <string_view>

namespace pgveil::pg {

// REQUIRES: UTF-8; standard_conforming_strings is on. nullopt: a character beyond ASCII stands outside of
// strings, quoted names and comments, or a string has no end.
[[nodiscard]] std::optional<std::string> ascii_form(std::string_view sql);

}  // namespace pgveil::pg
