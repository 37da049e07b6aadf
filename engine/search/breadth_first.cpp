#include "engine/search/algorithms.hpp"

namespace pgveil::engine {

void run_breadth_first(Explorer& explorer) {
  const Lattice& lattice = explorer.lattice();
  std::size_t steps = 0;
  for (unsigned sum = lattice.bottom.level_sum(); sum <= lattice.top.level_sum() && !explorer.is_stopped();
       ++sum) {
    LevelWalk walk(lattice.bottom, lattice.top, lattice.attributes, sum);
    while (walk.next()) {
      if (++steps % kStepsBetweenQuestions == 0 && explorer.wants_stop()) return;
      if (!explorer.is_tagged(walk.current())) explorer.check(walk.current());
    }
  }
}

void run_brute_force(Explorer& explorer) {
  const Lattice& lattice = explorer.lattice();
  for (unsigned sum = lattice.bottom.level_sum(); sum <= lattice.top.level_sum() && !explorer.is_stopped();
       ++sum) {
    LevelWalk walk(lattice.bottom, lattice.top, lattice.attributes, sum);
    while (!explorer.is_stopped() && walk.next()) explorer.check_alone(walk.current());
  }
}

void score_the_rest(Explorer& explorer) {
  if (explorer.is_monotonic() && explorer.is_inherited()) return;
  const Lattice& lattice = explorer.lattice();
  std::size_t steps = 0;
  for (unsigned sum = lattice.bottom.level_sum(); sum <= lattice.top.level_sum() && !explorer.is_stopped();
       ++sum) {
    LevelWalk walk(lattice.bottom, lattice.top, lattice.attributes, sum);
    while (walk.next()) {
      if (++steps % kStepsBetweenQuestions == 0 && explorer.wants_stop()) return;
      if (!explorer.is_settled(walk.current())) explorer.check(walk.current());
    }
  }
}

}  // namespace pgveil::engine
