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

// Divide and conquer (flash.txt III-B). Sublattices are enumerated once, and not at all when one end settles them.
class Ola {
 public:
  explicit Ola(Explorer& explorer) : explorer_(explorer) {}

  void run(const Transformation& bottom, const Transformation& top) {
    if (explorer_.is_stopped() || is_decided(bottom, top) || !done_.insert({bottom, top}).second) return;
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
  bool is_decided(const Transformation& bottom, const Transformation& top) {
    return explorer_.is_tagged_not_anonymous(top) ||
           (!explorer_.is_tagged_not_anonymous(bottom) && explorer_.is_tagged(bottom));
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
