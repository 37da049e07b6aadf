#include "engine/mondrian/regroup.hpp"

#include <algorithm>
#include <numeric>

#include "common/assert.hpp"

namespace pgveil::engine {
namespace {

// Passes over a neighbourhood settle after three or four; more gain next to nothing. A pass over many records
// costs the square of their number, so these get fewer at a time.
constexpr int kMostPasses = 6;
constexpr int kMostPassesOfMany = 2;
constexpr std::size_t kManyRecords = 128;

std::int64_t as_signed(Loss loss) {
  return static_cast<std::int64_t>(loss);
}

void take_out(std::vector<std::uint32_t>& places, std::size_t index) {
  places[index] = places.back();
  places.pop_back();
}

}  // namespace

bool GroupTest::is_kept(std::span<const Record> records) {
  if (records.size() < smallest_) return false;
  if (!tests_values_) return true;
  codes_.resize(sensitive_.size());
  counts_.resize(sensitive_.size());
  views_.clear();
  for (std::size_t i = 0; i < sensitive_.size(); ++i) {
    sorted_.clear();
    for (const Record record : records) sorted_.push_back(sensitive_[i]->at(record));
    std::ranges::sort(sorted_);
    codes_[i].clear();
    counts_[i].clear();
    for (const Code code : sorted_) {
      if (codes_[i].empty() || codes_[i].back() != code) {
        codes_[i].push_back(code);
        counts_[i].push_back(0);
      }
      ++counts_[i].back();
    }
    views_.push_back({codes_[i], counts_[i]});
  }
  return test_.test({records.size(), records.size(), views_}).is_kept;
}

bool GroupTest::brings_a_value(std::span<const Record> records, Record record) const {
  return std::ranges::any_of(sensitive_, [&](const CodeColumn* column) {
    const Code code = column->at(record);
    return std::ranges::none_of(records, [&](Record other) { return column->at(other) == code; });
  });
}

void Neighbourhood::set(std::span<const Record> records, std::span<const std::uint32_t> sizes,
                        std::span<const Cell> cells) {
  records_.assign(records.begin(), records.end());
  cells_.assign(cells.begin(), cells.end());
  members_.resize(sizes.size());
  Place place = 0;
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    members_[group].resize(sizes[group]);
    std::iota(members_[group].begin(), members_[group].end(), place);
    place += sizes[group];
  }
  PGVEIL_ASSERT(place == records_.size());
  measure_all();
}

void Neighbourhood::measure_all() {
  const std::size_t width = loss_.dimensions();
  low_.resize(members_.size() * width);
  high_.resize(low_.size());
  of_group_.resize(members_.size());
  others_low_.resize(cells_.size());
  others_high_.resize(cells_.size());
  of_others_.resize(records_.size());
  group_of_.resize(records_.size());
  for (std::size_t group = 0; group < members_.size(); ++group) {
    for (const Place place : members_[group]) group_of_[place] = group;
    measure(group);
  }
}

void Neighbourhood::measure(std::size_t group) {
  const auto& members = members_[group];
  const std::size_t width = loss_.dimensions();
  Cell* const low = low_.data() + at(group);
  Cell* const high = high_.data() + at(group);
  loss_.clear(low, high);
  for (const Place place : members) loss_.add(low, high, cells(place));
  of_group_[group] = loss_.of(low, high);
  for (std::size_t d = 0; d < width; ++d) {
    if (loss_.is_set(d)) {
      measure_others_of_set(members, d, low[d]);
    } else {
      measure_others_of_range(members, d);
    }
  }
  for (const Place place : members) {
    const std::size_t begin = place * width;
    of_others_[place] = members.size() == 1
                            ? of_group_[group]
                            : loss_.of(others_low_.data() + begin, others_high_.data() + begin);
  }
}

// A value leaves the set with its only record.
void Neighbourhood::measure_others_of_set(const std::vector<Place>& members, std::size_t d, Cell set) {
  Cell seen = 0, repeated = 0;
  for (const Place place : members) {
    const Cell value = cells(place)[d];
    repeated |= seen & value;
    seen |= value;
  }
  for (const Place place : members) {
    const std::size_t i = place * loss_.dimensions() + d;
    others_low_[i] = others_high_[i] = (repeated & cells_[i]) != 0 ? set : set & ~cells_[i];
  }
}

