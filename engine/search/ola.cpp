#include <unordered_set>

#include "engine/search/algorithms.hpp"

namespace pgveil::engine {
namespace {

struct Sublattice {
  Transformation bottom, top;
  bool operator==(const Sublattice&) const = default;
};

struct SublatticeHash {
  std::size_t operator()(const Sublattice& sublattice) const {
    return TransformationHash{}(sublattice.bottom) * 31 + TransformationHash{}(sublattice.top);
  }
};

// Divide and conquer (El Emam et al. 2009; Kohlmayer et al. 2012, section III-B). A sublattice is enumerated
// at most once, and not at all if nothing in it is untagged. Otherwise the recursion through known parts
// alone would grow exponentially.
class Ola {
 public:
  explicit Ola(Explorer& explorer) : explorer_(explorer) {}

  void run(const Transformation& bottom, const Transformation& top) {
    if (explorer_.is_stopped() || !done_.insert({bottom, top}).second || !has_untagged(bottom, top)) return;
    const unsigned low = bottom.level_sum();
    const unsigned high = top.level_sum();
    if (high - low <= 1) {
      check_if_untagged(bottom);
      check_if_untagged(top);
      return;
    }
    LevelWalk walk(bottom, top, explorer_.lattice().attributes, (low + high) / 2);
    while (walk.next()) {
      const Transformation middle = walk.current();
      check_if_untagged(middle);
      if (explorer_.is_tagged_not_anonymous(middle)) {
        run(middle, top);
      } else {
        run(bottom, middle);
      }
    }
  }

 private:
  [[nodiscard]] bool has_untagged(const Transformation& bottom, const Transformation& top) {
    if (explorer_.is_tagged_not_anonymous(top)) return false;
    if (!explorer_.is_tagged_not_anonymous(bottom) && explorer_.is_tagged(bottom)) return false;
    for (unsigned sum = bottom.level_sum(); sum <= top.level_sum(); ++sum) {
      LevelWalk walk(bottom, top, explorer_.lattice().attributes, sum);
      while (walk.next()) {
        if (!explorer_.is_tagged(walk.current())) return true;
      }
    }
    return false;
  }
  void check_if_untagged(const Transformation& transformation) {
    if (!explorer_.is_tagged(transformation)) explorer_.check(transformation);
  }

  Explorer& explorer_;
  std::unordered_set<Sublattice, SublatticeHash> done_;
};

}  // namespace

void run_ola(Explorer& explorer) {
  const Lattice& lattice = explorer.lattice();
  Ola(explorer).run(lattice.bottom, lattice.top);
}

}  // namespace pgveil::engine
