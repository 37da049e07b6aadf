// A beam search for lattices that are too large for a proof. In rounds of checks, it looks at the neighbours
// of the best few anonymous transformations found so far, if they could still beat the best one. Neighbours
// are first those one level lower in one attribute, then those one level higher, or lower in one and higher
// in another. The search ends when no neighbour is open.
#include <algorithm>
#include <tuple>

#include "engine/search/algorithms.hpp"
#include "engine/search/path_search.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kWidth = 8;
constexpr std::size_t kRound = 8;

class Beam {
 public:
  explicit Beam(Explorer& explorer) : explorer_(explorer) {}

  void run() {
    find_first();
    while (!explorer_.is_stopped()) {
      const auto targets = open_neighbours();
      if (targets.empty()) return;
      check(targets);
    }
  }

 private:
  struct Member {
    Score score;
    Transformation transformation;
    bool operator<(const Member& other) const {
      return std::tie(score, transformation) < std::tie(other.score, other.transformation);
    }
  };

  // Along one path of Flash, or the top.
  void find_first() {
    const Lattice& lattice = explorer_.lattice();
    Reach reach;
    PathSearch path(explorer_, reach, lattice.bottom);
    while (const auto node = path.next()) path.told(check({*node}));
    if (members_.empty() && !explorer_.is_settled(lattice.top)) check({lattice.top});
  }

  // Returns whether the last one is anonymous.
  bool check(const std::vector<Transformation>& targets) {
    bool is_last_anonymous = false;
    explorer_.check_round(targets, [&](std::size_t i, const Summary& summary, bool is_anonymous) {
      is_last_anonymous = is_anonymous;
      if (summary.is_anonymous) insert({explorer_.quality().score(targets[i], summary), targets[i]});
    });
    return is_last_anonymous;
  }

  void insert(const Member& member) {
    members_.insert(std::ranges::lower_bound(members_, member, std::less<>()), member);
    if (members_.size() > kWidth) members_.pop_back();
  }

  [[nodiscard]] std::vector<Transformation> open_neighbours() {
    std::vector<Transformation> found;
    for (const auto& member : members_) {
      predecessors(explorer_.lattice(), member.transformation, neighbours_);
      take_open(found);
    }
    for (const auto& member : members_) {
      if (found.size() >= kRound) break;
      list_sideways(member.transformation);
      take_open(found);
    }
    return found;
  }

  void list_sideways(const Transformation& of) {
    successors(explorer_.lattice(), of, neighbours_);
    const auto up = neighbours_;
    std::vector<Transformation> down;
    for (const auto& higher : up) {
      predecessors(explorer_.lattice(), higher, down);
      std::ranges::copy_if(down, std::back_inserter(neighbours_), [&](const auto& it) { return it != of; });
    }
  }

  // Takes the open ones among those listed, lowest bounds first, as far as there is room.
  void take_open(std::vector<Transformation>& into) {
    std::vector<std::pair<Score, Transformation>> open;
    for (const auto& neighbour : neighbours_) {
      if (explorer_.is_settled(neighbour) || std::ranges::find(into, neighbour) != into.end()) continue;
      open.emplace_back(explorer_.quality().bound(neighbour), neighbour);
    }
    std::ranges::sort(open, [](const auto& a, const auto& b) { return a < b; });
    for (const auto& [bound, neighbour] : open) {
      if (into.size() < kRound) into.push_back(neighbour);
    }
  }

  Explorer& explorer_;
  std::vector<Member> members_;  // the best first
  std::vector<Transformation> neighbours_;
};

}  // namespace

void run_beam(Explorer& explorer) {
  explorer.give_up_proof();
  dive(explorer);
}

void dive(Explorer& explorer) {
  Beam(explorer).run();
}

}  // namespace pgveil::engine
