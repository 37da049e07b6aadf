#pragma once
// Counts the units per slot while entries leave a partition. A slot is one (attribute, value) that occurs in
// the partition; the Peeler numbers them. The two counters have one interface. Without a unit column each row
// is a unit (RowCounter). With a unit column the distinct non-NULL units count, and a unit may be on both
// sides of a split (UnitCounter).
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "policy/counts/counts_view.hpp"

namespace pgveil::policy {

using Slot = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The slots of a partition's entries. Local entry i of attribute j (an index among the open ones) has slot
// at(j, i); local entries keep the partition's order.
struct SlotTableView {  // lives as long as the Peeler's scratch space
  std::span<const std::uint32_t> entries;
  std::span<const Slot> slots;  // attribute after attribute
  std::size_t attribute_count = 0;
  std::size_t slot_count = 0;
  [[nodiscard]] Slot at(std::size_t j, std::size_t i) const { return slots[j * entries.size() + i]; }
};

class RowCounter {
 public:
  explicit RowCounter(const CountsView& counts) : counts_(counts) {}
  void start(const SlotTableView& table);
  void remove(std::size_t i);
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t with(Slot slot) const { return with_[slot]; }
  [[nodiscard]] std::uint64_t without(Slot slot) const { return total_ - with_[slot]; }

 private:
  const CountsView& counts_;
  SlotTableView table_;
  std::uint64_t total_ = 0;
  std::vector<std::uint64_t> with_;
};

class UnitCounter {
 public:
  explicit UnitCounter(const CountsView& counts) : counts_(counts) {}
  void start(const SlotTableView& table);
  void remove(std::size_t i);
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t with(Slot slot) const { return with_[slot]; }
  // Units with at least one entry that lacks the value.
  [[nodiscard]] std::uint64_t without(Slot slot) const { return total_ - only_[slot]; }

 private:
  // One (unit, attribute): how many distinct values the unit still has here, and the XOR of the numbers of
  // their pairs. When one value is left, the XOR is the number of its pair.
  struct Spread {
    std::uint32_t distinct = 0;
    std::uint32_t pairs_xor = 0;
  };
  // One (unit, attribute, value).
  struct Pair {
    Slot slot = 0;
    std::uint32_t alive = 0;  // entries left
  };

  void number_units();
  void number_pairs(std::size_t j);
  void remove_pair(std::size_t j, std::size_t i);
  [[nodiscard]] Spread& spread(std::size_t j, std::uint32_t unit) { return spreads_[j * unit_count_ + unit]; }

  const CountsView& counts_;
  SlotTableView table_;
  std::uint64_t total_ = 0;
  std::uint32_t unit_count_ = 0;
  std::vector<std::uint64_t> with_;
  std::vector<std::uint64_t> only_;        // units all of whose entries here have the value
  std::vector<std::uint32_t> unit_of_;     // per local entry; kNone for a NULL unit
  std::vector<std::uint32_t> unit_alive_;  // per unit: entries left
  std::vector<std::uint32_t> pair_of_;     // as SlotTableView::slots
  std::vector<Pair> pairs_;
  std::vector<Spread> spreads_;
  std::vector<std::uint32_t> last_pair_;  // per slot: its latest pair while numbering
};

}  // namespace pgveil::policy
