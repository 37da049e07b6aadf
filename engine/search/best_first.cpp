// Best-first branch and bound (antichain-pruning.txt, "Effective pruning in large search spaces") on the implicit lattice. What
// is searched is a set of boxes, intervals of the lattice that have no transformation in common, in a queue by the bound
// of their lowest member. So nothing has to be remembered of what was visited, and whole intervals are left out where a
// transformation that is not anonymous lies above: the box falls apart into what is not below it.
//
// Several boxes are worked on at a time, each along a path as Flash's, and what they want checked is checked in one round. How
// many is fixed, so that nothing depends on how many threads there are.
#include <algorithm>
#include <limits>
#include <list>
#include <queue>
#include <tuple>

#include "engine/search/algorithms.hpp"
#include "engine/search/path_search.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kRound = 8;

struct Box {
  double bound = 0;  // of all scores in it
  Transformation low, high;
  bool operator>(const Box& other) const { return std::tie(bound, low) > std::tie(other.bound, other.low); }
};

class BestFirst {
 public:
  explicit BestFirst(Explorer& explorer) : explorer_(explorer) {
    const Lattice& lattice = explorer.lattice();
    add({explorer.quality().bound(lattice.bottom).value(), lattice.bottom, lattice.top});
  }

  void run() {
    while (!explorer_.is_stopped()) {
      take_up_boxes();
      explorer_.raise_lower_bound(least_bound());
      explorer_.note_bytes((queue_.size() + deep_.capacity()) * sizeof(Box));
      std::vector<Transformation> targets = targets_of_round();
      if (targets.empty()) return;
      explorer_.check_round(
          targets, [this](std::size_t i, const Summary&, bool is_anonymous) { told(i, is_anonymous); });
    }
  }

 private:
  struct Active {
    Box box;
    std::optional<PathSearch> path;        // none: the lowest member itself has to be scored
    std::optional<Transformation> wanted;  // in this round
  };

  // Until as many are open as a round has checks.
  void take_up_boxes() {
    std::erase_if(active_, [this](const auto& active) { return !is_open_or_divided(active.box); });
    std::size_t steps = 0;
    while (active_.size() < kRound && has_box()) {
      if (++steps % kStepsBetweenQuestions == 0 && explorer_.wants_stop()) return;
      const Box box = take();
      if (!is_open_or_divided(box)) continue;
      auto& active = active_.emplace_back();
      active.box = box;
      if (!explorer_.is_tagged_anonymous(box.low)) active.path.emplace(explorer_, reach_, box.low);
    }
  }

  // False: the box is done with, and what is left of it is in the queue.
  [[nodiscard]] bool is_open_or_divided(const Box& box) {
    if (explorer_.is_pruned(box.low)) return false;
    if (const auto above = explorer_.not_anonymous_above(box.low)) {
      divide(box, *above);
      return false;
    }
    if (explorer_.is_monotonic()) return !explorer_.is_tagged_anonymous(box.low);
    if (!explorer_.is_scored(box.low)) return true;
    divide(box, box.low);
    return false;
  }

  // What of the box does not lie below `settled`: for each attribute, what exceeds it there and in none before.
  void divide(const Box& box, const Transformation& settled) {
    Transformation high = box.high;
    for (std::size_t j = 0; j < explorer_.lattice().attributes; ++j) {
      if (settled.level(j) >= box.high.level(j)) continue;
      const auto low = box.low.with_level(j, settled.level(j) + 1);
      if (!explorer_.is_pruned(low))
        add({std::max(box.bound, explorer_.quality().bound(low).value()), low, high});
      high.set_level(j, settled.level(j));
    }
  }

  void add(const Box& box) {
    if (deep_.empty() && queue_.size() < explorer_.options().open_boxes) {
      queue_.push(box);
    } else {
      deep_.push_back(box);
    }
  }

  [[nodiscard]] bool has_box() const { return !deep_.empty() || !queue_.empty(); }

  Box take() {
    Box box;
    if (deep_.empty()) {
      box = queue_.top();
      queue_.pop();
    } else {
      box = deep_.back();
      deep_.pop_back();
    }
    return box;
  }

  [[nodiscard]] double least_bound() const {
    double least = std::numeric_limits<double>::infinity();
    if (!queue_.empty()) least = queue_.top().bound;
    for (const auto& box : deep_) least = std::min(least, box.bound);
    for (const auto& active : active_) least = std::min(least, active.box.bound);
    return least;
  }

  // Of two that can be compared only one is checked: what comes of it may settle the other.
  [[nodiscard]] std::vector<Transformation> targets_of_round() {
    std::vector<Transformation> targets;
    for (auto& active : active_) {
      active.wanted = active.path ? active.path->next() : std::nullopt;
      if (!active.wanted) {
        active.path.reset();
        active.wanted = active.box.low;
      }
      const auto is_comparable = [&](const Transformation& other) {
        return generalizes(other, *active.wanted) || generalizes(*active.wanted, other);
      };
      if (std::ranges::any_of(targets, is_comparable)) {
        active.wanted.reset();
      } else {
        targets.push_back(*active.wanted);
      }
    }
    return targets;
  }

  void told(std::size_t index, bool is_anonymous) {
    for (auto& active : active_) {
      if (!active.wanted) continue;
      if (index-- > 0) continue;
      if (active.path) active.path->told(is_anonymous);
      return;
    }
  }

  Explorer& explorer_;
  Reach reach_;
  std::priority_queue<Box, std::vector<Box>, std::greater<>> queue_;
  std::vector<Box> deep_;  // beyond what the queue may hold
  std::list<Active> active_;
};

}  // namespace

void run_best_first(Explorer& explorer) {
  dive(explorer);
  BestFirst(explorer).run();
}

}  // namespace pgveil::engine
