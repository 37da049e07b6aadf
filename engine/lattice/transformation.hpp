#pragma once
// A transformation: one generalization level per quasi-identifier, a point of the lattice. It is packed, so
// that "is a generalization of" takes a few machine instructions; a plain value without heap memory.
// Attribute 0 is in the most significant byte, so comparing words compares level vectors lexicographically.
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace pgveil::engine {

inline constexpr std::size_t kMaxAttributes = 32;
// Seven bits hold a level; the eighth is the guard bit of the comparison. The level above a hierarchy's
// highest means "dropped" (lattice.hpp), so hierarchies go up to 126.
inline constexpr unsigned kMaxHeight = 126;

struct Transformation {
  static constexpr std::size_t kLevelsPerWord = 8;
  std::array<std::uint64_t, kMaxAttributes / kLevelsPerWord> words{};

  [[nodiscard]] unsigned level(std::size_t attribute) const {
    return static_cast<unsigned>(words[attribute / kLevelsPerWord] >> shift(attribute) & 0x7F);
  }
  void set_level(std::size_t attribute, unsigned level) {
    auto& word = words[attribute / kLevelsPerWord];
    word = (word & ~(std::uint64_t{0x7F} << shift(attribute))) | std::uint64_t{level} << shift(attribute);
  }
  [[nodiscard]] Transformation with_level(std::size_t attribute, unsigned level) const {
    Transformation changed = *this;
    changed.set_level(attribute, level);
    return changed;
  }
  // The sum of the levels: the level of the transformation in the lattice.
  [[nodiscard]] unsigned level_sum() const {
    unsigned sum = 0;
    for (std::size_t attribute = 0; attribute < kMaxAttributes; ++attribute) sum += level(attribute);
    return sum;
  }
  auto operator<=>(const Transformation&) const = default;

 private:
  static constexpr unsigned shift(std::size_t attribute) {
    return static_cast<unsigned>((kLevelsPerWord - 1 - attribute % kLevelsPerWord) * 8);
  }
};

// True if every level in `general` is at least that in `special`: then no subtraction borrows from a guard
// bit.
[[nodiscard]] inline bool all_at_least(std::uint64_t general, std::uint64_t special) {
  constexpr std::uint64_t guards = 0x8080808080808080;
  return (((general | guards) - special) & guards) == guards;
}

// True if every level of `general` is at least that of `special` (equal transformations included).
[[nodiscard]] inline bool generalizes(const Transformation& general, const Transformation& special) {
  bool is_general = true;
  for (std::size_t word = 0; word < general.words.size(); ++word) {
    is_general &= all_at_least(general.words[word], special.words[word]);
  }
  return is_general;
}

struct TransformationHash {
  [[nodiscard]] std::size_t operator()(const Transformation& transformation) const {
    std::uint64_t hash = 0;
    for (const auto word : transformation.words) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

}  // namespace pgveil::engine
