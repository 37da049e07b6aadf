#pragma once
// Generalization hierarchies: rows of text as in a file (or from a builder, hierarchy_builders.hpp), and the
// level tables made from them for the values that a column really has. `*`, NULL and the empty text are
// ordinary values here.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "engine/data/code_column.hpp"

namespace pgveil::engine {

// rows[r][l]: the value at level l of row r, whose raw value is at l = 0.
struct Hierarchy {
  std::vector<std::vector<std::string>> rows;
};

enum class HierarchyHeader { not_said, none, first_record };

// Reads one record per value, after a header if there is one. Empty lines are skipped. Errors: what
// separated_text.hpp refuses; no record; records of different lengths; with HierarchyHeader::not_said also a
// first record that looks like a header: all others end with one label and share none with it, and it is the
// record of none of the values. values: those of the column, as far as they are known.
[[nodiscard]] Result<Hierarchy> read_hierarchy(std::string_view bytes, char separator,
                                               HierarchyHeader header = HierarchyHeader::not_said,
                                               std::span<const std::string> values = {});

// The levels of one quasi-identifier. The codes of a level are dense and ordered by first appearance among
// the raw codes.
struct LevelTables {
  std::string name;
  std::vector<std::vector<Code>> code_at;        // [level][raw code]; level 0 is the identity
  std::vector<std::vector<std::string>> values;  // [level][code]
  std::vector<std::vector<std::uint64_t>>
      hierarchy_rows;        // [level][code]: rows of the hierarchy with this value
  std::uint64_t domain = 0;  // D_j: rows of the hierarchy
  // What a value covers, [level][code], compared with `range`, which a suppressed value covers. For loss and
  // certainty penalty. In rows of the hierarchy, unless the attribute is continuous (data/continuous.hpp).
  std::vector<std::vector<std::uint64_t>> spans;
  std::uint64_t range = 0;
  bool is_continuous = false;

  [[nodiscard]] unsigned height() const { return static_cast<unsigned>(code_at.size()) - 1; }
  [[nodiscard]] std::uint32_t distinct(unsigned level) const {
    return static_cast<std::uint32_t>(values[level].size());
  }
};

// Errors of kind configuration, with all offending values in private_detail, because they are data: no rows;
// rows of different lengths; a raw value that occurs twice; a value that generalizes to two different ones;
// more than kMaxHeight levels above the values; values of the column without a row.
[[nodiscard]] Result<LevelTables> make_level_tables(const Column& column, const Hierarchy& hierarchy);

}  // namespace pgveil::engine
