// Two greedy heuristics from the bottom up, as baselines. They prove nothing.
#include <algorithm>
#include <tuple>

#include "engine/search/algorithms.hpp"

namespace pgveil::engine {
namespace {

// The attribute that has the most values and can still be generalized; ties: the first in the order of names.
// nullopt: the top is reached.
std::optional<std::size_t> most_diverse(const Explorer& explorer, const Transformation& at) {
  const Lattice& lattice = explorer.lattice();
  std::optional<std::size_t> most;
  const auto values = [&](std::size_t j) { return explorer.table().attributes[j].distinct(at.level(j)); };
  for (std::size_t j = 0; j < lattice.attributes; ++j) {
    if (at.level(j) == lattice.top.level(j)) continue;
    if (!most || values(j) > values(*most)) most = j;
  }
  return most;
}

}  // namespace

void run_datafly(Explorer& explorer) {
  explorer.give_up_proof();
  Transformation at = explorer.lattice().bottom;
  while (!explorer.is_stopped() && !explorer.check(at)) {
    const auto attribute = most_diverse(explorer, at);
    if (!attribute) return;
    at.set_level(*attribute, at.level(*attribute) + 1);
  }
}

void run_igreedy(Explorer& explorer) {
  explorer.give_up_proof();
  Transformation at = explorer.lattice().bottom;
  bool is_anonymous = false;
  const auto is_done = [&] { return is_anonymous || explorer.is_stopped(); };
  explorer.check_round(std::span(&at, 1), [&](std::size_t, const Summary& summary, bool) {
    is_anonymous = summary.is_anonymous;
  });
  std::vector<Transformation> up;
  for (successors(explorer.lattice(), at, up); !is_done() && !up.empty();
       successors(explorer.lattice(), at, up)) {
    // Fewest records in classes below k, then the lowest bound, then the first one.
    using Key = std::tuple<std::uint64_t, Score>;
    std::optional<Key> best;
    explorer.check_round(up, [&](std::size_t i, const Summary& summary, bool) {
      const Key key{summary.suppressed_rows, explorer.quality().bound(up[i])};
      if (best && *best <= key) return;
      best = key;
      at = up[i];
      is_anonymous = summary.is_anonymous;
    });
  }
}

}  // namespace pgveil::engine
