#pragma once
// Generalizes packed rows and groups equal ones into equivalence classes. The two loops where the time goes: one table
// look-up for each changed field, one probe of a flat hash table for each row. Memory is taken before the loop.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "common/assert.hpp"
#include "engine/check/packed_row.hpp"

namespace pgveil::engine {

// Equivalence classes: keys[i] stands for counts[i] records. Also what a snapshot is.
template <class Key>
struct Classes {
  std::vector<Key> keys;
  std::vector<std::uint32_t> counts;
  [[nodiscard]] std::size_t size() const { return keys.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return keys.capacity() * sizeof(Key) + counts.capacity() * sizeof(std::uint32_t);
  }
};

// into[i] = from[i] with the changed fields replaced; `from` and `into` may be the same or have one length.
template <class Key>
void generalize(std::span<const Key> from, std::span<Key> into, std::span<const FieldChange> changes) {
  Key kept = static_cast<Key>(~Key{0});
  for (const auto& change : changes) kept = static_cast<Key>(kept & ~field_mask<Key>(change.field));
  constexpr std::size_t block = 512;
  std::array<Key, block> made;
  for (std::size_t begin = 0; begin < from.size(); begin += block) {
    const std::size_t count = std::min(block, from.size() - begin);
    const Key* source = from.data() + begin;
    for (std::size_t i = 0; i < count; ++i) made[i] = source[i] & kept;
    for (const auto& [field, map] : changes) {
      if (map == nullptr || field.width == 0) continue;
      const auto mask = static_cast<Code>((std::uint64_t{1} << field.width) - 1);
      for (std::size_t i = 0; i < count; ++i) {
        const auto code = static_cast<Code>(source[i] >> field.shift) & mask;
        made[i] = static_cast<Key>(made[i] | static_cast<Key>(static_cast<Key>(map[code]) << field.shift));
      }
    }
    std::copy_n(made.begin(), count, into.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

// The same for rows that are already materialized at some levels: replaces fields of `buffer` by what the raw rows say.
template <class Key>
void project(std::span<const Key> raw, std::span<Key> buffer, std::span<const FieldChange> changes) {
  for (const auto& [field, map] : changes) {
    if (field.width == 0) continue;
    const auto mask = static_cast<Code>((std::uint64_t{1} << field.width) - 1);
    const Key kept = static_cast<Key>(~field_mask<Key>(field));
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const auto code = static_cast<Code>(raw[i] >> field.shift) & mask;
      const Key made = map == nullptr ? Key{0} : static_cast<Key>(static_cast<Key>(map[code]) << field.shift);
      buffer[i] = static_cast<Key>((buffer[i] & kept) | made);
    }
  }
}

// A hash table of class numbers, kept from one check to the next.
class ClassSlots {
 public:
  // Room for `classes` at a load of at most one half; all empty.
  void prepare(std::size_t classes) {
    const std::size_t wanted = std::bit_ceil(std::max<std::size_t>(classes * 2, 16));
    if (slots_.size() < wanted) slots_.resize(wanted);
    std::fill_n(slots_.begin(), wanted, 0U);
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(wanted));
    mask_ = wanted - 1;
  }
  template <class Key>
  [[nodiscard]] std::size_t first(Key key) const {
    std::uint64_t folded = static_cast<std::uint64_t>(key);
    if constexpr (sizeof(Key) > sizeof(std::uint64_t))
      folded ^= static_cast<std::uint64_t>(key >> 64) * 0xC2B2AE3D27D4EB4F;
    return static_cast<std::size_t>(folded * 0x9E3779B97F4A7C15 >> shift_);
  }
  [[nodiscard]] std::size_t after(std::size_t slot) const { return (slot + 1) & mask_; }
  [[nodiscard]] std::uint32_t& operator[](std::size_t slot) {
    return slots_[slot];
  }  // class number + 1; 0: empty
  [[nodiscard]] std::size_t bytes() const { return slots_.capacity() * sizeof(std::uint32_t); }

 private:
  std::vector<std::uint32_t> slots_;
  unsigned shift_ = 60;
  std::size_t mask_ = 15;
};

// Groups `keys`, key i standing for counts[i] records; `at_most` bounds the number of classes (keys.size() always
// does). Classes come in order of first appearance.
template <class Key>
void group(std::span<const Key> keys, std::span<const std::uint32_t> counts, std::size_t at_most,
           ClassSlots& slots, Classes<Key>& into) {
  at_most = std::min(at_most, keys.size());
  slots.prepare(at_most);
  into.keys.resize(at_most);
  into.counts.resize(at_most);
  std::uint32_t classes = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Key key = keys[i];
    for (std::size_t slot = slots.first(key);; slot = slots.after(slot)) {
      const std::uint32_t number = slots[slot];
      if (number == 0) {
        into.keys[classes] = key;
        into.counts[classes] = counts[i];
        slots[slot] = ++classes;
        break;
      }
      if (into.keys[number - 1] == key) {
        into.counts[number - 1] += counts[i];
        break;
      }
    }
  }
  into.keys.resize(classes);
  into.counts.resize(classes);
}

}  // namespace pgveil::engine
