#pragma once
// SHA-256 of a text: 32 bytes.
#include <string>
#include <string_view>

namespace pgveil::session {

[[nodiscard]] std::string sha256_of(std::string_view text);

}  // namespace pgveil::session
