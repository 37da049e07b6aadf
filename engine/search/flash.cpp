#include <algorithm>
#include <functional>
#include <queue>

#include "engine/search/algorithms.hpp"

namespace pgveil::engine {
namespace {

using Heap = std::priority_queue<Priority, std::vector<Priority>, std::greater<>>;

// Direct generalizations in the order of the traversal strategy; sorted only now, when they are needed.
std::vector<Transformation> sorted_successors(const Explorer& explorer, const Transformation& of) {
  std::vector<Transformation> up;
  successors(explorer.lattice(), of, up);
  explorer.order().sort(up);
  return up;
}

// How far above its open part (what bounds leave of it) a path is checked first. What is anonymous there was checked
// in vain; what is not tags more than the end of the open part would, and the more the higher it is. The two factors hold
// the distance where about two of three such checks are not anonymous.
class Reach {
 public:
  [[nodiscard]] std::size_t levels() const { return static_cast<std::size_t>(distance_ + 0.5); }
  void succeeded() { distance_ *= 1.2; }
  void failed() { distance_ = std::max(0.3, distance_ * 0.7); }

 private:
  double distance_ = 2;
};

class Flash {
 public:
  explicit Flash(Explorer& explorer) : explorer_(explorer) {}

  // Algorithm 1. A level is sorted when its turn comes, without what is tagged by then.
  void run() {
    const Lattice& lattice = explorer_.lattice();
    std::vector<Transformation> level;
    for (unsigned sum = lattice.bottom.level_sum(); sum <= lattice.top.level_sum() && !explorer_.is_stopped();
         ++sum) {
      level.clear();
      LevelWalk walk(lattice.bottom, lattice.top, lattice.attributes, sum);
      while (walk.next()) {
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

  void check_from(const Transformation& start) {
    const auto path = find_path(start);
    if (explorer_.bounds() == Bounds::by_look_up) {
      check_open_part(path);
    } else {
      check_path(path);
    }
  }

  // Algorithm 2: greedily upwards through what is not tagged; with bounds by look-up, then on through what they exclude.
  [[nodiscard]] std::vector<Transformation> find_path(const Transformation& start) {
    std::vector<Transformation> path{start};
    while (true) {
      const auto up = sorted_successors(explorer_, path.back());
      auto next = std::ranges::find_if(up, [&](const auto& node) { return !explorer_.is_tagged(node); });
      if (next == up.end() && explorer_.bounds() == Bounds::by_look_up) {
        next = std::ranges::find_if(up, [&](const auto& node) { return !explorer_.is_known(node); });
      }
      if (next == up.end()) return path;
      path.push_back(*next);
    }
  }

  // Algorithm 3: binary search for the anonymous transformation lowest on the path. With bounds, a path that ends where
  // they begin is settled at one stroke if its end is not anonymous; and an incumbent found on the way can exclude the
  // rest of it.
  void check_path(const std::vector<Transformation>& path) {
    std::size_t low = 0;
    std::size_t high = path.size();
    bool is_end_first = explorer_.bounds() != Bounds::none && explorer_.is_at_bound(path.back());
    while (low < high && !explorer_.is_stopped()) {
      const std::size_t middle = is_end_first ? high - 1 : (low + high - 1) / 2;
      is_end_first = false;
      if (explorer_.is_tagged(path[middle]) || check(path[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
  }

  // The same for a path whose upper part is excluded by bounds: only [0, open) has to be settled.
  void check_open_part(const std::vector<Transformation>& path) {
    std::size_t low = 0;
    std::size_t high = path.size();
    std::size_t open = path.size();
    while (!explorer_.is_stopped()) {
      while (open > low && explorer_.is_pruned(path[open - 1])) --open;
      if (low >= std::min(open, high)) return;
      const bool is_reaching = open < path.size() && high >= open;
      const std::size_t middle =
          is_reaching ? std::min(open - 1 + reach_.levels(), high - 1) : (low + high - 1) / 2;
      if (check(path[middle])) {
        high = middle;
        if (is_reaching && middle >= open) reach_.failed();
      } else {
        low = middle + 1;
        if (is_reaching) reach_.succeeded();
      }
    }
  }

  // What is not anonymous goes to the heap: paths from its generalizations can use its classes.
  bool check(const Transformation& node) {
    const bool is_anonymous = explorer_.check(node);
    if (!is_anonymous) heap_.push(explorer_.order().priority(node));
    return is_anonymous;
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
