#include "policy/builder/peeler.hpp"

#include <algorithm>

namespace pgveil::policy {

template <class Counter>
Peeler<Counter>::Peeler(const CountsView& counts, std::uint64_t k, std::span<const Importance> importance,
                        const SideRules& rules)
    : counts_(counts), k_(k), importance_(importance), counter_(counts), sides_(counts, rules) {
  for (std::size_t a = 0; a < counts.attribute_count(); ++a)
    slot_lookup_.emplace_back(counts.attribute(a).values.size() + 1, kNone);
}

template <class Counter>
PeeledChain Peeler<Counter>::peel(std::vector<std::uint32_t>& order, std::size_t begin, std::size_t end,
                                  const std::vector<std::uint32_t>& open, const std::optional<Loss>& loss,
                                  const Admitted* admitted) {
  const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
  entries_.assign(first, order.begin() + static_cast<std::ptrdiff_t>(end));
  number_slots(open);
  counter_.start({entries_, slots_, open.size(), values_.size()});
  collect_candidates(admitted);
  if (sides_.has_rules()) sides_.start(entries_);

  PeeledChain chain;
  for (const std::uint32_t entry : entries_) chain.rows += counts_.rows(entry);
  chain.units = counter_.total();
  peeled_.clear();
  passed_over_.clear();
  is_gone_.assign(entries_.size(), 0);
  const auto is_after = [this](const Candidate& a, const Candidate& b) { return this->is_after(a, b); };
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), is_after);
    Candidate& best = heap_.back();
    const std::uint64_t now = merit(best.slot);
    if (now != best.merit && qualifies(best.slot)) {
      best.merit = now;
      std::push_heap(heap_.begin(), heap_.end(), is_after);
      continue;
    }
    const Candidate chosen = best;
    heap_.pop_back();
    if (!qualifies(chosen.slot)) continue;
    if (sides_.has_rules() && !sides_keep_rules(chosen.slot)) {
      if (!sides_.stays_forbidden()) passed_over_.push_back(chosen);
      continue;
    }
    take(chosen, begin, chain);
    for (const Candidate& candidate : passed_over_) {
      heap_.push_back(candidate);
      std::push_heap(heap_.begin(), heap_.end(), is_after);
    }
    passed_over_.clear();
  }
  if (loss) close(begin, *loss, chain);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (is_gone_[i] == 0) peeled_.push_back(entries_[i]);
  }
  std::copy(peeled_.begin(), peeled_.end(), first);
  return chain;
}

template <class Counter>
void Peeler<Counter>::number_slots(const std::vector<std::uint32_t>& open) {
  values_.clear();
  slots_.clear();
  for (const std::uint32_t attribute : open) {
    const std::vector<Code>& codes = counts_.codes(attribute);
    std::vector<Slot>& lookup = slot_lookup_[attribute];
    for (const std::uint32_t entry : entries_) {
      Slot& slot = lookup[codes[entry]];
      if (slot == kNone) {
        slot = static_cast<Slot>(values_.size());
        values_.push_back({attribute, codes[entry], 0, 0});
      }
      ++values_[slot].entry_count;
      slots_.push_back(slot);
    }
  }
  for (const SlotValue& value : values_) slot_lookup_[value.attribute][value.code] = kNone;
}

template <class Counter>
void Peeler<Counter>::collect_candidates(const Admitted* admitted) {
  heap_.clear();
  std::size_t posting_count = 0;
  for (Slot slot = 0; slot < values_.size(); ++slot) {
    if (!qualifies(slot)) continue;
    if (admitted != nullptr && (*admitted)[values_[slot].attribute][values_[slot].code] == 0) continue;
    heap_.push_back({merit(slot), slot});
    values_[slot].first_posting = posting_count;
    posting_count += values_[slot].entry_count;
  }
  std::make_heap(heap_.begin(), heap_.end(),
                 [this](const Candidate& a, const Candidate& b) { return is_after(a, b); });
  postings_.resize(posting_count);
  std::vector<char> is_candidate(values_.size(), 0);
  for (const Candidate& candidate : heap_) {
    is_candidate[candidate.slot] = 1;
    values_[candidate.slot].entry_count = 0;  // counted again while its postings are filled
  }
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    if (is_candidate[slots_[at]] == 0) continue;
    SlotValue& value = values_[slots_[at]];
    postings_[value.first_posting + value.entry_count++] = static_cast<std::uint32_t>(at % entries_.size());
  }
}

