#pragma once
// The hash by which policies, expressions, texts and files are identified, and bytes as hexadecimal digits.
// Not for passwords: SCRAM has its own functions (proxy/session/scram.hpp).
#include <string>
#include <string_view>

namespace pgveil {

// 32 bytes.
[[nodiscard]] std::string sha256(std::string_view text);

// Two lower-case digits for each byte.
[[nodiscard]] std::string hex_of(std::string_view bytes);

// 64 digits: hex_of(sha256(text)).
[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace pgveil
