// A beam search for lattices that are too large for a proof. In rounds of checks, it looks at the neighbours
// of the best few anonymous transformations found so far, if they could still beat the best one. Neighbours
// are first those one level lower in one attribute, then those one level higher, or lower in one and higher
// in another. The beam ends when no neighbour is open.
//
// Then the beam starts again, from exchanges of levels: some attributes of the best transformation so far are
// raised, and others are lowered until the bounds say that the result could be better (iterated local search;
// Lourenço, Martin and Stützle 2003). It is cheap to see that an exchange is settled, and one that is not
// anonymous settles others.
#include <algorithm>
#include <random>
#include <tuple>

#include "engine/search/algorithms.hpp"
#include "engine/search/path_search.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kWidth = 8;
constexpr std::size_t kRound = 8;

constexpr std::uint64_t kLargeLattice = std::uint64_t{1} << 24;
constexpr std::size_t kAttributesPerRaised = 5;
constexpr std::size_t kFailuresPerAttribute = 40;    // checked exchanges in succession that were not better
constexpr std::size_t kSettledPerAttribute = 4'000;  // exchanges in succession that needed no check

class Beam {
 public:
  explicit Beam(Explorer& explorer) : explorer_(explorer) {}

  void run() {
    find_first();
    descend();
  }

  // REQUIRES: is_stopped or `from` was not checked.
  void run_from(std::span<const Transformation> from) {
    members_.clear();
    check({from.begin(), from.end()});
    if (!members_.empty()) descend();
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

  void descend() {
    while (!explorer_.is_stopped()) {
      const auto targets = open_neighbours();
      if (targets.empty()) return;
      check(targets);
    }
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

class Exchanges {
 public:
  explicit Exchanges(Explorer& explorer) : explorer_(explorer), beam_(explorer) {}

  void run() {
    const std::size_t attributes = explorer_.lattice().attributes;
    std::size_t failures = 0;
    while (failures < kFailuresPerAttribute * attributes && !explorer_.is_stopped()) {
      const auto best = explorer_.best();
      if (!best) return;
      const auto targets = open_exchanges(*best);
      if (targets.empty()) return;
      beam_.run_from(targets);
      failures = explorer_.best() == best ? failures + targets.size() : 0;
    }
  }

 private:
  // Fewer than a round if open ones are hard to find; none once they are too hard to find.
  std::vector<Transformation> open_exchanges(const Transformation& of) {
    std::vector<Transformation> found;
    const std::size_t most = kSettledPerAttribute * explorer_.lattice().attributes;
    for (std::size_t settled = 0; settled < most && found.size() < kRound; ++settled) {
      if (settled % kStepsBetweenQuestions == 0 && explorer_.wants_stop()) return {};
      const auto made = exchanged(of);
      const auto is_comparable = [&](const Transformation& other) {
        return generalizes(other, made) || generalizes(made, other);
      };
      if (explorer_.is_settled(made) || std::ranges::any_of(found, is_comparable)) continue;
      found.push_back(made);
    }
    return found;
  }

  Transformation exchanged(const Transformation& of) {
    const Lattice& lattice = explorer_.lattice();
    Transformation made = of;
    const std::size_t raised = 1 + random_below(1 + lattice.attributes / kAttributesPerRaised);
    for (std::size_t i = 0; i < raised; ++i) {
      const std::size_t j = random_below(lattice.attributes);
      const unsigned above = lattice.top.level(j) - made.level(j);
      if (above > 0) made.set_level(j, made.level(j) + 1 + static_cast<unsigned>(random_below(above)));
    }
    for (std::size_t i = 0; i < 2 * lattice.attributes && explorer_.is_pruned(made); ++i) {
      const std::size_t j = random_below(lattice.attributes);
      if (made.level(j) > lattice.bottom.level(j) && made.level(j) <= of.level(j))
        made.set_level(j, made.level(j) - 1);
    }
    return made;
  }

  // The same numbers with every standard library. The small bias does no harm.
  std::size_t random_below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

  Explorer& explorer_;
  Beam beam_;
  std::mt19937_64 random_{1};
};

}  // namespace

void run_beam(Explorer& explorer) {
  explorer.give_up_proof();
  Beam(explorer).run();
  Exchanges(explorer).run();
}

void dive(Explorer& explorer) {
  Beam(explorer).run();
  if (is_large(explorer.lattice())) Exchanges(explorer).run();
}

bool is_large(const Lattice& lattice) {
  return transformation_count(lattice).value_or(kLargeLattice) >= kLargeLattice;
}

}  // namespace pgveil::engine
