#include "engine/privacy/secret_draws.hpp"

#include <cstddef>

#include "common/assert.hpp"
#include "common/sha256.hpp"

namespace pgveil::engine {

std::uint64_t SecretDraws::below(std::uint64_t limit) {
  PGVEIL_ASSERT(limit > 0);
  const std::uint64_t whole = UINT64_MAX - UINT64_MAX % limit;
  std::uint64_t number = whole;
  while (number >= whole) {
    const std::string bytes = hmac_sha256(secret_, "draw " + std::to_string(drawn_++));
    number = 0;
    for (std::size_t i = 0; i < sizeof number; ++i)
      number = number << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  return number % limit;
}

std::string SecretDraws::secret_of_side(bool is_left) const {
  return hmac_sha256(secret_, is_left ? "left" : "right");
}

}  // namespace pgveil::engine
