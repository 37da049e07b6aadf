#pragma once
// Names and values as the console prints them: readable, unambiguous, one line. For people; no SQL is made of
// it.
#include <cstdint>
#include <string>
#include <string_view>

namespace pgveil::console {

// city → city; "Home City" → "\"Home City\"".
[[nodiscard]] std::string shown_name(std::string_view name);

// Hamlet → 'Hamlet'; O'Neill → 'O''Neill'; control characters and backslashes → E'…\n…'.
[[nodiscard]] std::string shown_value(std::string_view value);

// "37.5" of part/whole; nothing of a whole of 0. digits: 0 or 1.
[[nodiscard]] std::string shown_percent(std::uint64_t part, std::uint64_t whole, int digits = 1);

}  // namespace pgveil::console
