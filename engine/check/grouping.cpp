#include "engine/check/grouping.hpp"

#include <algorithm>
#include <bit>

#include "common/assert.hpp"

namespace pgveil::engine {

// At least two slots per row, so that hash tables are at most half full.
Grouper::Grouper(std::size_t rows)
    : slots_(std::bit_ceil(std::max<std::size_t>(rows * 2, 1024)), 0),
      used_(rows + 1),
      rows_(rows + 1),
      counts_(rows + 1) {}

void Grouper::begin(std::uint64_t domain, std::size_t classes) {
  PGVEIL_ASSERT(classes < used_.size());
  classes_ = 0;
  window_ = 0;
  is_direct_ = domain <= slots_.size();
  if (!is_direct_ && keys_.size() < classes + 1) keys_.resize(used_.size());
  const std::size_t hashed = std::bit_ceil(std::max<std::size_t>(classes * 2, 16));
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(hashed));
  mask_ = hashed - 1;
}

void Grouper::add(std::span<const std::uint32_t> keys, std::span<const std::uint32_t> rows,
                  std::span<const std::uint32_t> counts) {
  is_direct_ ? add_direct(keys, rows.data(), counts.data()) : add_hashed(keys, rows.data(), counts.data());
}

void Grouper::add(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> rows,
                  std::span<const std::uint32_t> counts) {
  is_direct_ ? add_direct(keys, rows.data(), counts.data()) : add_hashed(keys, rows.data(), counts.data());
}

// Writes each key as if it were a new class, but counts it as one only if its slot was empty.
template <class Key>
void Grouper::add_direct(std::span<const Key> keys, const std::uint32_t* rows, const std::uint32_t* counts) {
  std::uint32_t* const slots = slots_.data();
  std::uint32_t* const class_rows = rows_.data();
  std::uint32_t* const used = used_.data();
  std::size_t classes = classes_;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto slot = static_cast<std::size_t>(keys[i]);
    const std::uint32_t before = slots[slot];
    class_rows[classes] = rows[i];
    used[classes] = static_cast<std::uint32_t>(slot);
    classes += before == 0 ? 1 : 0;
    slots[slot] = before + counts[i];
  }
  classes_ = classes;
}

template <class Key>
void Grouper::add_hashed(std::span<const Key> keys, const std::uint32_t* rows, const std::uint32_t* counts) {
  std::uint32_t* const slots = slots_.data();
  std::uint32_t* const class_rows = rows_.data();
  std::uint32_t* const class_counts = counts_.data();
  std::uint64_t* const class_keys = keys_.data();
  std::uint32_t* const used = used_.data();
  std::size_t classes = classes_;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t key = keys[i];
    class_keys[classes] = key;
    class_rows[classes] = rows[i];
    class_counts[classes] = 0;
    std::size_t slot = first_slot(key);
    while (true) {
      const std::size_t before = slots[slot];
      const std::size_t is_new = before == 0 ? 1 : 0;
      const std::size_t number = before + (classes + 1) * is_new - 1;
      if (class_keys[number] == key) {
        used[classes] = static_cast<std::uint32_t>(slot);
        slots[slot] = static_cast<std::uint32_t>(number + 1);
        class_counts[number] += counts[i];
        classes += is_new;
        break;
      }
      slot = (slot + 1) & mask_;
    }
  }
  classes_ = classes;
}

void Grouper::next_window() {
  for (; window_ < classes_; ++window_) {
    std::uint32_t& slot = slots_[used_[window_]];
    if (is_direct_) counts_[window_] = slot;
    slot = 0;
  }
}

void Grouper::finish(Classes& into) {
  next_window();
  const auto end = static_cast<std::ptrdiff_t>(classes_);
  into.rows.assign(rows_.begin(), rows_.begin() + end);
  into.counts.assign(counts_.begin(), counts_.begin() + end);
}

std::size_t Grouper::finish() {
  next_window();
  return classes_;
}

void Grouper::write(std::uint32_t* rows, std::uint32_t* counts) const {
  std::copy_n(rows_.begin(), classes_, rows);
  std::copy_n(counts_.begin(), classes_, counts);
}

// A slot holds the number of its class plus 1.
void Grouper::number(std::span<const std::uint64_t> keys, std::uint32_t* numbers) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::size_t slot = is_direct_ ? static_cast<std::size_t>(keys[i]) : first_slot(keys[i]);
    if (!is_direct_) {
      while (slots_[slot] != 0 && keys_[slots_[slot] - 1] != keys[i]) slot = (slot + 1) & mask_;
    }
    if (slots_[slot] == 0) {
      if (!is_direct_) keys_[classes_] = keys[i];
      used_[classes_] = static_cast<std::uint32_t>(slot);
      slots_[slot] = static_cast<std::uint32_t>(++classes_);
    }
    numbers[i] = slots_[slot] - 1;
  }
}

std::size_t Grouper::end_numbers() {
  for (std::size_t i = 0; i < classes_; ++i) slots_[used_[i]] = 0;
  return classes_;
}

std::uint64_t Grouper::number(std::span<std::uint64_t> keys) {
  begin(UINT64_MAX, keys.size());
  std::uint32_t classes = 0;
  for (auto& key : keys) {
    std::size_t slot = first_slot(key);
    while (slots_[slot] != 0 && keys_[slots_[slot] - 1] != key) slot = (slot + 1) & mask_;
    if (slots_[slot] == 0) {
      keys_[classes] = key;
      used_[classes] = static_cast<std::uint32_t>(slot);
      slots_[slot] = ++classes;
    }
    key = slots_[slot] - 1;
  }
  for (std::uint32_t i = 0; i < classes; ++i) slots_[used_[i]] = 0;
  return classes;
}

std::size_t Grouper::bytes() const {
  return (slots_.capacity() + used_.capacity() + rows_.capacity() + counts_.capacity()) *
             sizeof(std::uint32_t) +
         keys_.capacity() * sizeof(std::uint64_t);
}

}  // namespace pgveil::engine
