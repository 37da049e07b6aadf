#include "common/sha256.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "common/assert.hpp"

namespace pgveil {

std::string sha256(std::string_view text) {
  std::string out(32, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  PGVEIL_ASSERT(EVP_Digest(text.data(), text.size(), bytes, nullptr, EVP_sha256(), nullptr) == 1);
  return out;
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string out(32, '\0');
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  PGVEIL_ASSERT(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(),
                     reinterpret_cast<unsigned char*>(out.data()), nullptr) != nullptr);
  return out;
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0xFU];
  }
  return out;
}

std::string sha256_hex(std::string_view text) {
  return hex_of(sha256(text));
}

}  // namespace pgveil
