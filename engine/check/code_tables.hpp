#pragma once
// For each block of attributes, maps a combination of raw codes to one number for their generalized values.
// The tables are set to the levels of one transformation. For the next one only those with a changed level
// are made anew (projection).
#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/check/distinct_rows.hpp"
#include "engine/data/hierarchy.hpp"
#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

struct CodeTable {
  std::vector<std::uint32_t> codes;  // [combination]: below radix
  std::uint64_t radix = 1;
  std::uint64_t first_radix = 1;  // of the block's first attribute, the most significant digit of a code
};

class CodeTables {
 public:
  // All arguments must outlive this object. others: attributes that are never generalized.
  CodeTables(const DistinctRows& rows, std::span<const LevelTables> attributes,
             std::span<const LevelTables> others = {});

  // REQUIRES: `columns` names each attribute whose level differs from the last call; in the first call, all
  // quasi-identifiers. A level above an attribute's highest drops its column.
  void set_levels(const Transformation& levels, const std::bitset<kMaxAttributes>& columns);

  [[nodiscard]] const CodeTable& table(std::size_t block) const { return tables_[block]; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  void fill(CodeTable& table, const Block& block, const Transformation& levels) const;
  [[nodiscard]] const LevelTables& attribute(std::size_t j) const {
    return j < attributes_.size() ? attributes_[j] : others_[j - attributes_.size()];
  }

  const DistinctRows& rows_;
  std::span<const LevelTables> attributes_, others_;
  std::vector<CodeTable> tables_;  // [block]
};

}  // namespace pgveil::engine
