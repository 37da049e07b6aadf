#include "engine/search/decided_share.hpp"

#include <random>

namespace pgveil::engine {
namespace {

std::vector<Transformation> all_of(const Lattice& lattice) {
  std::vector<Transformation> made;
  for (unsigned sum = lattice.bottom.level_sum(); sum <= lattice.top.level_sum(); ++sum) {
    LevelWalk walk(lattice.bottom, lattice.top, lattice.attributes, sum);
    while (walk.next()) made.push_back(walk.current());
  }
  return made;
}

std::vector<Transformation> sample_of(const Lattice& lattice) {
  std::mt19937_64 random(1);
  std::vector<Transformation> made(DecidedShare::kSample);
  for (auto& transformation : made) {
    for (std::size_t j = 0; j < lattice.attributes; ++j) {
      const unsigned low = lattice.bottom.level(j);
      transformation.set_level(j, low + static_cast<unsigned>(random() % (lattice.top.level(j) - low + 1)));
    }
  }
  return made;
}

}  // namespace

DecidedShare::DecidedShare(const Lattice& lattice)
    : open_(transformation_count(lattice).value_or(UINT64_MAX) <= kSample ? all_of(lattice)
                                                                          : sample_of(lattice)),
      size_(open_.size()) {}

}  // namespace pgveil::engine
