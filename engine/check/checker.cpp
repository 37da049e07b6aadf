#include "engine/check/checker.hpp"

#include <algorithm>
#include <optional>

#include "engine/check/code_tables.hpp"
#include "engine/check/source_grouper.hpp"
#include "engine/check/summary.hpp"

namespace pgveil::engine {
struct Checker::Worker {
  Worker(const PreparedTable& prepared, const CheckerOptions& given)
      : table(prepared),
        options(given),
        history(given.history, prepared.rows),
        tables(prepared.distinct, prepared.attributes),
        grouper(prepared.distinct, given.parallel),
        histograms(prepared.attributes.size()) {}

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
    grouper.group(tables, source, last);
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

  void keep_snapshot(const std::function<bool(const Transformation&)>& is_useless) {
    if (options.optimizations.history == Switch::off || !last_levels) return;
    if (!history.wants(last.size(), source_classes)) return;
    history.store(last_levels->transformation, last, is_useless);
  }

  [[nodiscard]] CheckCounts counts_now() const {
    CheckCounts made = counts;
    made.snapshots_stored = history.stored();
    made.bytes = history.peak_bytes() + last.bytes() + tables.bytes() + grouper.bytes();
    return made;
  }

  [[nodiscard]] Summary summarize(const Transformation& target) {
    Summary sums = count_classes(last, options.anonymity);
    if (!sums.is_anonymous || sums.suppressed_rows == 0) return sums;
    if (options.sums == SuppressedSums::none) return sums;
    const std::size_t attributes = table.attributes.size();
    const std::size_t parts = std::min(attributes, options.parallel.parts_of(last.size()));
    if (parts == 1) {
      for (std::size_t j = 0; j < attributes; ++j) sum_suppressed(target, j, sums);
    } else {
      options.parallel.run(attributes, [&](std::size_t j) { sum_suppressed(target, j, sums); });
    }
    return sums;
  }

  // Of one attribute; attributes are independent of one another.
  void sum_suppressed(const Transformation& target, std::size_t j, Summary& sums) {
    const unsigned level = target.level(j);
    if (level > table.attributes[j].height()) return;
    switch (options.sums) {
      case SuppressedSums::none: break;
      case SuppressedSums::domain_rows:
        sums.suppressed_domain_rows[j] = suppressed_domain_rows(j, level);
        break;
      case SuppressedSums::entropy: sums.entropy[j] = entropy(j, level, sums.suppressed_rows); break;
    }
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
    auto& histogram = histograms[attribute];
    histogram.assign(table.attributes[attribute].distinct(level), 0);
    for_each_suppressed_code(attribute, level,
                             [&](Code code, std::uint64_t count) { histogram[code] += count; });
    return add_entropy(options.entropy.from[attribute][level], options.entropy.factor, histogram, total);
  }

  const PreparedTable& table;
  CheckerOptions options;
  History history;
  CodeTables tables;
  SourceGrouper grouper;
  std::optional<Available> last_levels;
  Classes last;
  std::vector<std::vector<std::uint64_t>> histograms;  // [attribute], while its entropy is summed up
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
