#include "engine/check/checker.hpp"

#include <algorithm>
#include <optional>

#include "engine/check/code_tables.hpp"
#include "engine/check/summary.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kTile =
    1024;  // rows whose keys are made and grouped while they are in the nearest cache
constexpr std::uint64_t kWindow = 1 << 14;  // places that stay in a near cache
constexpr std::uint64_t kMaxWindows = 512;

}  // namespace

struct Checker::Worker {
  Worker(const PreparedTable& prepared, const CheckerOptions& given)
      : table(prepared),
        options(given),
        history(given.history, prepared.rows),
        tables(prepared.distinct, prepared.attributes),
        grouper(prepared.distinct.size()) {}

  Summary check(const Transformation& target) {
    const Desk desk{last_levels ? std::optional(last_levels->transformation) : std::nullopt, last_levels,
                    history.infos()};
    const Plan plan = make_plan(target, desk, options.optimizations, table.attributes.size());
    tables.set_levels(target, plan.to_transform);
    const Classes& source = source_of(plan);
    source_classes = source.size();
    ++counts.checks;
    counts.cells_transformed += plan.to_transform.count() * source_classes;
    counts.rows_grouped += source_classes;
    group(source);
    last_levels = Available{target, last.size()};
    return summarize(target);
  }

  const Classes& source_of(const Plan& plan) {
    switch (plan.source) {
      case Source::rows: break;
      case Source::roll_up: ++counts.roll_ups; return last;
      case Source::snapshot: ++counts.snapshot_hits; return history.use(plan.snapshot);
    }
    return table.distinct.classes;
  }

  // Into `last`, which may be the source.
  void group(const Classes& source) {
    std::uint64_t domain = 1;
    active_count = 0;
    for (std::size_t b = 0; b < table.distinct.blocks.size(); ++b) {
      if (__builtin_mul_overflow(domain, tables.table(b).radix, &domain)) return group_wide(source);
      if (tables.table(b).radix > 1) active[active_count++] = b;
    }
    if (domain <= std::uint64_t{1} << 32) {
      group_windows<std::uint32_t>(source, domain);
    } else {
      group_windows<std::uint64_t>(source, domain);
    }
    grouper.finish(last);
  }

  // All at once if the keys are few or must be hashed. Else window by window: a window has so many values of the lead
  // that its keys are places in a table of counts.
  template <class Key>
  void group_windows(const Classes& source, std::uint64_t domain) {
    const auto& lead = tables.table(0);
    const std::uint64_t keys_per_value = domain / lead.first_radix;
    if (domain <= grouper.slots() || keys_per_value > grouper.slots()) {
      grouper.begin(domain, static_cast<std::size_t>(std::min<std::uint64_t>(domain, source.size())));
      return group_rows<Key>(source, 0, source.size(), 0);
    }
    const std::uint64_t window =
        std::min<std::uint64_t>(grouper.slots(), std::max(kWindow, domain / kMaxWindows));
    const std::uint64_t values = std::max<std::uint64_t>(1, window / keys_per_value);
    grouper.begin(values * keys_per_value, source.size());
    std::size_t begin = 0;
    for (std::uint64_t value = values; begin < source.size(); value += values) {
      const std::size_t end = first_at_least(source, begin, value * (lead.radix / lead.first_radix));
      group_rows<Key>(source, begin, end, (value - values) * keys_per_value);
      grouper.next_window();
      begin = end;
    }
  }

  // The first class from `begin` on with a code of the first block of at least `code`, the lead's digit being ascending.
  [[nodiscard]] std::size_t first_at_least(const Classes& source, std::size_t begin,
                                           std::uint64_t code) const {
    const auto& digits = tables.table(0).codes;
    return std::visit(
        [&](const auto& codes) {
          const auto first = source.rows.begin() + static_cast<std::ptrdiff_t>(begin);
          const auto found = std::partition_point(
              first, source.rows.end(), [&](std::uint32_t row) { return digits[codes.front()[row]] < code; });
          return static_cast<std::size_t>(found - source.rows.begin());
        },
        table.distinct.codes);
  }

  // Classes [begin, end) of the source, from each key `least` taken off.
  template <class Key>
  void group_rows(const Classes& source, std::size_t begin, std::size_t end, std::uint64_t least) {
    std::array<Key, kTile> keys;
    for (; begin < end; begin += kTile) {
      const std::size_t count = std::min(kTile, end - begin);
      const auto tile = std::span(keys).first(count);
      const auto rows = std::span(source.rows).subspan(begin, count);
      make_keys(tile, rows);
      if (least > 0) {
        for (auto& key : tile) key = static_cast<Key>(key - least);
      }
      grouper.add(tile, rows, std::span(source.counts).subspan(begin, count));
    }
  }

  // Keys that don't fit 64 bits: what is there is numbered before the next digit comes.
  void group_wide(const Classes& source) {
    wide_keys.assign(source.size(), 0);
    std::uint64_t domain = 1;
    for (std::size_t b = 0; b < table.distinct.blocks.size(); ++b) {
      const std::uint64_t radix = tables.table(b).radix;
      if (domain > UINT64_MAX / radix) domain = grouper.number(wide_keys);
      std::visit([&](const auto& codes) { append<1, std::uint64_t>(wide_keys, source.rows, codes, {b}); },
                 table.distinct.codes);
      domain *= radix;
    }
    grouper.begin(domain, source.size());
    grouper.add(wide_keys, source.rows, source.counts);
    grouper.finish(last);
  }

