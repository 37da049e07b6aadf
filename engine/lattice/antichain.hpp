#pragma once
// What predictive tagging knows, as antichains instead of a tag for each node: the minimal anonymous transformations
// and the maximal non-anonymous ones. Memory grows with what was learned, not with the lattice.
#include <span>
#include <vector>

#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

// Keeps only the minimal (or only the maximal) ones of what is added. Hits move forward: neighbours are asked for one
// after the other, so most questions end within a few comparisons.
class Antichain {
 public:
  enum class Keep { minimal, maximal };
  explicit Antichain(Keep keep) : keep_(keep) {}

  // minimal: a member is a specialization of it, or itself. maximal: a member is a generalization of it, or itself.
  [[nodiscard]] bool covers(const Transformation& transformation) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!is_covered_by(transformation, members_[i])) continue;
      if (i > 0) std::swap(members_[i], members_[i / 2]);
      return true;
    }
    return false;
  }
  void add(const Transformation& transformation) {
    if (covers(transformation)) return;
    std::erase_if(members_,
                  [&](const Transformation& member) { return is_covered_by(member, transformation); });
    members_.push_back(transformation);
  }
  [[nodiscard]] std::span<const Transformation> members() const { return members_; }
  [[nodiscard]] std::size_t bytes() const { return members_.capacity() * sizeof(Transformation); }

 private:
  [[nodiscard]] bool is_covered_by(const Transformation& asked, const Transformation& member) const {
    return keep_ == Keep::minimal ? generalizes(asked, member) : generalizes(member, asked);
  }

  Keep keep_;
  std::vector<Transformation> members_;
};

}  // namespace pgveil::engine
