#pragma once
// For each attribute and each pair of levels from < to, the map from codes of the one to codes of the other. It exists
// because every level is a function of the one below; so classes can be generalized without their rows.
#include <span>
#include <vector>

#include "engine/check/packed_row.hpp"
#include "engine/data/hierarchy.hpp"

namespace pgveil::engine {

class LevelMaps {
 public:
  explicit LevelMaps(std::span<const LevelTables> attributes);
  // nullptr for to = dropped (height + 1). REQUIRES: from <= to.
  [[nodiscard]] const Code* map(std::size_t attribute, unsigned from, unsigned to) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct PerAttribute {
    unsigned height = 0;
    std::vector<std::vector<Code>> maps;  // [from * (height + 1) + to]
  };
  std::vector<PerAttribute> attributes_;
  std::size_t bytes_ = 0;
};

}  // namespace pgveil::engine
