#pragma once
// Unpredictable numbers from OpenSSL's generator. Thread-safe.
#include <cstddef>
#include <cstdint>
#include <string>

namespace pgveil::net {

[[nodiscard]] std::string random_bytes(std::size_t count);

// 18 random bytes in base64: 24 characters, like the nonces of PostgreSQL's SCRAM.
[[nodiscard]] std::string random_nonce();

[[nodiscard]] std::uint32_t random_number();

}  // namespace pgveil::net
