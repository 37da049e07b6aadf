// Branch and bound on the implicit lattice (Prasser, Kohlmayer and Kuhn 2016, "Effective pruning in large
// search spaces"). The search space is a set of disjoint boxes, which are intervals of the lattice. So
// nothing has to be remembered about visited transformations. A transformation that is not anonymous excludes
// whole intervals below it: the box is divided into the parts that are not below it.
//
// The incumbent comes from the dive, which takes the lowest bounds first. The proof goes depth first: once
// the incumbent is good, all boxes below its score must be settled in any case, and neighbours settle each
// other and start from the same classes. So the open boxes are a stack, as deep as the lattice is high.
//
// Several boxes are processed at the same time, each by climbs or along a path like those of Flash, and the
// checks that they need run in one round. The number of boxes is fixed, so the result does not depend on the
// number of threads.
#include <algorithm>
#include <limits>
#include <list>

#include "engine/search/algorithms.hpp"
#include "engine/search/climb.hpp"
#include "engine/search/group_bound.hpp"
#include "engine/search/path_search.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kBestFirstRound = 8;
constexpr std::size_t kRecent = 4;

struct Box {
  double bound = 0;  // lower bound of all scores in the box
  Transformation low, high;
};

// A stack: what was put in last is taken out first.
class OpenBoxes {
 public:
  void push(const Box& box) { stack_.push_back({box, std::min(box.bound, least_bound())}); }
  Box pop() {
    const Box box = stack_.back().box;
    stack_.pop_back();
    return box;
  }
  [[nodiscard]] bool is_empty() const { return stack_.empty(); }
  [[nodiscard]] double least_bound() const {
    return stack_.empty() ? std::numeric_limits<double>::infinity() : stack_.back().least;
  }
  [[nodiscard]] std::size_t bytes() const { return stack_.capacity() * sizeof(Open); }

 private:
  struct Open {
    Box box;
    double least;  // bound of it and of all entries below it
  };
  std::vector<Open> stack_;
};

class BestFirst {
 public:
  explicit BestFirst(Explorer& explorer) : explorer_(explorer) {
    const Lattice& lattice = explorer.lattice();
    open_.push({explorer.quality().bound(lattice.bottom).value(), lattice.bottom, lattice.top});
    if (Climb::is_possible(explorer)) climb_.emplace(explorer);
  }

  void run() {
    while (!explorer_.is_stopped()) {
      take_up_boxes();
      explorer_.raise_lower_bound(least_bound());
      explorer_.note_bytes(open_.bytes() + (climb_ ? climb_->bytes() : 0));
      std::vector<Transformation> targets = targets_of_round();
      if (targets.empty()) return;
      explorer_.check_round(targets, [&](std::size_t i, const Summary& summary, bool is_anonymous) {
        if (climb_) climb_->learn(targets[i], summary);
        told(i, is_anonymous);
      });
    }
  }

 private:
  struct Active {
    Box box;
    std::optional<PathSearch> path;        // none: it is settled by climbs, or its lowest member is scored
    std::optional<Transformation> wanted;  // the check that it needs in this round
    std::size_t failures = 0;              // targets of climbs that were anonymous
  };

  // Takes up boxes until as many are active as a round has checks.
  void take_up_boxes() {
    std::erase_if(active_, [this](const auto& active) { return !is_open_or_divided(active.box); });
    std::size_t steps = 0;
    while (active_.size() < kBestFirstRound && !open_.is_empty()) {
      if (++steps % kStepsBetweenQuestions == 0 && explorer_.wants_stop()) return;
      const Box box = open_.pop();
      if (!is_open_or_divided(box)) continue;
      auto& active = active_.emplace_back();
      active.box = box;
      if (!climb_ && !explorer_.is_tagged_anonymous(box.low)) active.path.emplace(explorer_, reach_, box.low);
    }
  }

  // False: the box is finished, and the rest of it is on the stack.
  [[nodiscard]] bool is_open_or_divided(const Box& box) {
    if (explorer_.is_pruned(box.low)) return false;
    if (const auto above = not_anonymous_above(box.low)) {
      divide(box, *above);
      return false;
    }
    if (explorer_.is_settled_alone(box.low)) {
      divide(box, box.low);
      return false;
    }
    return !explorer_.is_monotonic() || !explorer_.is_tagged_anonymous(box.low);
  }

  // The same transformations settle neighbours, so the one found last is tried first. This class has its own
  // memory for that, so that other queries (for snapshots, for progress) do not change how boxes are divided.
  [[nodiscard]] std::optional<Transformation> not_anonymous_above(const Transformation& low) {
    auto found = std::ranges::find_if(recent_, [&](const auto& it) { return generalizes(it, low); });
    if (found == recent_.end()) {
      const auto above = explorer_.not_anonymous_above(low);
      if (!above) return std::nullopt;
      if (recent_.size() < kRecent) recent_.emplace_back();
      recent_.back() = *above;
      found = std::prev(recent_.end());
    }
    std::rotate(recent_.begin(), found, std::next(found));
    return recent_.front();
  }

  // Divides the part of the box that is not below `settled`: for each attribute, the transformations that
  // exceed it there and in no earlier attribute.
  void divide(const Box& box, const Transformation& settled) {
    Transformation high = box.high;
    for (std::size_t j = 0; j < explorer_.lattice().attributes; ++j) {
      if (settled.level(j) >= box.high.level(j)) continue;
      const auto low = box.low.with_level(j, settled.level(j) + 1);
      if (!explorer_.is_pruned(low))
        open_.push({std::max(box.bound, explorer_.quality().bound(low).value()), low, high});
      high.set_level(j, settled.level(j));
    }
  }

  [[nodiscard]] double least_bound() const {
    double least = open_.least_bound();
    for (const auto& active : active_) least = std::min(least, active.box.bound);
    return least;
  }

  [[nodiscard]] Transformation wanted_of(Active& active) {
    const Box& box = active.box;
    if (climb_ && !explorer_.is_tagged_anonymous(box.low))
      return climb_->target(box.low, box.high, active.failures);
    if (active.path) {
      if (const auto next = active.path->next()) return *next;
      active.path.reset();
    }
    return box.low;
  }

  // If two targets are comparable, only one is checked, because its result may settle the other.
  [[nodiscard]] std::vector<Transformation> targets_of_round() {
    std::vector<Transformation> targets;
    for (auto& active : active_) {
      active.wanted = wanted_of(active);
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
      if (climb_ && *active.wanted != active.box.low) told_climb(active, is_anonymous);
      return;
    }
  }

  void told_climb(Active& active, bool is_anonymous) {
    if (is_anonymous) {
      ++active.failures;
      climb_->failed();
    } else {
      climb_->succeeded();
    }
  }

  Explorer& explorer_;
  std::optional<Climb> climb_;  // none: each box is settled along a path
  Reach reach_;                 // of paths
  OpenBoxes open_;
  std::vector<Transformation> recent_;  // not anonymous; the one found last comes first
  std::list<Active> active_;
};

}  // namespace

void prove_best_first(Explorer& explorer) {
  BestFirst(explorer).run();
}

void run_best_first(Explorer& explorer) {
  dive(explorer);
  raise_bound_by_larger_groups(explorer);
  prove_best_first(explorer);
}

}  // namespace pgveil::engine
