#include "policy/cohorts/slot_counter.hpp"

namespace pgveil::policy {

void RowCounter::start(const SlotTableView& table) {
  table_ = table;
  total_ = 0;
  with_.assign(table.slot_count, 0);
  for (const std::uint32_t entry : table.entries) total_ += counts_.rows(entry);
  for (std::size_t j = 0; j < table.attribute_count; ++j) {
    for (std::size_t i = 0; i < table.entries.size(); ++i)
      with_[table.at(j, i)] += counts_.rows(table.entries[i]);
  }
}

void RowCounter::remove(std::size_t i) {
  const std::uint64_t rows = counts_.rows(table_.entries[i]);
  total_ -= rows;
  for (std::size_t j = 0; j < table_.attribute_count; ++j) with_[table_.at(j, i)] -= rows;
}

void UnitCounter::start(const SlotTableView& table) {
  table_ = table;
  with_.assign(table.slot_count, 0);
  only_.assign(table.slot_count, 0);
  last_pair_.assign(table.slot_count, kNone);
  number_units();
  total_ = unit_count_;
  pairs_.clear();
  pair_of_.assign(table.attribute_count * table.entries.size(), kNone);
  spreads_.assign(table.attribute_count * unit_count_, Spread{});
  for (std::size_t j = 0; j < table.attribute_count; ++j) number_pairs(j);
  for (const Spread& spread : spreads_) {
    if (spread.distinct == 1) ++only_[pairs_[spread.pairs_xor].slot];
  }
}

// Entries of one unit are next to each other in every partition (CountsView::entries; peeling keeps the
// order).
void UnitCounter::number_units() {
  unit_count_ = 0;
  unit_of_.clear();
  unit_alive_.clear();
  Code previous = kNullCode;
  for (const std::uint32_t entry : table_.entries) {
    const Code unit = counts_.unit(entry);
    if (unit == kNullCode) {
      unit_of_.push_back(kNone);
      continue;
    }
    if (unit != previous) {
      ++unit_count_;
      unit_alive_.push_back(0);
      previous = unit;
    }
    unit_of_.push_back(unit_count_ - 1);
    ++unit_alive_.back();
  }
}

void UnitCounter::number_pairs(std::size_t j) {
  const std::size_t entry_count = table_.entries.size();
  std::uint32_t unit = kNone;
  auto first_of_unit = static_cast<std::uint32_t>(pairs_.size());
  for (std::size_t i = 0; i < entry_count; ++i) {
    if (unit_of_[i] == kNone) continue;
    if (unit_of_[i] != unit) {
      unit = unit_of_[i];
      first_of_unit = static_cast<std::uint32_t>(pairs_.size());
    }
    const Slot slot = table_.at(j, i);
    std::uint32_t& pair = last_pair_[slot];
    if (pair == kNone || pair < first_of_unit) {
      pair = static_cast<std::uint32_t>(pairs_.size());
      pairs_.push_back({slot, 0});
      ++with_[slot];
      ++spread(j, unit).distinct;
      spread(j, unit).pairs_xor ^= pair;
    }
    ++pairs_[pair].alive;
    pair_of_[j * entry_count + i] = pair;
  }
}

void UnitCounter::remove(std::size_t i) {
  const std::uint32_t unit = unit_of_[i];
  if (unit == kNone) return;
  for (std::size_t j = 0; j < table_.attribute_count; ++j) remove_pair(j, i);
  if (--unit_alive_[unit] == 0) --total_;
}

void UnitCounter::remove_pair(std::size_t j, std::size_t i) {
  const std::uint32_t number = pair_of_[j * table_.entries.size() + i];
  Pair& pair = pairs_[number];
  if (--pair.alive > 0) return;
  --with_[pair.slot];
  Spread& left = spread(j, unit_of_[i]);
  --left.distinct;
  left.pairs_xor ^= number;
  if (left.distinct == 1) ++only_[pairs_[left.pairs_xor].slot];
  if (left.distinct == 0) --only_[pair.slot];
}

}  // namespace pgveil::policy
