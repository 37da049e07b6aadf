#include "engine/privacy/geometric_noise.hpp"

#include "common/assert.hpp"

namespace pgveil::engine {
namespace {

// True with probability e^(−over ÷ under). REQUIRES: over ≤ under. The number of turns exceeds n with
// probability 1 ÷ n! at most, so 64 of them never come, and `under` times their number fits.
bool is_survivor(std::uint64_t over, std::uint64_t under, SecretDraws& draws) {
  std::uint64_t turns = 1;
  while (draws.below(under * turns) < over) ++turns;
  return turns % 2 == 1;
}

}  // namespace

std::uint64_t geometric_noise(std::uint64_t numerator, std::uint64_t denominator, SecretDraws& draws) {
  PGVEIL_ASSERT(numerator > 0 && denominator > 0 && denominator <= std::uint64_t{1} << 58);
  // P(part = u) is in proportion to e^(−u ÷ denominator), and P(wholes ≥ v) = e^(−v).
  std::uint64_t part = draws.below(denominator);
  while (!is_survivor(part, denominator, draws)) part = draws.below(denominator);
  std::uint64_t wholes = 0;
  while (is_survivor(1, 1, draws)) ++wholes;
  return (part + denominator * wholes) / numerator;
}

}  // namespace pgveil::engine