  // Up to three digits at a time: a row's key is then loaded and stored once for them.
  template <class Key>
  void make_keys(std::span<Key> keys, std::span<const std::uint32_t> rows) const {
    std::ranges::fill(keys, Key{0});
    std::visit(
        [&](const auto& codes) {
          std::size_t done = 0;
          for (; active_count - done >= 3; done += 3)
            append<3>(keys, rows, codes, {active[done], active[done + 1], active[done + 2]});
          if (active_count - done == 2) append<2>(keys, rows, codes, {active[done], active[done + 1]});
          if (active_count - done == 1) append<1>(keys, rows, codes, {active[done]});
        },
        table.distinct.codes);
  }

  template <std::size_t kDigits, class Key, class Code>
  void append(std::span<Key> keys, std::span<const std::uint32_t> rows, const BlockCodes<Code>& codes,
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
      const std::uint32_t row = rows[i];
      Key key = keys[i];
#pragma GCC unroll 3
      for (std::size_t n = 0; n < kDigits; ++n)
        key = static_cast<Key>(key * radix[n] + digit[n][code[n][row]]);
      keys[i] = key;
    }
  }

  void keep_snapshot(const std::function<bool(const Transformation&)>& is_useless) {
    if (options.optimizations.history == Switch::off || !last_levels) return;
    if (!history.wants(last.size(), source_classes)) return;
    history.store(last_levels->transformation, last, is_useless);
  }

  [[nodiscard]] CheckCounts counts_now() const {
    CheckCounts made = counts;
    made.snapshots_stored = history.stored();
    made.bytes = history.peak_bytes() + last.bytes() + tables.bytes() + grouper.bytes() +
                 wide_keys.capacity() * sizeof(std::uint64_t);
    return made;
  }

  [[nodiscard]] Summary summarize(const Transformation& target) {
    Summary sums = count_classes(last, options.anonymity);
    if (!sums.is_anonymous || sums.suppressed_rows == 0) return sums;
    for (std::size_t j = 0; j < table.attributes.size(); ++j) {
      const unsigned level = target.level(j);
      if (level > table.attributes[j].height()) continue;
      switch (options.sums) {
        case SuppressedSums::none: break;
        case SuppressedSums::domain_rows:
          sums.suppressed_domain_rows[j] = suppressed_domain_rows(j, level);
          break;
        case SuppressedSums::entropy: sums.entropy[j] = entropy(j, level, sums.suppressed_rows); break;
      }
    }
    return sums;
  }

  // Calls work(generalized code, records) for each suppressed class.
  template <class Work>
  void for_each_suppressed_code(std::size_t attribute, unsigned level, Work&& work) const {
    const auto [block, index] = table.distinct.places[attribute];
    const Code* raw = table.distinct.blocks[block].raw[index].data();
    const Code* generalized = table.attributes[attribute].code_at[level].data();
    std::visit(
        [&, block = block](const auto& codes) {
          for_each_suppressed(last, options.anonymity.k, [&](std::uint32_t row, std::uint64_t count) {
            work(generalized[raw[codes[block][row]]], count);
          });
        },
        table.distinct.codes);
  }

  [[nodiscard]] std::uint64_t suppressed_domain_rows(std::size_t attribute, unsigned level) const {
    const auto& rows = table.attributes[attribute].hierarchy_rows[level];
    std::uint64_t sum = 0;
    for_each_suppressed_code(attribute, level,
                             [&](Code code, std::uint64_t count) { sum += count * rows[code]; });
    return sum;
  }

  [[nodiscard]] double entropy(std::size_t attribute, unsigned level, std::uint64_t total) {
    histogram.assign(table.attributes[attribute].distinct(level), 0);
    for_each_suppressed_code(attribute, level,
                             [&](Code code, std::uint64_t count) { histogram[code] += count; });
    return add_entropy(options.entropy.from[attribute][level], options.entropy.factor, histogram, total);
  }

  const PreparedTable& table;
  CheckerOptions options;
  History history;
  CodeTables tables;
  Grouper grouper;
  std::array<std::size_t, kMaxAttributes> active;  // blocks whose codes are not all equal
  std::size_t active_count = 0;
  std::optional<Available> last_levels;
  Classes last;
  std::vector<std::uint64_t> wide_keys;
  std::vector<std::uint64_t> histogram;
  std::uint64_t source_classes = 0;
  CheckCounts counts;
};

Checker::Checker(const PreparedTable& table, const CheckerOptions& options)
    : worker_(std::make_unique<Worker>(table, options)) {}

Checker::~Checker() = default;
Checker::Checker(Checker&&) noexcept = default;
Checker& Checker::operator=(Checker&&) noexcept = default;

Summary Checker::check(const Transformation& transformation) {
  return worker_->check(transformation);
}

void Checker::keep_snapshot(const std::function<bool(const Transformation&)>& is_useless) {
  worker_->keep_snapshot(is_useless);
}

CheckCounts Checker::counts() const {
  return worker_->counts_now();
}

}  // namespace pgveil::engine
