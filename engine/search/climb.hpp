#pragma once
// Chooses what to check in order to settle a box of the lattice. If nothing below a transformation is
// anonymous, one check of it settles everything from there down. So the higher it is, the more it settles. A
// climb goes up from the lowest member of the box, and ends where the estimate says that a further step would
// reach transformations that are anonymous.
//
// It prefers the steps that take the most members of the box with them for the least that the estimate falls.
// When there are none left, it goes on beyond the box and beyond what the bounds exclude, because that
// settles parts of other boxes.
//
// Use PathSearch where specializations do not inherit that a transformation is not anonymous, and where
// bounds come from checks.
#include "engine/search/explorer.hpp"
#include "engine/search/suppression_estimate.hpp"

namespace pgveil::engine {

class Climb {
 public:
  // The explorer must outlive this object. REQUIRES: is_possible.
  explicit Climb(Explorer& explorer);
  [[nodiscard]] static bool is_possible(const Explorer& explorer);

  // A transformation that is not tagged, at or above `low`. `failures` is the number of targets of this box
  // that were anonymous: the more there were, the lower is the target. REQUIRES: low is not tagged anonymous
  // and not below one that is tagged as not anonymous; low ≤ high.
  [[nodiscard]] Transformation target(const Transformation& low, const Transformation& high,
                                      std::size_t failures);
  // Takes the result of any check, for the estimate.
  void learn(const Transformation& checked, const Summary& summary) {
    estimate_.learn(checked, summary.stays_suppressed);
  }
  // The last target above a lowest member was not anonymous, so everything below it is settled; or it was.
  void succeeded();
  void failed();

  [[nodiscard]] std::size_t bytes() const { return estimate_.bytes(); }

 private:
  struct Step {
    std::size_t attribute;
    double cost, change;
  };
  [[nodiscard]] Transformation highest_open(const Transformation& low, const Transformation& high);

  Explorer& explorer_;
  SuppressionEstimate estimate_;
  double margin_;  // how far above 0 the estimate of a target is
};

}  // namespace pgveil::engine
