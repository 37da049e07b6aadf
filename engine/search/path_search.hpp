#pragma once
// Flash's search along a path of generalizations (Kohlmayer et al. 2012, Algorithms 2 and 3), one check at a
// time. The search says which transformation to check next and is told the result, so several searches can
// run at once. At the end of a search its start is tagged, unless specializations do not inherit that a
// transformation is not anonymous (Explorer::is_inherited).
#include <optional>
#include <vector>

#include "engine/search/explorer.hpp"

namespace pgveil::engine {

// How far above its open part (the part that bounds leave) a path is checked first. If the transformation
// there is anonymous, the check was in vain. If it is not, it tags more than the end of the open part would,
// and the more the higher it is. The two factors keep the distance where about two of three such checks are
// not anonymous.
class Reach {
 public:
  [[nodiscard]] std::size_t levels() const { return static_cast<std::size_t>(distance_ + 0.5); }
  void succeeded() { distance_ *= 1.2; }
  void failed() { distance_ = distance_ * 0.7 < 0.3 ? 0.3 : distance_ * 0.7; }

 private:
  double distance_ = 2;
};

// The direct generalizations in the order of the traversal strategy.
[[nodiscard]] std::vector<Transformation> sorted_successors(const Explorer& explorer,
                                                            const Transformation& of);

class PathSearch {
 public:
  // Both references must outlive this object. REQUIRES: the start is not tagged.
  PathSearch(Explorer& explorer, Reach& reach, const Transformation& start);

  // nullopt: the path is settled.
  [[nodiscard]] std::optional<Transformation> next();
  // Takes the result of Explorer::check for the last next().
  void told(bool is_anonymous);

 private:
  [[nodiscard]] std::optional<std::size_t> next_place();
  [[nodiscard]] std::optional<std::size_t> next_of_open_part();
  [[nodiscard]] std::optional<std::size_t> next_of_whole();
  void settle(std::size_t place, bool is_anonymous);

  Explorer& explorer_;
  Reach& reach_;
  std::vector<Transformation> path_;
  std::size_t low_ = 0;  // nothing below it is anonymous
  std::size_t high_;     // everything from here on is anonymous
  std::size_t open_;     // bounds exclude everything from here on
  std::size_t asked_ = 0;
  bool is_reaching_ = false;
  bool is_end_first_;
};

}  // namespace pgveil::engine
