#pragma once
// A table made ready for checks: quasi-identifiers in the order of their names, equal rows merged. Made
// once, then read by any number of searches; immutable.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "engine/check/distinct_rows.hpp"
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
  std::uint64_t rows = 0;
  DistinctRows distinct;
  Lattice lattice;  // all levels of all attributes

  [[nodiscard]] Transformation from_given(std::span<const unsigned> levels) const;
  [[nodiscard]] std::vector<unsigned> to_given(const Transformation& transformation) const;
};

// Errors: no quasi-identifier, more than kMaxAttributes, one named twice or not in the table, an empty table, 2³² rows
// or more, and those of make_level_tables.
[[nodiscard]] Result<PreparedTable> prepare(const Table& table,
                                            std::span<const QuasiIdentifier> quasi_identifiers);

}  // namespace pgveil::engine
