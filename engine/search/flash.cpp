#include <functional>
#include <queue>

#include "engine/search/algorithms.hpp"
#include "engine/search/path_search.hpp"

namespace pgveil::engine {
namespace {

using Heap = std::priority_queue<Priority, std::vector<Priority>, std::greater<>>;

class Flash {
 public:
  explicit Flash(Explorer& explorer) : explorer_(explorer) {}

  // Algorithm 1. A level is sorted when its turn comes, without the transformations that are tagged by then.
  void run() {
    const Lattice& lattice = explorer_.lattice();
    std::vector<Transformation> level;
    std::size_t steps = 0;
    for (unsigned sum = lattice.bottom.level_sum(); sum <= lattice.top.level_sum() && !explorer_.is_stopped();
         ++sum) {
      level.clear();
      LevelWalk walk(lattice.bottom, lattice.top, lattice.attributes, sum);
      while (walk.next()) {
        if (++steps % kStepsBetweenQuestions == 0 && explorer_.wants_stop()) return;
        if (!explorer_.is_tagged(walk.current())) level.push_back(walk.current());
      }
      explorer_.order().sort(level);
      for (const auto& node : level) {
        if (explorer_.is_tagged(node)) continue;
        check_from(node);
        drain_heap();
      }
    }
  }

 private:
  void drain_heap() {
    while (!heap_.empty() && !explorer_.is_stopped()) {
      const auto node = heap_.top().transformation;
      heap_.pop();
      for (const auto& up : sorted_successors(explorer_, node)) {
        if (!explorer_.is_tagged(up)) check_from(up);
      }
    }
  }

  // Transformations that are not anonymous go to the heap, because paths from their generalizations can use
  // their classes.
  void check_from(const Transformation& start) {
    PathSearch path(explorer_, reach_, start);
    while (const auto node = path.next()) {
      const bool is_anonymous = explorer_.check(*node);
      if (!is_anonymous) heap_.push(explorer_.order().priority(*node));
      path.told(is_anonymous);
    }
  }

  Explorer& explorer_;
  Heap heap_;
  Reach reach_;
};

}  // namespace

void run_flash(Explorer& explorer) {
  Flash(explorer).run();
}

}  // namespace pgveil::engine