// Without the record at an end, the range ends at the next one, which may have the same value.
void Neighbourhood::measure_others_of_range(const std::vector<Place>& members, std::size_t d) {
  Cell least = UINT64_MAX, next_least = UINT64_MAX, greatest = 0, next_greatest = 0;
  for (const Place place : members) {
    const Cell value = cells(place)[d];
    if (value < least) {
      next_least = least;
      least = value;
    } else {
      next_least = std::min(next_least, value);
    }
    if (value > greatest) {
      next_greatest = greatest;
      greatest = value;
    } else {
      next_greatest = std::max(next_greatest, value);
    }
  }
  for (const Place place : members) {
    const std::size_t i = place * loss_.dimensions() + d;
    others_low_[i] = cells_[i] == least ? next_least : least;
    others_high_[i] = cells_[i] == greatest ? next_greatest : greatest;
  }
}

Loss Neighbourhood::total() const {
  Loss sum = 0;
  for (std::size_t group = 0; group < members_.size(); ++group)
    sum += members_[group].size() * of_group_[group];
  return sum;
}

void Neighbourhood::append_to(std::vector<Record>& records, std::vector<std::uint32_t>& sizes) const {
  for (const auto& members : members_) {
    sizes.push_back(static_cast<std::uint32_t>(members.size()));
    for (const Place place : members) records.push_back(records_[place]);
  }
}

void Neighbourhood::exchange() {
  const int most = records_.size() > kManyRecords ? kMostPassesOfMany : kMostPasses;
  bool has_changed = true;
  for (int pass = 0; has_changed && pass < most; ++pass) {
    has_changed = false;
    for (Place place = 0; place < records_.size(); ++place) {
      Change best;
      find_move(place, best);
      find_exchange(place, best);
      if (best.gain >= 0) continue;
      apply(place, best);
      has_changed = true;
    }
  }
}

void Neighbourhood::find_move(Place place, Change& best) {
  const std::size_t from = group_of_[place];
  if (members_[from].size() <= test_.smallest()) return;
  const std::int64_t left =
      (size(from) - 1) * as_signed(of_others_[place]) - size(from) * as_signed(of_group_[from]);
  for (std::size_t to = 0; to < members_.size(); ++to) {
    if (to == from) continue;
    const auto joined = as_signed(loss_.with(low_.data() + at(to), high_.data() + at(to), cells(place)));
    const std::int64_t gain = left + (size(to) + 1) * joined - size(to) * as_signed(of_group_[to]);
    if (gain >= best.gain) continue;
    if (test_.tests_values()) {
      if (!keeps_without(from, place, nullptr)) return;
      tested_.clear();
      for (const Place other : members_[to]) tested_.push_back(records_[other]);
      tested_.push_back(records_[place]);
      if (!test_.is_kept(tested_)) continue;
    }
    best = {gain, to, 0, false};
  }
}

void Neighbourhood::find_exchange(Place place, Change& best) {
  const std::size_t from = group_of_[place];
  const std::int64_t saved = saving(place);
  const auto before = size(from) * as_signed(of_group_[from]);
  const auto from_others = place * loss_.dimensions();
  for (Place other = 0; other < records_.size(); ++other) {
    const std::size_t to = group_of_[other];
    if (to == from || saved + saving(other) + best.gain <= 0) continue;
    const std::int64_t here =
        size(from) * as_signed(loss_.with(others_low_.data() + from_others, others_high_.data() + from_others,
                                          cells(other))) -
        before;
    if (here - saving(other) >= best.gain) continue;
    const auto to_others = other * loss_.dimensions();
    const std::int64_t there =
        size(to) * as_signed(loss_.with(others_low_.data() + to_others, others_high_.data() + to_others,
                                        cells(place))) -
        size(to) * as_signed(of_group_[to]);
    if (here + there >= best.gain) continue;
    if (test_.tests_values() && (!keeps_without(from, place, &other) || !keeps_without(to, other, &place)))
      continue;
    best = {here + there, to, other, true};
  }
}

