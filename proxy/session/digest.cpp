#include "proxy/session/digest.hpp"

#include <openssl/evp.h>

#include "common/assert.hpp"

namespace pgveil::session {

std::string sha256_of(std::string_view text) {
  std::string out(32, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  PGVEIL_ASSERT(EVP_Digest(text.data(), text.size(), bytes, nullptr, EVP_sha256(), nullptr) == 1);
  return out;
}

}  // namespace pgveil::session
