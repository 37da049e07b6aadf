#pragma once
// Random numbers that follow from a secret, for what nobody may foresee or find out afterwards: cuts of
// groups and samples of records. Whoever does not know the secret cannot compute a draw (HMAC-SHA-256).
#include <cstdint>
#include <string>
#include <utility>

namespace pgveil::engine {

// The draws for one part of the records. The parts that it is cut into have secrets of their own, so that the
// result depends neither on threads nor on their order.
class SecretDraws {
 public:
  explicit SecretDraws(std::string secret) : secret_(std::move(secret)) {}

  // Uniform in [0, limit). REQUIRES: limit > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t limit);
  [[nodiscard]] std::string secret_of_side(bool is_left) const;

 private:
  std::string secret_;
  std::uint64_t drawn_ = 0;
};

}  // namespace pgveil::engine
