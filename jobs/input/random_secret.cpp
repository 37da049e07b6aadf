#include "jobs/input/random_secret.hpp"

#include <openssl/rand.h>

#include <array>

#include "common/assert.hpp"

namespace pgveil::app {

std::string random_secret() {
  std::array<unsigned char, 32> drawn{};
  PGVEIL_ASSERT(RAND_bytes(drawn.data(), static_cast<int>(drawn.size())) == 1);
  return {drawn.begin(), drawn.end()};
}

}  // namespace pgveil::app
