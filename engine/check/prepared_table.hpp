#pragma once
// A table made ready for checks: quasi-identifiers in the order of their names, rows packed and equal ones merged. Made
// once, then read by any number of searches; immutable.
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "common/error.hpp"
#include "engine/check/grouping.hpp"
#include "engine/check/level_maps.hpp"
#include "engine/data/hierarchy.hpp"
#include "engine/data/table.hpp"
#include "engine/lattice/lattice.hpp"

namespace pgveil::engine {

struct QuasiIdentifier {
  std::string column;
  Hierarchy hierarchy;
};

struct PreparedTable {
  std::vector<LevelTables> attributes;   // in the order of their names
  std::vector<std::size_t> given_order;  // given_order[i]: index in `attributes` of the i-th as given
  std::vector<std::vector<std::uint64_t>> histograms;  // [attribute][raw code]: rows
  FieldLayout layout;
  LevelMaps maps;
  std::uint64_t rows = 0;
  std::variant<Classes<NarrowKey>, Classes<WordKey>, Classes<WideKey>> base;  // the rows, equal ones merged
  Lattice lattice;                                                            // all levels of all attributes

  [[nodiscard]] Transformation from_given(std::span<const unsigned> levels) const;
  [[nodiscard]] std::vector<unsigned> to_given(const Transformation& transformation) const;
};

// Errors: no quasi-identifier, more than kMaxAttributes, one named twice or not in the table, an empty table, 2³² rows
// or more, rows that need more than kMaxKeyBits bits, and those of make_level_tables.
[[nodiscard]] Result<PreparedTable> prepare(const Table& table,
                                            std::span<const QuasiIdentifier> quasi_identifiers);

}  // namespace pgveil::engine
