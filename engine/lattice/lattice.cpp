#include "engine/lattice/lattice.hpp"

#include <algorithm>

namespace pgveil::engine {

std::optional<std::uint64_t> transformation_count(const Lattice& lattice) {
  std::uint64_t count = 1;
  for (std::size_t j = 0; j < lattice.attributes; ++j) {
    const std::uint64_t levels = lattice.top.level(j) - lattice.bottom.level(j) + 1;
    if (count > UINT64_MAX / levels) return std::nullopt;
    count *= levels;
  }
  return count;
}

bool contains(const Lattice& lattice, const Transformation& transformation) {
  return generalizes(transformation, lattice.bottom) && generalizes(lattice.top, transformation);
}

Lattice subset_lattice(const Lattice& whole, std::uint64_t attributes) {
  Lattice made = whole;
  for (std::size_t j = 0; j < whole.attributes; ++j) {
    if ((attributes >> j & 1) != 0) continue;
    made.bottom.set_level(j, whole.dropped.level(j));
    made.top.set_level(j, whole.dropped.level(j));
  }
  return made;
}

void successors(const Lattice& lattice, const Transformation& of, std::vector<Transformation>& into) {
  into.clear();
  for (std::size_t j = 0; j < lattice.attributes; ++j) {
    if (of.level(j) < lattice.top.level(j)) into.push_back(of.with_level(j, of.level(j) + 1));
  }
}

void predecessors(const Lattice& lattice, const Transformation& of, std::vector<Transformation>& into) {
  into.clear();
  for (std::size_t j = 0; j < lattice.attributes; ++j) {
    if (of.level(j) > lattice.bottom.level(j)) into.push_back(of.with_level(j, of.level(j) - 1));
  }
}

LevelWalk::LevelWalk(const Transformation& bottom, const Transformation& top, std::size_t attributes,
                     unsigned sum)
    : bottom_(bottom), top_(top), current_(bottom), attributes_(attributes), sum_(sum) {}

void LevelWalk::fill_from(std::size_t first, unsigned rest) {
  for (std::size_t j = attributes_; j-- > first;) {
    const unsigned raised = std::min(rest, top_.level(j) - bottom_.level(j));
    current_.set_level(j, bottom_.level(j) + raised);
    rest -= raised;
  }
}

bool LevelWalk::next() {
  if (!started_) {
    started_ = true;
    if (sum_ < bottom_.level_sum() || sum_ > top_.level_sum()) return false;
    fill_from(0, sum_ - bottom_.level_sum());
    return true;
  }
  // The rightmost attribute that can take one level from those to its right.
  unsigned to_the_right = 0;
  for (std::size_t j = attributes_; j-- > 0;) {
    if (to_the_right > 0 && current_.level(j) < top_.level(j)) {
      current_.set_level(j, current_.level(j) + 1);
      fill_from(j + 1, to_the_right - 1);
      return true;
    }
    to_the_right += current_.level(j) - bottom_.level(j);
  }
  return false;
}

PriorityOrder::PriorityOrder(std::span<const std::vector<std::uint32_t>> distinct) {
  for (const auto& counts : distinct) {
    const auto height = static_cast<double>(counts.size() - 1);
    auto& shares = shares_.emplace_back();
    for (std::size_t level = 0; level < counts.size(); ++level) {
      shares.push_back({height == 0 ? 0.0 : static_cast<double>(level) / height,
                        static_cast<double>(counts[level]) / static_cast<double>(counts.front())});
    }
    shares.push_back(shares.back());  // a dropped column: the same in all transformations that are compared
  }
}

Priority PriorityOrder::priority(const Transformation& transformation) const {
  Priority made{0, 0, 0, transformation};
  double values = 0;
  for (std::size_t j = 0; j < shares_.size(); ++j) {
    const unsigned level = transformation.level(j);
    made.level_sum += level;
    made.mean_level += shares_[j][level].level;
    values += shares_[j][level].values;
  }
  const auto attributes = static_cast<double>(shares_.size());
  made.mean_level /= attributes;
  made.mean_loss_of_values = 1 - values / attributes;
  return made;
}

void PriorityOrder::sort(std::vector<Transformation>& transformations) const {
  std::vector<Priority> keyed;
  keyed.reserve(transformations.size());
  for (const auto& transformation : transformations) keyed.push_back(priority(transformation));
  std::ranges::sort(keyed);
  for (std::size_t i = 0; i < keyed.size(); ++i) transformations[i] = keyed[i].transformation;
}

}  // namespace pgveil::engine
