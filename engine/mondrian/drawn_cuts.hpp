#pragma once
// What drawn cuts (Cuts::drawn, mondrian.hpp) consist of: the places at which a region may be cut, and random
// numbers that follow from a secret. Nothing here looks at records, and the argument of
// docs/attack-model.md ("Cuts that are drawn") needs that.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/mondrian/dimension.hpp"

namespace pgveil::engine {

// The cuts of a region in one dimension, each as the largest rank of its left side, ascending. For numbers:
// after each quarter of the region's values, and after NULL. For categories: between the children of the
// lowest ancestor that the region's values have in common. Empty if the region has one value only.
[[nodiscard]] std::vector<Rank> places_of_cuts(const Dimension& dimension, RankRange region);

// How likely the dimension is to be cut next, compared with the others: the square of the share that the
// region has of all its ranks, in 1/2^32. 0 if the region has one value only.
[[nodiscard]] std::uint64_t weight_of_cut(const Dimension& dimension, RankRange region);

// The draws for one part of the records. The parts that it is cut into have secrets of their own, so that the
// result depends neither on threads nor on their order. Who does not know the secret cannot compute a draw
// (HMAC-SHA-256).
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
