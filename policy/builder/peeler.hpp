#pragma once
// Builds one chain of the disclosure tree at a time. A chain is a node, its `no` child, that child's `no`
// child, and so on: value after value is peeled off from one partition until none qualifies. A chain releases
// nothing, so the counts of every candidate only fall, and a candidate that has stopped qualifying never
// qualifies again. Therefore a heap with late updates is enough, and a chain costs O(entries × attributes),
// however long it is. Rules on sensitive values may forbid a split now and allow it later, so with rules each
// candidate that was passed over is tried again after each split.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policy/builder/leaf_growth.hpp"
#include "policy/cohorts/side_counter.hpp"
#include "policy/cohorts/slot_counter.hpp"

namespace pgveil::policy {

// The entries order[begin, end) have `code`; the entries after them are the `no` side.
struct Peel {
  std::uint32_t attribute = 0;
  Code code = kNullCode;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t rows_left = 0;
  std::uint64_t units_left = 0;
};

struct PeeledChain {
  std::uint64_t rows = 0;  // of the whole partition
  std::uint64_t units = 0;
  std::vector<Peel> peels;
  bool falls_back = false;  // fewer than k units are left after the last peel
};

template <class Counter>
class Peeler {
 public:
  // REQUIRES: counts, importance (per attribute) and rules outlive the Peeler.
  Peeler(const CountsView& counts, std::uint64_t k, std::span<const Importance> importance,
         const SideRules& rules);

  // Reorders order[begin, end): first the entries of the first peel, then those of the second, …, then the
  // rest. Within each group the order is kept.
  // open: the attributes not yet released, ascending.
  // admitted: the values that may be peeled off; nullptr: all.
  // loss: what a row that falls back from here no longer shows; nullopt: no row may fall back.
  [[nodiscard]] PeeledChain peel(std::vector<std::uint32_t>& order, std::size_t begin, std::size_t end,
                                 const std::vector<std::uint32_t>& open, const std::optional<Loss>& loss,
                                 const Admitted* admitted);

 private:
  struct SlotValue {
    std::uint32_t attribute = 0;
    Code code = kNullCode;
    std::uint32_t entry_count = 0;
    std::size_t first_posting = 0;
  };
  struct Candidate {
    std::uint64_t merit = 0;  // by units, or by what it gains at the end of a chain
    Slot slot = 0;
  };

  [[nodiscard]] const Importance& importance(Slot slot) const { return importance_[values_[slot].attribute]; }
  [[nodiscard]] std::uint64_t merit(Slot slot) const {
    return importance(slot).merit(values_[slot].code, counter_.with(slot));
  }
  void number_slots(const std::vector<std::uint32_t>& open);
  void collect_candidates(const Admitted* admitted);
  void take(const Candidate& candidate, std::size_t begin, PeeledChain& chain);
  // The rows that are left after a split at the end of a chain fall back and show fewer cells. Splits off the
  // value that wins more than is lost in this way, if there is such a value.
  void close(std::size_t begin, const Loss& loss, PeeledChain& chain);
  [[nodiscard]] std::optional<Slot> closing_slot(std::uint64_t rows_left, const Loss& loss) const;
  [[nodiscard]] bool qualifies(Slot slot) const;
  [[nodiscard]] bool sides_keep_rules(Slot slot);
  [[nodiscard]] bool is_after(const Candidate& a, const Candidate& b) const;

  const CountsView& counts_;
  std::uint64_t k_;
  std::span<const Importance> importance_;
  Counter counter_;
  SideCounter sides_;
  std::vector<std::vector<Slot>> slot_lookup_;  // per attribute and code; kNone between chains
  // Scratch of one chain.
  std::vector<std::uint32_t> entries_;
  std::vector<SlotValue> values_;
  std::vector<Slot> slots_;
  std::vector<Candidate> heap_;
  std::vector<Candidate> passed_over_;  // a side would break a rule, as the partition is now
  std::vector<std::uint32_t> yes_;
  std::vector<std::uint32_t> postings_;  // local entries of each candidate slot
  std::vector<char> is_gone_;
  std::vector<std::uint32_t> peeled_;
};

extern template class Peeler<RowCounter>;
extern template class Peeler<UnitCounter>;

}  // namespace pgveil::policy
