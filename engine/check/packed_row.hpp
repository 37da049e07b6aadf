#pragma once
// A row of quasi-identifiers as one number: each attribute's code in a bit field of its own. The fields are as wide as
// the raw codes need and stay where they are on every level, so a column is generalized by replacing one field.
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/data/hierarchy.hpp"
#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

// A row takes the narrowest of these: half a machine word, one, or two.
using NarrowKey = std::uint32_t;
using WordKey = std::uint64_t;
__extension__ using WideKey = unsigned __int128;
inline constexpr unsigned kMaxKeyBits = 128;

struct Field {
  unsigned shift = 0;
  unsigned width = 0;  // 0 for a column with one value
};

struct FieldLayout {
  std::vector<Field> fields;  // [attribute]
  unsigned bits = 0;
};

[[nodiscard]] inline FieldLayout make_layout(std::span<const LevelTables> attributes) {
  FieldLayout layout;
  for (const auto& attribute : attributes) {
    const auto width = static_cast<unsigned>(std::bit_width(attribute.distinct(0) - 1));
    layout.fields.push_back({layout.bits, width});
    layout.bits += width;
  }
  return layout;
}

template <class Key>
[[nodiscard]] Key field_mask(const Field& field) {
  return field.width == 0 ? Key{0} : static_cast<Key>(((Key{1} << field.width) - 1) << field.shift);
}

template <class Key>
[[nodiscard]] Code field_of(Key key, const Field& field) {
  // A field of width 0 may begin behind the last bit.
  if (field.width == 0) return 0;
  return static_cast<Code>(key >> field.shift) & static_cast<Code>((std::uint64_t{1} << field.width) - 1);
}

// How one field changes: code → map[code]; without a map it becomes 0 (the column is dropped).
struct FieldChange {
  Field field;
  const Code* map = nullptr;
};

}  // namespace pgveil::engine
