#pragma once
// The algorithms. Each one except the heuristics leaves no transformation untagged: every minimal anonymous
// one that could still be the optimum has been checked. If the metric is not monotonic, or anonymity is not
// inherited, call score_the_rest() afterwards.
#include "engine/search/explorer.hpp"

namespace pgveil::engine {

// A walk through the lattice that checks nothing asks after this many steps whether to stop.
inline constexpr std::size_t kStepsBetweenQuestions = 4096;

void run_flash(Explorer& explorer);
void run_ola(Explorer& explorer);
void run_incognito(Explorer& explorer);
void run_depth_first(Explorer& explorer);
void run_breadth_first(Explorer& explorer);
void run_brute_force(Explorer& explorer);
// Also scores transformations that are anonymous by tagging alone.
void run_best_first(Explorer& explorer);

// The second half of best_first, which proves that nothing is better than the incumbent.
void prove_best_first(Explorer& explorer);

// Heuristics: none of them proves that its best is the optimum.
void run_datafly(Explorer& explorer);
void run_igreedy(Explorer& explorer);
void run_samarati(Explorer& explorer);
void run_beam(Explorer& explorer);
// Finds a good incumbent before a proof. Does what beam does, but exchanges levels only in a large lattice:
// they would make the proof of a small one longer.
void dive(Explorer& explorer);

// Whether a proof can take so long that it is worth its while to look for a good incumbent and a lower bound
// first. Smaller lattices are proven within minutes.
[[nodiscard]] bool is_large(const Lattice& lattice);

// Checks every transformation that is not settled, because it is anonymous by tagging alone or because
// nothing is known about it. Goes level by level from the bottom.
void score_the_rest(Explorer& explorer);

}  // namespace pgveil::engine
