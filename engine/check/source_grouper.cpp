#include "engine/check/source_grouper.hpp"

#include <algorithm>
#include <variant>

namespace pgveil::engine {
namespace {

constexpr std::size_t kTile = 1024;  // rows whose keys are made and grouped while they are in the L1 cache
constexpr std::uint64_t kWindow = 1 << 14;  // slots that stay in a near cache
constexpr std::uint64_t kMaxWindows = 512;

}  // namespace

// How a row's key is made at the levels of the tables.
struct SourceGrouper::Keys {
  Keys(const DistinctRows& distinct, const CodeTables& code_tables)
      : Keys(distinct, code_tables, distinct.blocks.size()) {}
  // Uses only the first blocks.
  Keys(const DistinctRows& distinct, const CodeTables& code_tables, std::size_t of_blocks)
      : rows(distinct), tables(code_tables), block_count(of_blocks) {
    for (std::size_t b = 0; b < block_count && !is_wide; ++b) {
      is_wide = __builtin_mul_overflow(domain, tables.table(b).radix, &domain);
      if (tables.table(b).radix > 1) active[active_count++] = b;
    }
  }

  // The number of codes of the first block that share a value of the lead.
  [[nodiscard]] std::uint64_t codes_per_value() const {
    return tables.table(0).radix / tables.table(0).first_radix;
  }

  [[nodiscard]] std::uint64_t value_of_lead(const Classes& source, std::size_t at) const {
    const auto& digits = tables.table(0).codes;
    return std::visit([&](const auto& codes) { return digits[codes.front()[source.rows[at]]]; }, rows.codes) /
           codes_per_value();
  }

  // The first class from `begin` on whose value of the lead is at least `value`. These values ascend.
  [[nodiscard]] std::size_t first_at_least(const Classes& source, std::size_t begin,
                                           std::uint64_t value) const {
    const auto& digits = tables.table(0).codes;
    const std::uint64_t code = value * codes_per_value();
    return std::visit(
        [&](const auto& codes) {
          const auto first = source.rows.begin() + static_cast<std::ptrdiff_t>(begin);
          const auto found = std::partition_point(
              first, source.rows.end(), [&](std::uint32_t row) { return digits[codes.front()[row]] < code; });
          return static_cast<std::size_t>(found - source.rows.begin());
        },
        rows.codes);
  }

  // Takes up to three digits at a time, so that a row's key is loaded and stored once for all of them.
  template <class Key>
  void make(std::span<Key> keys, std::span<const std::uint32_t> of_rows) const {
    std::ranges::fill(keys, Key{0});
    std::visit(
        [&](const auto& codes) {
          std::size_t done = 0;
          for (; active_count - done >= 3; done += 3)
            append<3>(keys, of_rows, codes, {active[done], active[done + 1], active[done + 2]});
          if (active_count - done == 2) append<2>(keys, of_rows, codes, {active[done], active[done + 1]});
          if (active_count - done == 1) append<1>(keys, of_rows, codes, {active[done]});
        },
        rows.codes);
  }

  template <std::size_t kDigits, class Key, class Code>
  void append(std::span<Key> keys, std::span<const std::uint32_t> of_rows, const BlockCodes<Code>& codes,
              const std::array<std::size_t, kDigits>& blocks) const {
    std::array<const Code*, kDigits> code;
    std::array<const std::uint32_t*, kDigits> digit;
    std::array<Key, kDigits> radix;
    for (std::size_t n = 0; n < kDigits; ++n) {
      code[n] = codes[blocks[n]].data();
      digit[n] = tables.table(blocks[n]).codes.data();
      radix[n] = static_cast<Key>(tables.table(blocks[n]).radix);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint32_t row = of_rows[i];
      Key key = keys[i];
#pragma GCC unroll 3
      for (std::size_t n = 0; n < kDigits; ++n)
        key = static_cast<Key>(key * radix[n] + digit[n][code[n][row]]);
      keys[i] = key;
    }
  }

  const DistinctRows& rows;
  const CodeTables& tables;
  std::size_t block_count;
  std::uint64_t domain = 1;
  bool is_wide = false;                            // the domain does not fit in 64 bits
  std::array<std::size_t, kMaxAttributes> active;  // blocks with several codes, unless the key is wide
  std::size_t active_count = 0;
};

// Classes [begin, end) of a source, grouped by one lane.
struct SourceGrouper::Part {
  void group() {
    if (keys.is_wide) return group_wide();
    if (keys.domain <= std::uint64_t{1} << 32) return group_windows<std::uint32_t>();
    group_windows<std::uint64_t>();
  }

