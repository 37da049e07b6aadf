#include "engine/search/climb.hpp"

#include <algorithm>
#include <cmath>

namespace pgveil::engine {
namespace {

// The margin follows the results: about five of six targets are not anonymous. Other shares between two of
// three and nine of ten need hardly more checks (bench/README.md, "lattice").
constexpr double kFirstMargin = 0.2;
constexpr double kLeastMargin = -1, kMostMargin = 5;
constexpr double kStep = 0.02;
constexpr double kSuccessesPerFailure = 5;
constexpr double kMarginPerFailure = 0.3;  // of the same box
constexpr double kLeastCost = 1e-3;        // of a step that the estimate thinks is for nothing

std::vector<std::vector<std::uint32_t>> distinct_values(const Explorer& explorer) {
  const Lattice& lattice = explorer.lattice();
  std::vector<std::vector<std::uint32_t>> made(lattice.attributes);
  for (std::size_t j = 0; j < lattice.attributes; ++j) {
    for (unsigned level = lattice.bottom.level(j); level <= lattice.top.level(j); ++level) {
      const bool is_dropped = level > explorer.table().attributes[j].height();
      made[j].push_back(is_dropped ? 1 : std::max(1U, explorer.table().attributes[j].distinct(level)));
    }
  }
  return made;
}

}  // namespace

Climb::Climb(Explorer& explorer)
    : explorer_(explorer),
      estimate_(explorer.lattice(), distinct_values(explorer),
                explorer.options().anonymity.suppression_limit),
      margin_(kFirstMargin) {}

bool Climb::is_possible(const Explorer& explorer) {
  return explorer.bounds() == Bounds::by_look_up && explorer.is_inherited();
}

void Climb::succeeded() {
  margin_ = std::max(margin_ - kStep, kLeastMargin);
}

void Climb::failed() {
  margin_ = std::min(margin_ + kStep * kSuccessesPerFailure, kMostMargin);
}

// The highest level of each attribute that a member of the box can have without being excluded by bounds.
Transformation Climb::highest_open(const Transformation& low, const Transformation& high) {
  Transformation made = low;
  for (std::size_t j = 0; j < explorer_.lattice().attributes; ++j) {
    unsigned level = low.level(j);
    while (level < high.level(j) && !explorer_.is_pruned(low.with_level(j, level + 1))) ++level;
    made.set_level(j, level);
  }
  return made;
}

Transformation Climb::target(const Transformation& low, const Transformation& high, std::size_t failures) {
  const Lattice& lattice = explorer_.lattice();
  const Transformation highest = highest_open(low, high);
  const double least = margin_ + kMarginPerFailure * static_cast<double>(failures);
  double estimate = estimate_.of(low);
  Transformation at = low;
  std::vector<bool> is_blocked(lattice.attributes, false);  // one level more is known to be anonymous
  const auto cheapest = [&](bool is_beyond) {
    std::optional<Step> best;
    for (std::size_t j = 0; j < lattice.attributes; ++j) {
      const unsigned level = at.level(j);
      if (is_blocked[j] || level >= (is_beyond ? lattice.top : highest).level(j)) continue;
      const double change = estimate_.change(j, level);
      if (estimate + change < least) continue;
      const double more = is_beyond ? 1 : std::log1p(1.0 / (level - low.level(j) + 1));
      const double cost = std::max(-change, kLeastCost) / more;
      if (!best || cost < best->cost) best = Step{j, cost, change};
    }
    return best;
  };
  while (true) {
    auto step = cheapest(false);
    if (!step && at != low) step = cheapest(true);
    if (!step) return at;
    const auto up = at.with_level(step->attribute, at.level(step->attribute) + 1);
    if (explorer_.is_tagged_anonymous(up)) {
      is_blocked[step->attribute] = true;
      continue;
    }
    at = up;
    estimate += step->change;
  }
}

}  // namespace pgveil::engine
