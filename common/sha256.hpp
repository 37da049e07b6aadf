#pragma once
// The hash by which policies, expressions, texts and files are identified, with a key where nobody else may
// be able to compute it, and bytes as hexadecimal digits. What SCRAM makes of passwords is in
// proxy/session/scram.hpp.
#include <string>
#include <string_view>

namespace pgveil {

// 32 bytes.
[[nodiscard]] std::string sha256(std::string_view text);

// HMAC-SHA-256 (RFC 2104), 32 bytes. An empty key is a key as others are.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view text);

// Two lower-case digits for each byte.
[[nodiscard]] std::string hex_of(std::string_view bytes);

// 64 digits: hex_of(sha256(text)).
[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace pgveil