  // Groups everything at once if the keys are few or must be hashed. Otherwise it works window by window: a
  // window covers as many values of the lead as allow its keys to be places in a table of counts.
  template <class Key>
  void group_windows() {
    auto& grouper = lane.grouper;
    const std::uint64_t domain = keys.domain;
    const std::uint64_t keys_per_value = domain / keys.tables.table(0).first_radix;
    if (domain <= grouper.slots() || keys_per_value > grouper.slots()) {
      grouper.begin(domain, static_cast<std::size_t>(std::min<std::uint64_t>(domain, end - begin)));
      return group_rows<Key>(begin, end, 0);
    }
    const std::uint64_t window =
        std::min<std::uint64_t>(grouper.slots(), std::max(kWindow, domain / kMaxWindows));
    const std::uint64_t values = std::max<std::uint64_t>(1, window / keys_per_value);
    grouper.begin(values * keys_per_value, end - begin);
    std::size_t from = begin;
    for (auto value = keys.value_of_lead(source, begin) + values; from < end; value += values) {
      const std::size_t to = std::min(end, keys.first_at_least(source, from, value));
      group_rows<Key>(from, to, (value - values) * keys_per_value);
      grouper.next_window();
      from = to;
    }
  }

  // Subtracts `least` from each key.
  template <class Key>
  void group_rows(std::size_t from, std::size_t to, std::uint64_t least) {
    std::array<Key, kTile> made;
    for (; from < to; from += kTile) {
      const std::size_t count = std::min(kTile, to - from);
      const auto tile = std::span(made).first(count);
      const auto rows = std::span(source.rows).subspan(from, count);
      keys.make(tile, rows);
      if (least > 0) {
        for (auto& key : tile) key = static_cast<Key>(key - least);
      }
      lane.grouper.add(tile, rows, std::span(source.counts).subspan(from, count));
    }
  }

  void group_wide() {
    const std::uint64_t domain = make_wide_keys();
    const auto rows = std::span(source.rows).subspan(begin, end - begin);
    lane.grouper.begin(domain, rows.size());
    lane.grouper.add(lane.wide_keys, rows, std::span(source.counts).subspan(begin, rows.size()));
  }

  // For keys that do not fit in 64 bits: the keys so far are numbered before the next digit is appended.
  // Returns their domain.
  [[nodiscard]] std::uint64_t make_wide_keys() {
    auto& wide_keys = lane.wide_keys;
    const auto rows = std::span(source.rows).subspan(begin, end - begin);
    wide_keys.assign(rows.size(), 0);
    std::uint64_t domain = 1;
    for (std::size_t b = 0; b < keys.block_count; ++b) {
      const std::uint64_t radix = keys.tables.table(b).radix;
      if (domain > UINT64_MAX / radix) domain = lane.grouper.number(wide_keys);
      std::visit(
          [&](const auto& codes) {
            keys.append<1, std::uint64_t>(std::span(wide_keys), rows, codes, std::array<std::size_t, 1>{b});
          },
          keys.rows.codes);
      domain *= radix;
    }
    return domain;
  }

  [[nodiscard]] std::size_t number(std::uint32_t* numbers) {
    if (keys.is_wide) {
      const std::uint64_t domain = make_wide_keys();
      lane.grouper.begin(domain, end - begin);
      lane.grouper.number(lane.wide_keys, numbers);
      return lane.grouper.end_numbers();
    }
    lane.grouper.begin(keys.domain,
                       static_cast<std::size_t>(std::min<std::uint64_t>(keys.domain, end - begin)));
    std::array<std::uint64_t, kTile> made;
    for (std::size_t from = begin; from < end; from += kTile) {
      const auto tile = std::span(made).first(std::min(kTile, end - from));
      keys.make(tile, std::span(source.rows).subspan(from, tile.size()));
      lane.grouper.number(tile, numbers + (from - begin));
    }
    return lane.grouper.end_numbers();
  }

