#include "proxy/net/random.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>

#include "common/assert.hpp"

namespace pgveil::net {

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  PGVEIL_ASSERT(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) == 1);
  return bytes;
}

std::string random_nonce() {
  std::array<unsigned char, 18> raw{};
  PGVEIL_ASSERT(RAND_bytes(raw.data(), static_cast<int>(raw.size())) == 1);
  std::array<unsigned char, 25> text{};  // 24 characters and a NUL
  PGVEIL_ASSERT(EVP_EncodeBlock(text.data(), raw.data(), static_cast<int>(raw.size())) == 24);
  return {reinterpret_cast<const char*>(text.data()), 24};
}

std::uint32_t random_number() {
  std::array<unsigned char, 4> raw{};
  PGVEIL_ASSERT(RAND_bytes(raw.data(), static_cast<int>(raw.size())) == 1);
  std::uint32_t number = 0;
  for (const unsigned char byte : raw) number = (number << 8) | byte;
  return number;
}

}  // namespace pgveil::net
