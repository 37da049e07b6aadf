#pragma once
// The algorithms, one file each. Each leaves no transformation that is not tagged: every minimal anonymous one that
// could still be the optimum has been checked. Where the metric is not monotonic, score_the_rest() has to follow.
#include "engine/search/explorer.hpp"

namespace pgveil::engine {

void run_flash(Explorer& explorer);
void run_ola(Explorer& explorer);
void run_incognito(Explorer& explorer);
void run_depth_first(Explorer& explorer);
void run_breadth_first(Explorer& explorer);
void run_brute_force(Explorer& explorer);
// Scores by itself what is anonymous by tagging alone.
void run_best_first(Explorer& explorer);

// Checks what is anonymous by tagging alone and could still beat the incumbent, level by level from the bottom.
void score_the_rest(Explorer& explorer);

}  // namespace pgveil::engine