  const Keys& keys;
  const Classes& source;
  std::size_t begin;
  std::size_t end;
  Lane& lane;
};

namespace {

std::vector<std::size_t> equal_bounds(std::size_t size, std::size_t parts) {
  std::vector<std::size_t> bounds;
  for (std::size_t part = 0; part <= parts; ++part) bounds.push_back(size * part / parts);
  return bounds;
}

std::size_t largest_part(std::span<const std::size_t> bounds) {
  std::size_t largest = 0;
  for (std::size_t i = 1; i < bounds.size(); ++i) largest = std::max(largest, bounds[i] - bounds[i - 1]);
  return largest;
}

// Moves the bounds to where a value of the lead begins, so that no class is in two parts. There may be fewer
// bounds afterwards.
template <class Keys>
std::vector<std::size_t> bounds_between_values(const Keys& keys, const Classes& source, std::size_t parts) {
  std::vector<std::size_t> bounds{0};
  for (const auto wanted : equal_bounds(source.size(), parts)) {
    if (wanted <= bounds.back() || wanted == source.size()) continue;
    const auto value = keys.value_of_lead(source, wanted);
    const auto before = keys.first_at_least(source, bounds.back(), value);
    const auto after = keys.first_at_least(source, wanted, value + 1);
    const auto nearest = wanted - before <= after - wanted ? before : after;
    if (nearest > bounds.back() && nearest < source.size()) bounds.push_back(nearest);
  }
  bounds.push_back(source.size());
  return bounds;
}

}  // namespace

SourceGrouper::SourceGrouper(const DistinctRows& rows, const Parallel& parallel)
    : rows_(rows), parallel_(parallel) {
  lanes_.push_back({Grouper(rows.size()), {}});
}

void SourceGrouper::group(const CodeTables& tables, const Classes& source, Classes& into) {
  const Keys keys(rows_, tables);
  const std::size_t parts = parallel_.parts_of(source.size());
  if (parts > 1) {
    const auto bounds = bounds_between_values(keys, source, parts);
    const auto largest = largest_part(bounds);
    // The keys are so few that merging the parts costs less than they save.
    const bool can_merge = !keys.is_wide && keys.domain <= source.size() / (2 * parts);
    if (largest <= source.size() / parts * 3 / 2 || (!can_merge && largest <= source.size() / 4 * 3))
      return group_apart(keys, source, bounds, into);
    if (can_merge) return group_and_merge(keys, source, parts, into);
  }
  Part{keys, source, 0, source.size(), lanes_.front()}.group();
  lanes_.front().grouper.finish(into);
}

std::size_t SourceGrouper::number_by_quasi_identifiers(const CodeTables& tables, const Classes& source,
                                                       std::vector<std::uint32_t>& numbers) {
  numbers.resize(source.size());
  const Keys keys(rows_, tables, rows_.quasi_blocks);
  return Part{keys, source, 0, source.size(), lanes_.front()}.number(numbers.data());
}

// No class is in two parts. So the classes of the parts, one part after the other, are those of the source in
// the same order.
void SourceGrouper::group_apart(const Keys& keys, const Classes& source, std::span<const std::size_t> bounds,
                                Classes& into) {
  group_parts(keys, source, bounds);
  concatenate(bounds.size() - 1, into);
}

// The classes of the parts are a source themselves, in the order of the rows. When they are grouped once
// more, each class has the place and the row that it would have had in a single pass.
void SourceGrouper::group_and_merge(const Keys& keys, const Classes& source, std::size_t parts,
                                    Classes& into) {
  group_parts(keys, source, equal_bounds(source.size(), parts));
  concatenate(parts, merged_);
  Part{keys, merged_, 0, merged_.size(), lanes_.front()}.group();
  lanes_.front().grouper.finish(into);
}

void SourceGrouper::group_parts(const Keys& keys, const Classes& source,
                                std::span<const std::size_t> bounds) {
  const std::size_t parts = bounds.size() - 1;
  while (lanes_.size() < parts) lanes_.push_back({Grouper(0), {}});
  starts_.assign(parts + 1, 0);
  parallel_.run(parts, [&](std::size_t part) {
    auto& lane = lanes_[part];
    const std::size_t size = bounds[part + 1] - bounds[part];
    if (lane.grouper.capacity() < size)
      lane.grouper = Grouper(std::max(size, rows_.size() / parallel_.threads * 3 / 2));
    Part{keys, source, bounds[part], bounds[part + 1], lane}.group();
    starts_[part + 1] = lane.grouper.finish();
  });
  for (std::size_t part = 0; part < parts; ++part) starts_[part + 1] += starts_[part];
}

void SourceGrouper::concatenate(std::size_t parts, Classes& into) {
  into.rows.resize(starts_.back());
  into.counts.resize(starts_.back());
  parallel_.run(parts, [&](std::size_t part) {
    lanes_[part].grouper.write(into.rows.data() + starts_[part], into.counts.data() + starts_[part]);
  });
}

std::size_t SourceGrouper::bytes() const {
  std::size_t sum = merged_.bytes();
  for (const auto& lane : lanes_)
    sum += lane.grouper.bytes() + lane.wide_keys.capacity() * sizeof(std::uint64_t);
  return sum;
}

}  // namespace pgveil::engine
