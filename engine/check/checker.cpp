#include "engine/check/checker.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "engine/check/class_counter.hpp"
#include "engine/check/code_tables.hpp"
#include "engine/check/combinations.hpp"
#include "engine/check/source_grouper.hpp"
#include "engine/check/summary.hpp"

namespace pgveil::engine {
struct Checker::Checked {
  Transformation target;
  Plan plan;
  Summary summary;
  std::uint64_t source_classes = 0;
  bool is_wanted = false;  // the history wants it
  Classes classes;         // set if wanted
};

// Tables, grouper and classes for one check at a time. A lane may divide its check among the threads, except
// in a round, whose checks are divided among them.
struct Checker::Lane {
  Lane(const PreparedTable& prepared, const CheckerOptions& given, const Parallel& parallel)
      : table(prepared),
        options(given),
        tables(prepared.distinct, prepared.attributes, prepared.others),
        grouper(prepared.distinct, parallel),
        histograms(prepared.attributes.size()) {
    if (!is_plain(options.anonymity) || !prepared.others.empty())
      counter.emplace(prepared, options.anonymity, given.sums == SuppressedSums::divergence);
  }

  Summary check(const Transformation& target, const Plan& plan, const Classes& source,
                const Parallel& parallel) {
    tables.set_levels(target, plan.to_transform);
    grouper.group(tables, source, last);
    last_levels = Available{target, last.size()};
    return summarize(target, parallel);
  }

  [[nodiscard]] Summary summarize(const Transformation& target, const Parallel& parallel) {
    Summary sums =
        counter ? counter->count(last, tables, grouper, target) : count_classes(last, options.anonymity);
    if (options.sums == SuppressedSums::divergence) sum_logs(sums);
    if (options.sums == SuppressedSums::combinations) sum_combinations(target, sums);
    if (!sums.is_anonymous || sums.suppressed_rows == 0) return sums;
    if (options.sums == SuppressedSums::none || options.sums == SuppressedSums::combinations) return sums;
    const std::size_t attributes = table.attributes.size();
    const std::size_t parts = std::min(attributes, parallel.parts_of(last.size()));
    if (parts == 1) {
      for (std::size_t j = 0; j < attributes; ++j) sum_suppressed(target, j, sums);
    } else {
      parallel.run(attributes, [&](std::size_t j) { sum_suppressed(target, j, sums); });
    }
    return sums;
  }

  // Sums by size, so that the sums do not depend on the order of the classes.
  void sum_logs(Summary& sums) const {
    SizeHistogram all, suppressed;
    if (counter) {
      all = counter->sizes();
      for (const auto count : counter->suppressed().counts) ++suppressed[count];
    } else {
      for (const auto count : last.counts) {
        ++all[count];
        if (count < options.anonymity.k) ++suppressed[count];
      }
    }
    sums.class_logs = sum_of_logs(all);
    sums.suppressed_logs = sum_of_logs(suppressed);
  }

  // Sums exactly, or in the order of the terms, so that the sums do not depend on the order of the classes.
  void sum_combinations(const Transformation& target, Summary& sums) const {
    Combinations made(table, target);
    for (std::size_t i = 0; i < last.size(); ++i) made.add(last.rows[i], last.counts[i]);
    const auto suppress = [&](std::uint32_t row, std::uint64_t records) { made.suppress(row, records); };
    if (counter) {
      for_each_suppressed(counter->suppressed(), UINT64_MAX, suppress);
    } else {
      for_each_suppressed(last, options.anonymity.k, suppress);
    }
    sums.combinations = made.of_classes();
    sums.shown_combinations = made.shown();
  }

