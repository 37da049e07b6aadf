#pragma once
// The distinct rows of a table, as columns. Attributes are grouped into blocks. The combinations of raw codes
// that occur in a block are numbered, and a row has one number per block. So generalizing a row takes one
// look-up per block instead of one per attribute, in tables small enough for the cache (code_tables.hpp).
//
// Rows are sorted by the lead, the attribute with the most values. So rows that are equal in it, at any
// level, are next to each other and can be grouped window by window. The lead is the first attribute of the
// first block.
//
// Things that are never generalized but must be told apart (sensitive values, membership in the subset) are
// in blocks of their own, after those of the quasi-identifiers. A class of equal rows then is a class of
// records with one sensitive value, and so classes carry their distributions through roll-ups and snapshots.
// class_counter.hpp combines them.
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "engine/check/grouping.hpp"
#include "engine/data/hierarchy.hpp"

namespace pgveil::engine {

struct Block {
  std::vector<std::size_t> attributes;
  std::vector<std::vector<Code>> raw;  // [attribute of the block][combination]: raw code
  [[nodiscard]] std::size_t combinations() const { return raw.front().size(); }
};

struct Place {
  std::size_t block = 0;
  std::size_t index = 0;  // in the block's attributes
};

// codes[block][distinct row]: combination. All blocks have the same width, so that loops over rows are
// compiled for one type.
template <class Code>
using BlockCodes = std::vector<std::vector<Code>>;

struct DistinctRows {
  std::vector<Block> blocks;  // those of the quasi-identifiers, then the others
  std::size_t quasi_blocks = 0;
  std::variant<BlockCodes<std::uint16_t>, BlockCodes<std::uint32_t>> codes;
  std::vector<Place> places;  // [attribute], the quasi-identifiers first
  std::vector<std::vector<Code>>
      lead_codes;   // [level][raw code] of the lead: like code_at, but ascending with the rows
  Classes classes;  // rows 0, 1, 2 …, and how many records each stands for
  [[nodiscard]] std::size_t size() const { return classes.size(); }
};

// columns[j]: the raw codes of attributes[j]; the first `quasi_identifiers` of them are quasi-identifiers.
// REQUIRES: at least one quasi-identifier; all columns have the same length, from 1 to 2³² − 1.
[[nodiscard]] DistinctRows make_distinct_rows(std::span<const CodeColumn* const> columns,
                                              std::span<const LevelTables* const> attributes,
                                              std::size_t quasi_identifiers);

}  // namespace pgveil::engine
