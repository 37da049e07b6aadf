#pragma once
// Flash's search along a path of generalizations (Kohlmayer et al. 2012, Algorithms 2 and 3), one check at a
// time. The search says which transformation is to be checked next, and is told the result. So several
// searches can be under way at once. At the end of a search its start is tagged, unless a transformation that
// is not anonymous says nothing of its specializations (Explorer::is_inherited).
#include <optional>
#include <vector>

#include "engine/search/explorer.hpp"

namespace pgveil::engine {

// How far above its open part (what bounds leave of it) a path is checked first. What is anonymous there was
// checked in vain; what is not tags more than the end of the open part would, and the more the higher it is.
// The two factors hold the distance where about two of three such checks are not anonymous.
class Reach {
 public:
  [[nodiscard]] std::size_t levels() const { return static_cast<std::size_t>(distance_ + 0.5); }
  void succeeded() { distance_ *= 1.2; }
  void failed() { distance_ = distance_ * 0.7 < 0.3 ? 0.3 : distance_ * 0.7; }

 private:
  double distance_ = 2;
};

// Direct generalizations in the order of the traversal strategy.
[[nodiscard]] std::vector<Transformation> sorted_successors(const Explorer& explorer,
                                                            const Transformation& of);

class PathSearch {
 public:
  // Both must outlive it. REQUIRES: the start is not tagged.
  PathSearch(Explorer& explorer, Reach& reach, const Transformation& start);

  // nullopt: the path is settled.
  [[nodiscard]] std::optional<Transformation> next();
  // What Explorer::check said of the last next().
  void told(bool is_anonymous);

 private:
  [[nodiscard]] std::optional<std::size_t> next_place();
  [[nodiscard]] std::optional<std::size_t> next_of_open_part();
  [[nodiscard]] std::optional<std::size_t> next_of_whole();
  void settle(std::size_t place, bool is_anonymous);

  Explorer& explorer_;
  Reach& reach_;
  std::vector<Transformation> path_;
  std::size_t low_ = 0;  // below it nothing is anonymous
  std::size_t high_;     // from here on all is
  std::size_t open_;     // from here on bounds exclude all
  std::size_t asked_ = 0;
  bool is_reaching_ = false;
  bool is_end_first_;
};

}  // namespace pgveil::engine
