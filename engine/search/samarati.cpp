// Samarati's binary search for the lowest level of the lattice that has an anonymous transformation, and the
// best one on that level. It proves nothing about the score, because a higher level may have a better one.
#include "engine/search/algorithms.hpp"

namespace pgveil::engine {
namespace {

template <class Visit>  // called until it returns false
void visit_level(Explorer& explorer, unsigned sum, Visit&& visit) {
  const Lattice& lattice = explorer.lattice();
  LevelWalk walk(lattice.bottom, lattice.top, lattice.attributes, sum);
  for (std::size_t step = 1; walk.next(); ++step) {
    if (step % kStepsBetweenQuestions == 0 && explorer.wants_stop()) return;
    if (explorer.is_stopped() || !visit(walk.current())) return;
  }
}

bool has_anonymous(Explorer& explorer, unsigned sum) {
  bool is_found = false;
  visit_level(explorer, sum, [&](const Transformation& at) {
    if (explorer.is_tagged_not_anonymous(at)) return true;
    is_found = explorer.is_tagged_anonymous(at) || explorer.check(at);
    return !is_found;
  });
  return is_found;
}

}  // namespace

void run_samarati(Explorer& explorer) {
  explorer.give_up_proof();
  unsigned low = explorer.lattice().bottom.level_sum();
  unsigned high = explorer.lattice().top.level_sum();
  while (low < high && !explorer.is_stopped()) {
    const unsigned middle = (low + high) / 2;
    if (has_anonymous(explorer, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  visit_level(explorer, low, [&](const Transformation& at) {
    if (!explorer.is_settled(at)) explorer.check(at);
    return true;
  });
}

}  // namespace pgveil::engine
