#pragma once
// Names and values as the console prints them: readable, unambiguous, on one line. For people only; never
// make SQL of them.
#include <cstdint>
#include <string>
#include <string_view>

namespace pgveil::console {

// city → city; "Home City" → "\"Home City\"".
[[nodiscard]] std::string shown_name(std::string_view name);

// Hamlet → 'Hamlet'; O'Neill → 'O''Neill'; control characters and backslashes → E'…\n…'.
[[nodiscard]] std::string shown_value(std::string_view value);

// part/whole as "37.5"; empty if whole is 0. digits: 0 or 1.
[[nodiscard]] std::string shown_percent(std::uint64_t part, std::uint64_t whole, int digits = 1);

}  // namespace pgveil::console
