#include "engine/mondrian/drawn_cuts.hpp"

#include <algorithm>
#include <cstddef>

namespace pgveil::engine {
namespace {

std::vector<Rank> places_between_children(const LevelTables& levels, RankRange region) {
  std::vector<Rank> places;
  for (unsigned level = levels.height() + 1; level-- > 0 && places.empty();) {
    const auto& code_at = levels.code_at[level];
    for (Rank rank = region.low; rank < region.high; ++rank) {
      if (code_at[rank] != code_at[rank + 1]) places.push_back(rank);
    }
  }
  return places;
}

std::vector<Rank> places_after_quarters(const Dimension& dimension, RankRange region) {
  std::vector<Rank> places;
  if (dimension.null_rank == region.low) places.push_back(region.low++);
  const std::uint64_t values = std::uint64_t{region.high} - region.low + 1;
  for (std::uint64_t quarters = 1; quarters < 4; ++quarters) {
    const std::uint64_t left = values * quarters / 4;
    if (left > 0) places.push_back(region.low + static_cast<Rank>(left - 1));
  }
  places.erase(std::ranges::unique(places).begin(), places.end());
  return places;
}

}  // namespace

std::vector<Rank> places_of_cuts(const Dimension& dimension, RankRange region) {
  if (region.low == region.high) return {};
  return dimension.is_numeric() ? places_after_quarters(dimension, region)
                                : places_between_children(*dimension.levels, region);
}

std::uint64_t weight_of_cut(const Dimension& dimension, RankRange region) {
  if (region.low == region.high) return 0;
  const std::uint64_t share = (std::uint64_t{region.high - region.low} << 16) / (dimension.ranks() - 1);
  return std::max<std::uint64_t>(share * share, 1);
}

}  // namespace pgveil::engine
