#pragma once
// The algorithms. Each but the heuristics leaves no transformation that is not tagged: every minimal
// anonymous one that could still be the optimum has been checked. Where the metric is not monotonic, or
// anonymity is not inherited, score_the_rest() has to follow.
#include "engine/search/explorer.hpp"

namespace pgveil::engine {

// Of a walk through the lattice that checks nothing: how often it asks whether to stop.
inline constexpr std::size_t kStepsBetweenQuestions = 4096;

void run_flash(Explorer& explorer);
void run_ola(Explorer& explorer);
void run_incognito(Explorer& explorer);
void run_depth_first(Explorer& explorer);
void run_breadth_first(Explorer& explorer);
void run_brute_force(Explorer& explorer);
// Scores by itself what is anonymous by tagging alone.
void run_best_first(Explorer& explorer);

// Heuristics: none of them proves its best.
void run_datafly(Explorer& explorer);
void run_igreedy(Explorer& explorer);
void run_samarati(Explorer& explorer);
void run_beam(Explorer& explorer);
// What beam does, for a good incumbent before a proof.
void dive(Explorer& explorer);

// Checks what is not settled: anonymous by tagging alone, or by no means known. Level by level from the
// bottom.
void score_the_rest(Explorer& explorer);

}  // namespace pgveil::engine