template <class Counter>
void Peeler<Counter>::take(const Candidate& candidate, std::size_t begin, PeeledChain& chain) {
  const SlotValue& value = values_[candidate.slot];
  Peel peel{value.attribute, value.code, begin + peeled_.size(), 0, 0, 0};
  std::uint64_t rows = 0;
  for (std::size_t p = 0; p < value.entry_count; ++p) {
    const std::uint32_t i = postings_[value.first_posting + p];
    if (is_gone_[i] != 0) continue;
    is_gone_[i] = 1;
    rows += counts_.rows(entries_[i]);
    counter_.remove(i);
    if (sides_.has_rules()) sides_.remove(i);
    peeled_.push_back(entries_[i]);
  }
  peel.end = begin + peeled_.size();
  peel.rows_left = (chain.peels.empty() ? chain.rows : chain.peels.back().rows_left) - rows;
  peel.units_left = counter_.total();
  chain.peels.push_back(peel);
}

template <class Counter>
std::optional<Slot> Peeler<Counter>::closing_slot(std::uint64_t rows_left, const Loss& loss) const {
  std::vector<std::uint64_t> rows(values_.size(), 0);
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    const std::size_t i = at % entries_.size();
    if (is_gone_[i] == 0) rows[slots_[at]] += counts_.rows(entries_[i]);
  }
  std::optional<Candidate> best;
  for (Slot slot = 0; slot < values_.size(); ++slot) {
    if (values_[slot].code == kNullCode || counter_.with(slot) < k_) continue;
    if (counter_.without(slot) >= k_) continue;  // splitting would make two cohorts
    const Candidate candidate{gain(importance(slot), rows[slot], loss, rows_left - rows[slot]), slot};
    if (candidate.merit == 0) continue;
    if (!best || is_after(*best, candidate)) best = candidate;
  }
  return best ? std::optional(best->slot) : std::nullopt;
}

template <class Counter>
void Peeler<Counter>::close(std::size_t begin, const Loss& loss, PeeledChain& chain) {
  const std::uint64_t rows_left = chain.peels.empty() ? chain.rows : chain.peels.back().rows_left;
  const auto slot = closing_slot(rows_left, loss);
  if (!slot) return;
  const SlotValue& value = values_[*slot];
  const std::vector<Code>& codes = counts_.codes(value.attribute);
  Peel peel{value.attribute, value.code, begin + peeled_.size(), 0, rows_left, 0};
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (is_gone_[i] != 0 || codes[entries_[i]] != value.code) continue;
    is_gone_[i] = 1;
    peel.rows_left -= counts_.rows(entries_[i]);
    counter_.remove(i);
    if (sides_.has_rules()) sides_.remove(i);
    peeled_.push_back(entries_[i]);
  }
  peel.end = begin + peeled_.size();
  peel.units_left = counter_.total();
  chain.peels.push_back(peel);
  chain.falls_back = true;
}

template <class Counter>
bool Peeler<Counter>::qualifies(Slot slot) const {
  return values_[slot].code != kNullCode && counter_.with(slot) >= k_ && counter_.without(slot) >= k_;
}

// REQUIRES: the slot has been a candidate, so its postings exist.
template <class Counter>
bool Peeler<Counter>::sides_keep_rules(Slot slot) {
  const SlotValue& value = values_[slot];
  yes_.clear();
  for (std::size_t p = 0; p < value.entry_count; ++p) {
    const std::uint32_t i = postings_[value.first_posting + p];
    if (is_gone_[i] == 0) yes_.push_back(i);
  }
  return sides_.allows(yes_);
}

// The order of choice, reversed for std::pop_heap: the lesser rank, the greater merit, the lower attribute
// number, then the text.
template <class Counter>
bool Peeler<Counter>::is_after(const Candidate& a, const Candidate& b) const {
  const SlotValue& x = values_[a.slot];
  const SlotValue& y = values_[b.slot];
  if (importance(a.slot).rank != importance(b.slot).rank)
    return importance(a.slot).rank > importance(b.slot).rank;
  if (a.merit != b.merit) return a.merit < b.merit;
  if (x.attribute != y.attribute) return x.attribute > y.attribute;
  return counts_.text(x.attribute, x.code) > counts_.text(y.attribute, y.code);
}

template class Peeler<RowCounter>;
template class Peeler<UnitCounter>;

}  // namespace pgveil::policy
