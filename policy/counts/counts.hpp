#pragma once
// The one aggregate that a disclosure tree is built from: how often each combination of quasi-identifier
// values occurs. A plain value; db/catalog/table_reading.hpp fills it from PostgreSQL.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/level/level.hpp"

namespace pgveil::policy {

using Code = std::uint32_t;
inline constexpr Code kNullCode = 0;  // NULL, in codes and in units

// One quasi-identifier. values[c - 1] is the canonical text of code c, in PostgreSQL's output form under the
// pinned settings (DateStyle ISO, TimeZone UTC, …). Texts are distinct.
struct Attribute {
  std::string name;
  int number = 0;  // attribute number in the table; ties between attributes are broken by it
  std::vector<std::string> values;
  std::optional<Level> level =
      std::nullopt;  // what the values are, if they are not the column's own (leveled_counts.hpp)
};

// A sensitive column that is counted too. Codes are 1 to value_count. They ascend with the values where the
// policy asks for an ordered distance.
struct SensitiveColumn {
  std::string name;
  int number = 0;
  std::size_t value_count = 0;
  std::vector<Code> codes;  // per entry; kNullCode for NULL
};

// Row i of the aggregate is the combination codes[a][i] for each attribute a, which occurs rows[i] times.
// With a unit, there is one entry per (combination, unit), and units[i] is the unit's code; kNullCode stands
// for a NULL unit, which is not counted as a unit. Without a unit, `units` is empty and each row is a unit.
// All inner vectors have the same length.
struct Counts {
  std::vector<Attribute> attributes;
  std::vector<std::vector<Code>> codes;
  std::vector<std::uint64_t> rows;
  std::vector<Code> units;
  // The columns that the tree's splits depend on (mode refine). Entries then differ by the values of these
  // columns too.
  std::vector<SensitiveColumn> sensitive = {};

  [[nodiscard]] bool has_units() const { return !units.empty(); }
  [[nodiscard]] std::size_t size() const { return rows.size(); }
};

}  // namespace pgveil::policy
