#pragma once
// What predictive tagging knows, as antichains instead of a tag for each node: the minimal anonymous transformations
// and the maximal non-anonymous ones. Memory grows with what was learned, not with the lattice.
#include <span>
#include <vector>

#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

// Keeps only the minimal (or only the maximal) ones of what is added. Most questions are settled by the first word of the
// members, so these stand by themselves. Hits move forward: neighbours are asked for one after the other.
class Antichain {
 public:
  enum class Keep { minimal, maximal };
  explicit Antichain(Keep keep) : keep_(keep) {}

  // minimal: a member is a specialization of it, or itself. maximal: a member is a generalization of it, or itself.
  [[nodiscard]] bool covers(const Transformation& transformation) {
    const std::uint64_t asked = transformation.words.front();
    if (keep_ == Keep::minimal)
      return covers(transformation, [asked](std::uint64_t member) { return all_at_least(asked, member); });
    return covers(transformation, [asked](std::uint64_t member) { return all_at_least(member, asked); });
  }
  void add(const Transformation& transformation) {
    if (covers(transformation)) return;
    std::erase_if(members_,
                  [&](const Transformation& member) { return is_covered_by(member, transformation); });
    members_.push_back(transformation);
    first_words_.clear();
    for (const auto& member : members_) first_words_.push_back(member.words.front());
  }
  [[nodiscard]] std::span<const Transformation> members() const { return members_; }
  [[nodiscard]] std::size_t bytes() const {
    return members_.capacity() * sizeof(Transformation) + first_words_.capacity() * sizeof(std::uint64_t);
  }

 private:
  template <class MayCover>
  [[nodiscard]] bool covers(const Transformation& transformation, MayCover may_cover) {
    const std::uint64_t* first = first_words_.data();
    for (std::size_t i = 0, count = members_.size(); i < count; ++i) {
      if (!may_cover(first[i]) || !is_covered_by(transformation, members_[i])) continue;
      std::swap(members_[i], members_[i / 2]);
      std::swap(first_words_[i], first_words_[i / 2]);
      return true;
    }
    return false;
  }
  [[nodiscard]] bool is_covered_by(const Transformation& asked, const Transformation& member) const {
    return keep_ == Keep::minimal ? generalizes(asked, member) : generalizes(member, asked);
  }

  Keep keep_;
  std::vector<Transformation> members_;
  std::vector<std::uint64_t> first_words_;  // of members_, in its order
};

}  // namespace pgveil::engine
