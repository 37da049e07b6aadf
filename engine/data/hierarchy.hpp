#pragma once
// Generalization hierarchies: rows of text as in a file (or from a builder, hierarchy_builders.hpp), and the
// level tables made of them for the values that a column really has. `*`, NULL and the empty text are
// ordinary values here.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "engine/data/code_column.hpp"

namespace pgveil::engine {

// rows[r][l]: the value that row r's raw value (l = 0) has at level l.
struct Hierarchy {
  std::vector<std::vector<std::string>> rows;
};

// No header, one record for each value. Errors: what separated_text.hpp refuses, no record, uneven rows.
[[nodiscard]] Result<Hierarchy> read_hierarchy(std::string_view bytes, char separator);

// The levels of one quasi-identifier. Codes of a level are dense and in order of first appearance among raw
// codes.
struct LevelTables {
  std::string name;
  std::vector<std::vector<Code>> code_at;        // [level][raw code]; level 0 is the identity
  std::vector<std::vector<std::string>> values;  // [level][code]
  std::vector<std::vector<std::uint64_t>>
      hierarchy_rows;        // [level][code]: rows of the hierarchy with this value
  std::uint64_t domain = 0;  // D_j: rows of the hierarchy
  // What a value covers of what a suppressed one does, for loss and certainty penalty: [level][code] of
  // `range`. Rows of the hierarchy, unless the attribute is continuous (data/continuous.hpp).
  std::vector<std::vector<std::uint64_t>> spans;
  std::uint64_t range = 0;
  bool is_continuous = false;

  [[nodiscard]] unsigned height() const { return static_cast<unsigned>(code_at.size()) - 1; }
  [[nodiscard]] std::uint32_t distinct(unsigned level) const {
    return static_cast<std::uint32_t>(values[level].size());
  }
};

// Errors of kind configuration; the offending values (all of them) are in private_detail, because they are
// data: no rows, uneven rows, a raw value twice, a value that generalizes to two different ones, more than
// kMaxHeight levels above the values, values of the column without a row.
[[nodiscard]] Result<LevelTables> make_level_tables(const Column& column, const Hierarchy& hierarchy);

}  // namespace pgveil::engine
