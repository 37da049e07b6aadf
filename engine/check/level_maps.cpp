#include "engine/check/level_maps.hpp"

#include "common/assert.hpp"

namespace pgveil::engine {

LevelMaps::LevelMaps(std::span<const LevelTables> attributes) {
  for (const auto& tables : attributes) {
    const unsigned height = tables.height();
    auto& made = attributes_.emplace_back(PerAttribute{height, {}});
    made.maps.resize((height + 1) * (height + 1));
    for (unsigned from = 0; from <= height; ++from) {
      for (unsigned to = from; to <= height; ++to) {
        auto& map = made.maps[from * (height + 1) + to];
        map.resize(tables.distinct(from));
        bytes_ += map.size() * sizeof(Code);
        for (std::size_t raw = 0; raw < tables.code_at[from].size(); ++raw) {
          map[tables.code_at[from][raw]] = tables.code_at[to][raw];
        }
      }
    }
  }
}

const Code* LevelMaps::map(std::size_t attribute, unsigned from, unsigned to) const {
  const auto& maps = attributes_[attribute];
  PGVEIL_ASSERT(from <= to && to <= maps.height + 1);
  if (to > maps.height) return nullptr;
  return maps.maps[from * (maps.height + 1) + to].data();
}

}  // namespace pgveil::engine