  // Works on one attribute; attributes are independent of one another.
  void sum_suppressed(const Transformation& target, std::size_t j, Summary& sums) {
    const unsigned level = target.level(j);
    if (level > table.attributes[j].height()) return;
    switch (options.sums) {
      case SuppressedSums::none:
      case SuppressedSums::combinations: break;
      case SuppressedSums::domain_rows:
        sums.suppressed_domain_rows[j] = suppressed_domain_rows(j, level);
        break;
      case SuppressedSums::entropy: sums.entropy[j] = entropy(j, level, sums.suppressed_rows); break;
      case SuppressedSums::divergence: sums.entropy[j] = log_rows(j, level); break;
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
          const auto suppressed = [&](std::uint32_t row, std::uint64_t count) {
            work(generalized[raw[codes[block][row]]], count);
          };
          if (counter) {
            for_each_suppressed(counter->suppressed(), UINT64_MAX, suppressed);
          } else {
            for_each_suppressed(last, options.anonymity.k, suppressed);
          }
        },
        table.distinct.codes);
  }

  [[nodiscard]] std::uint64_t suppressed_domain_rows(std::size_t attribute, unsigned level) const {
    const auto& rows = table.attributes[attribute].spans[level];
    std::uint64_t sum = 0;
    for_each_suppressed_code(attribute, level,
                             [&](Code code, std::uint64_t count) { sum += count * rows[code]; });
    return sum;
  }

  [[nodiscard]] double log_rows(std::size_t attribute, unsigned level) {
    auto& histogram = histograms[attribute];
    histogram.assign(table.attributes[attribute].distinct(level), 0);
    for_each_suppressed_code(attribute, level,
                             [&](Code code, std::uint64_t count) { histogram[code] += count; });
    double sum = 0;
    for (std::size_t code = 0; code < histogram.size(); ++code) {
      const auto rows = static_cast<double>(table.attributes[attribute].hierarchy_rows[level][code]);
      sum += static_cast<double>(histogram[code]) * std::log2(rows);
    }
    return sum;
  }

  [[nodiscard]] double entropy(std::size_t attribute, unsigned level, std::uint64_t total) {
    auto& histogram = histograms[attribute];
    histogram.assign(table.attributes[attribute].distinct(level), 0);
    for_each_suppressed_code(attribute, level,
                             [&](Code code, std::uint64_t count) { histogram[code] += count; });
    return add_entropy(options.entropy.from[attribute][level], options.entropy.factor, histogram, total);
  }

  [[nodiscard]] std::size_t bytes() const {
    return last.bytes() + tables.bytes() + grouper.bytes() + (counter ? counter->bytes() : 0);
  }

  const PreparedTable& table;
  const CheckerOptions& options;
  CodeTables tables;
  SourceGrouper grouper;
  std::optional<Available> last_levels;  // the state of tables and classes
  Classes last;                          // with sensitive columns, also of equal sensitive values
  std::optional<ClassCounter> counter;   // set if there is more to test than the size of a class
  std::vector<std::vector<std::uint64_t>> histograms;  // [attribute], while its entropy is computed
};

struct Checker::Worker {
  Worker(const PreparedTable& prepared, const CheckerOptions& given)
      : table(prepared), options(given), history(given.history, prepared.rows) {}

  Summary check(const Transformation& target) {
    if (!divided) divided = std::make_unique<Lane>(table, options, options.parallel);
    Lane& lane = *divided;
    const KnownTables known{levels_of(lane), lane.last_levels, history.infos()};
    const Plan plan = make_plan(target, known, options.optimizations, table.attributes.size());
    const Classes& source = source_of(plan);
    source_classes = source.size();
    count(plan, source_classes);
    return lane.check(target, plan, source, options.parallel);
  }

  const Classes& source_of(const Plan& plan) {
    switch (plan.source) {
      case Source::rows: break;
      case Source::roll_up: return divided->last;
      case Source::snapshot: history.touch(plan.snapshot); return history.classes(plan.snapshot);
    }
    return table.distinct.classes;
  }

  void count(const Plan& plan, std::uint64_t source_size) {
    ++counts.checks;
    counts.roll_ups += plan.source == Source::roll_up ? 1 : 0;
    counts.snapshot_hits += plan.source == Source::snapshot ? 1 : 0;
    counts.cells_transformed += plan.to_transform.count() * source_size;
    counts.rows_grouped += source_size;
  }