bool Neighbourhood::keeps_without(std::size_t group, Place left_out, const Place* instead) {
  tested_.clear();
  for (const Place place : members_[group]) {
    if (place != left_out) tested_.push_back(records_[place]);
  }
  if (instead != nullptr) tested_.push_back(records_[*instead]);
  return test_.is_kept(tested_);
}

void Neighbourhood::apply(Place place, const Change& change) {
  const std::size_t from = group_of_[place];
  auto& here = members_[from];
  auto& there = members_[change.group];
  here.erase(std::ranges::find(here, place));
  if (change.is_exchange) {
    there.erase(std::ranges::find(there, change.other));
    here.push_back(change.other);
    group_of_[change.other] = from;
  }
  there.push_back(place);
  group_of_[place] = change.group;
  measure(from);
  measure(change.group);
}

std::size_t Neighbourhood::take_farthest(std::vector<Place>& left) const {
  std::size_t farthest = 0;
  Loss most = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Loss loss = loss_.with(box_low_.data(), box_high_.data(), cells(left[i]));
    if (loss <= most) continue;
    most = loss;
    farthest = i;
  }
  return farthest;
}

bool Neighbourhood::group_anew(std::size_t first) {
  std::vector<Place> left(records_.size());
  std::iota(left.begin(), left.end(), Place{0});
  box_low_.resize(loss_.dimensions());
  box_high_.resize(loss_.dimensions());
  std::vector<std::vector<Place>> made;
  while (left.size() >= test_.smallest()) {
    const std::size_t begin = made.empty() ? first : take_farthest(left);
    std::vector<Place> group{left[begin]};
    std::vector<Record> group_records{records_[left[begin]]};
    take_out(left, begin);
    loss_.clear(box_low_.data(), box_high_.data());
    loss_.add(box_low_.data(), box_high_.data(), cells(group.front()));
    while (!left.empty() && !test_.is_kept(group_records)) {
      const bool lacks_values = group.size() >= test_.smallest();
      std::size_t cheapest = left.size();
      Loss least = UINT64_MAX;
      for (std::size_t i = 0; i < left.size(); ++i) {
        const Loss loss = loss_.with(box_low_.data(), box_high_.data(), cells(left[i]), least);
        if (loss >= least) continue;
        if (lacks_values && !test_.brings_a_value(group_records, records_[left[i]])) continue;
        least = loss;
        cheapest = i;
      }
      if (cheapest == left.size()) break;
      group.push_back(left[cheapest]);
      group_records.push_back(records_[left[cheapest]]);
      loss_.add(box_low_.data(), box_high_.data(), cells(left[cheapest]));
      take_out(left, cheapest);
    }
    if (!test_.is_kept(group_records)) {
      left.insert(left.end(), group.begin(), group.end());
      break;
    }
    made.push_back(std::move(group));
  }
  if (made.empty()) return false;
  members_ = std::move(made);
  measure_all();
  return std::ranges::all_of(left, [&](Place place) { return join_cheapest(place); });
}

bool Neighbourhood::join_cheapest(Place place) {
  std::int64_t least = INT64_MAX;
  std::size_t to = members_.size();
  for (std::size_t group = 0; group < members_.size(); ++group) {
    const auto joined =
        as_signed(loss_.with(low_.data() + at(group), high_.data() + at(group), cells(place)));
    const std::int64_t cost = (size(group) + 1) * joined - size(group) * as_signed(of_group_[group]);
    if (cost >= least) continue;
    if (test_.tests_values()) {
      tested_.clear();
      for (const Place other : members_[group]) tested_.push_back(records_[other]);
      tested_.push_back(records_[place]);
      if (!test_.is_kept(tested_)) continue;
    }
    least = cost;
    to = group;
  }
  if (to == members_.size()) return false;
  members_[to].push_back(place);
  group_of_[place] = to;
  measure(to);
  return true;
}

}  // namespace pgveil::engine
