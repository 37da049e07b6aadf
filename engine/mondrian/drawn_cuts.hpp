#pragma once
// What drawn cuts (Cuts::drawn, mondrian.hpp) are drawn from: the places at which a region may be cut.
// Nothing here looks at records, and the argument of docs/attack-model.md ("Cuts that are drawn") needs that.
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/mondrian/dimension.hpp"

namespace pgveil::engine {

// The cuts of a region in one dimension, each as the largest rank of its left side, ascending. For numbers:
// after each quarter of the region's values, and after NULL. For categories: between the children of the
// lowest ancestor that the region's values have in common. Empty if the region has one value only.
[[nodiscard]] std::vector<Rank> places_of_cuts(const Dimension& dimension, RankRange region);

// How likely the dimension is to be cut next, compared with the others: the square of the share that the
// region has of all its ranks, in 1/2^32. 0 if the region has one value only.
[[nodiscard]] std::uint64_t weight_of_cut(const Dimension& dimension, RankRange region);

}  // namespace pgveil::engine