  static std::optional<Transformation> levels_of(const Lane& lane) {
    return lane.last_levels ? std::optional(lane.last_levels->transformation) : std::nullopt;
  }

  // All checks start from the history as it is before the round, so it does not matter which thread does
  // which one, and when.
  void check_round(std::span<const Transformation> targets) {
    if (round.size() < targets.size()) round.resize(targets.size());
    free_lanes.clear();
    for (const auto& lane : lanes) free_lanes.push_back(lane.get());
    const auto work = [&](std::size_t i) {
      Lane& lane = take_lane();
      check_apart(lane, targets[i], round[i]);
      give_back(lane);
    };
    if (targets.size() == 1 || options.parallel.threads <= 1) {
      for (std::size_t i = 0; i < targets.size(); ++i) work(i);
    } else {
      options.parallel.run(targets.size(), work);
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (round[i].plan.source == Source::snapshot) history.touch(round[i].plan.snapshot);
      count(round[i].plan, round[i].source_classes);
    }
  }

  void check_apart(Lane& lane, const Transformation& target, Checked& made) const {
    made.plan = make_plan(target, {levels_of(lane), std::nullopt, history.infos()}, options.optimizations,
                          table.attributes.size());
    const Classes& source =
        made.plan.source == Source::snapshot ? history.classes(made.plan.snapshot) : table.distinct.classes;
    made.source_classes = source.size();
    made.target = target;
    made.summary = lane.check(target, made.plan, source, Parallel{});
    made.is_wanted =
        options.optimizations.history == Switch::on && history.wants(lane.last.size(), made.source_classes);
    if (made.is_wanted) made.classes = lane.last;
  }

  Lane& take_lane() {
    const std::lock_guard lock(mutex);
    if (free_lanes.empty()) {
      lanes.push_back(std::make_unique<Lane>(table, options, Parallel{}));
      return *lanes.back();
    }
    Lane& lane = *free_lanes.back();
    free_lanes.pop_back();
    return lane;
  }
  void give_back(Lane& lane) {
    const std::lock_guard lock(mutex);
    free_lanes.push_back(&lane);
  }

  void keep_snapshot(const std::function<bool(const Transformation&)>& is_useless) {
    if (options.optimizations.history == Switch::off || !divided || !divided->last_levels) return;
    if (!history.wants(divided->last.size(), source_classes)) return;
    history.store(divided->last_levels->transformation, divided->last, is_useless);
  }

  void keep_snapshot_of(std::size_t i, const std::function<bool(const Transformation&)>& is_useless) {
    if (round[i].is_wanted) history.store(round[i].target, round[i].classes, is_useless);
  }

  [[nodiscard]] CheckCounts counts_now() const {
    CheckCounts made = counts;
    made.snapshots_stored = history.stored();
    made.bytes = history.peak_bytes();
    if (divided) made.bytes += divided->bytes();
    for (const auto& lane : lanes) made.bytes += lane->bytes();
    for (const auto& checked : round) made.bytes += checked.classes.bytes();
    return made;
  }

  const PreparedTable& table;
  CheckerOptions options;
  History history;
  std::unique_ptr<Lane> divided;             // for single checks; made when first needed
  std::vector<std::unique_ptr<Lane>> lanes;  // for rounds
  std::vector<Checked> round;                // results of the last round
  std::vector<Lane*> free_lanes;             // as many are made as run at the same time
  std::mutex mutex;                          // guards lanes during a round
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

void Checker::forget_snapshots() {
  worker_->history.clear();
}

void Checker::check_round(std::span<const Transformation> transformations) {
  worker_->check_round(transformations);
}

const Summary& Checker::summary_of(std::size_t index) const {
  return worker_->round[index].summary;
}

void Checker::keep_snapshot_of(std::size_t index,
                               const std::function<bool(const Transformation&)>& is_useless) {
  worker_->keep_snapshot_of(index, is_useless);
}

CheckCounts Checker::counts() const {
  return worker_->counts_now();
}

}  // namespace pgveil::engine
