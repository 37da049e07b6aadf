#pragma once
// The search for the optimum: the anonymous transformation with the lowest score. Ties: the lowest sum of
// levels, then the first level vector in the order of attribute names. So the order of columns, the algorithm
// and the optimizations do not affect the result. Pure: it uses no clock and no thread; time limits,
// cancellation and threads are passed in as functions.
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/check/checker.hpp"
#include "engine/lattice/antichain.hpp"
#include "engine/quality/quality.hpp"

namespace pgveil::engine {

enum class Algorithm {
  flash,          // Kohlmayer et al. 2012, Algorithms 1 to 3
  ola,            // divide and conquer over sublattices
  incognito,      // subsets of the quasi-identifiers, bottom-up
  depth_first,    // from the top down, as far as it is anonymous
  breadth_first,  // level by level from the bottom
  brute_force,    // every transformation; the oracle of the others
  // Branch and bound (Prasser, Kohlmayer and Kuhn 2016). It finds an incumbent by trying the lowest bound
  // first, and then proves it depth first.
  best_first,
  // Heuristics, which prove nothing:
  beam,      // the neighbourhood of the best few so far
  igreedy,   // from the bottom up, to the generalization that suppresses fewest
  datafly,   // from the bottom up, the attribute with the most values first
  samarati,  // binary search for the lowest level of the lattice with an anonymous one
};
inline constexpr std::size_t kAlgorithms = 11;
[[nodiscard]] std::string_view name(Algorithm algorithm);
// Whether its best is not proven to be the optimum.
[[nodiscard]] bool is_heuristic(Algorithm algorithm);
// Whether it visits every transformation, if only to see that it is tagged. Refused for lattices of more than
// 2^63.
[[nodiscard]] bool walks_the_lattice(Algorithm algorithm);

enum class Pruning {
  none,    // predictive tagging only
  bounds,  // also leave out what can't beat the incumbent, by the quality model's lower bounds
};

struct Progress {
  std::uint64_t checks = 0;
  const Score* incumbent = nullptr;   // nullptr: no anonymous transformation was found yet
  std::optional<double> lower_bound;  // no score is lower, as far as the algorithm knows; never falls
  // The share of the transformations that are decided, estimated from a sample if there are many; never
  // falls. Computing it takes some time, so it is a function. Valid during the call.
  std::function<double()> decided_share;
};

struct SearchOptions {
  Algorithm algorithm = Algorithm::flash;
  Pruning pruning = Pruning::bounds;
  Anonymity anonymity;
  QualityModel quality;
  Optimizations optimizations;
  HistoryLimits history;
  Parallel parallel = {};  // makes checks of large tables faster; does not affect the result
  std::vector<unsigned> min_levels, max_levels;  // empty, or one per quasi-identifier in the given order
  std::function<bool()> stop;  // called before each check; true ends the search with what it has
  std::function<void(const Progress&)> progress;  // called after each check
  Switch record = Switch::off;                    // fill SearchResult::checked
};

struct CheckedTransformation {
  std::vector<unsigned> levels;  // as given
  bool is_anonymous = false;
  std::optional<double> score;  // of anonymous ones; for rank, the largest part
};

struct Optimum {
  std::vector<unsigned> levels;  // as given
  Score score;
  Summary summary;
};

struct SearchResult {
  std::optional<Optimum>
      optimum;              // nullopt: no transformation is anonymous, or none was found before the stop
  bool is_proven = false;   // false when stopped
  bool is_stopped = false;  // by SearchOptions::stop. A heuristic proves nothing without being stopped
  // No anonymous transformation scores below this. It is the optimum's score once that is proven. nullopt if
  // it is proven that none is anonymous.
  std::optional<double> lower_bound;
  CheckCounts counts;
  Predictions protection;  // insufficient protection, inherited by specializations
  Predictions
      quality;  // insufficient quality, inherited by generalizations; a bound by look-up needs no insert
  std::size_t bytes = 0;                         // allocated by the search: checker, history, tags
  std::optional<std::uint64_t> transformations;  // size of the lattice, if it fits 64 bits
  std::vector<CheckedTransformation> checked;    // in order, if recorded
};

// floor(rate × rows); REQUIRES: 0 <= rate <= 1.
[[nodiscard]] std::uint64_t suppression_limit(double rate, std::uint64_t rows);

// Errors: k below 1 or above the number of rows; a lattice that the algorithm could never walk through;
// levels that are not as many as the quasi-identifiers, outside the hierarchies, or with a minimum above the
// maximum; those of validate(QualityModel).
[[nodiscard]] Result<SearchResult> search(const PreparedTable& table, const SearchOptions& options);

}  // namespace pgveil::engine
