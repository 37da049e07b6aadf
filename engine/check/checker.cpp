#include "engine/check/checker.hpp"

#include <optional>

#include "engine/check/summary.hpp"

namespace pgveil::engine {
namespace {

// The work for one width of packed rows.
template <class Key>
class PackedWork {
 public:
  PackedWork(const PreparedTable& table, const Classes<Key>& base, const CheckerOptions& options)
      : table_(table), base_(base), options_(options), history_(options.history, table.rows) {
    reserve(last_);
    reserve(next_);
    buffer_.resize(base.size());
    slots_.prepare(base.size());
  }

  Summary check(const Transformation& target) {
    const Desk desk{buffer_levels_, last_levels_, history_.infos()};
    const Plan plan = make_plan(target, desk, options_.optimizations, table_.attributes.size());
    const std::size_t at_most = classes_at_most(target);
    switch (plan.source) {
      case Source::rows: group_rows(target, plan, at_most); break;
      case Source::roll_up:
        ++counts_.roll_ups;
        group_classes(last_, last_levels_->transformation, target, plan, at_most);
        break;
      case Source::snapshot:
        ++counts_.snapshot_hits;
        group_classes(history_.use(plan.snapshot), desk.snapshots[plan.snapshot].transformation, target, plan,
                      at_most);
        break;
    }
    ++counts_.checks;
    counts_.cells_transformed += plan.to_transform.count() * source_classes_;
    counts_.rows_grouped += source_classes_;
    std::swap(last_, next_);
    last_levels_ = Available{target, last_.size()};
    return summarize(target);
  }

  void keep_snapshot(const std::function<bool(const Transformation&)>& is_useless) {
    if (options_.optimizations.history == Switch::off || !last_levels_) return;
    if (!history_.wants(last_.size(), source_classes_)) return;
    history_.store(last_levels_->transformation, last_, is_useless);
  }

  [[nodiscard]] CheckCounts counts() const {
    CheckCounts counts = counts_;
    counts.snapshots_stored = history_.stored();
    counts.bytes = history_.peak_bytes() + last_.bytes() + next_.bytes() + slots_.bytes() +
                   buffer_.capacity() * sizeof(Key);
    return counts;
  }

 private:
  void reserve(Classes<Key>& classes) const {
    classes.keys.reserve(base_.size());
    classes.counts.reserve(base_.size());
  }

  [[nodiscard]] std::size_t classes_at_most(const Transformation& target) const {
    std::size_t product = 1;
    for (std::size_t j = 0; j < table_.attributes.size() && product < base_.size(); ++j) {
      const unsigned level = target.level(j);
      if (level <= table_.attributes[j].height()) product *= table_.attributes[j].distinct(level);
    }
    return std::min(product, base_.size());
  }

  // The changes from one transformation's levels to the target's, of the columns the plan names.
  std::span<const FieldChange> changes(const Transformation& from, const Transformation& target,
                                       const Plan& plan) {
    changes_count_ = 0;
    for (std::size_t j = 0; j < table_.attributes.size(); ++j) {
      if (!plan.to_transform[j]) continue;
      const unsigned top = table_.attributes[j].height();
      const auto* map = from.level(j) > top ? nullptr : table_.maps.map(j, from.level(j), target.level(j));
      changes_[changes_count_++] = {table_.layout.fields[j], map};
    }
    return {changes_.data(), changes_count_};
  }

  void group_rows(const Transformation& target, const Plan& plan, std::size_t at_most) {
    const auto to_do = changes(Transformation{}, target, plan);
    if (buffer_levels_ && options_.optimizations.projection == Switch::on) {
      project<Key>(base_.keys, buffer_, to_do);
    } else {
      generalize<Key>(base_.keys, buffer_, to_do);
    }
    buffer_levels_ = target;
    source_classes_ = base_.size();
    group<Key>(buffer_, base_.counts, at_most, slots_, next_);
  }

  void group_classes(const Classes<Key>& source, const Transformation& from, const Transformation& target,
                     const Plan& plan, std::size_t at_most) {
    source_classes_ = source.size();
    scratch_.resize(source.size());
    generalize<Key>(source.keys, scratch_, changes(from, target, plan));
    group<Key>(scratch_, source.counts, at_most, slots_, next_);
  }

  [[nodiscard]] Summary summarize(const Transformation& target) {
    Summary sums = count_classes(last_, options_.anonymity);
    if (!sums.is_anonymous || sums.suppressed_rows == 0) return sums;
    for (std::size_t j = 0; j < table_.attributes.size(); ++j) {
      const unsigned level = target.level(j);
      if (level > table_.attributes[j].height()) continue;
      switch (options_.sums) {
        case SuppressedSums::none: break;
        case SuppressedSums::domain_rows:
          sums.suppressed_domain_rows[j] = suppressed_domain_rows(j, level);
          break;
        case SuppressedSums::entropy: sums.entropy[j] = entropy(j, level, sums.suppressed_rows); break;
      }
    }
    return sums;
  }

  [[nodiscard]] std::uint64_t suppressed_domain_rows(std::size_t attribute, unsigned level) const {
    const auto& rows = table_.attributes[attribute].hierarchy_rows[level];
    const Field field = table_.layout.fields[attribute];
    std::uint64_t sum = 0;
    for_each_suppressed(last_, options_.anonymity.k,
                        [&](Key key, std::uint64_t count) { sum += count * rows[field_of(key, field)]; });
    return sum;
  }

  [[nodiscard]] double entropy(std::size_t attribute, unsigned level, std::uint64_t total) {
    const Field field = table_.layout.fields[attribute];
    histogram_.assign(table_.attributes[attribute].distinct(level), 0);
    for_each_suppressed(last_, options_.anonymity.k,
                        [&](Key key, std::uint64_t count) { histogram_[field_of(key, field)] += count; });
    return add_entropy(options_.entropy.from[attribute][level], options_.entropy.factor, histogram_, total);
  }

  const PreparedTable& table_;
  const Classes<Key>& base_;
  CheckerOptions options_;
  History<Key> history_;
  std::optional<Transformation> buffer_levels_;
  std::vector<Key> buffer_;   // all rows at buffer_levels_
  std::vector<Key> scratch_;  // classes that are being generalized
  std::optional<Available> last_levels_;
  Classes<Key> last_, next_;
  ClassSlots slots_;
  std::array<FieldChange, kMaxAttributes> changes_;
  std::size_t changes_count_ = 0;
  std::vector<std::uint64_t> histogram_;
  std::uint64_t source_classes_ = 0;
  CheckCounts counts_;
};

}  // namespace

struct Checker::Worker {
  std::variant<PackedWork<NarrowKey>, PackedWork<WordKey>, PackedWork<WideKey>> work;
};

Checker::Checker(const PreparedTable& table, const CheckerOptions& options)
    : worker_(std::visit(
          [&]<class Key>(const Classes<Key>& base) {
            return std::make_unique<Worker>(Worker{PackedWork<Key>(table, base, options)});
          },
          table.base)) {}

Checker::~Checker() = default;
Checker::Checker(Checker&&) noexcept = default;
Checker& Checker::operator=(Checker&&) noexcept = default;

Summary Checker::check(const Transformation& transformation) {
  return std::visit([&](auto& work) { return work.check(transformation); }, worker_->work);
}

void Checker::keep_snapshot(const std::function<bool(const Transformation&)>& is_useless) {
  std::visit([&](auto& work) { work.keep_snapshot(is_useless); }, worker_->work);
}

CheckCounts Checker::counts() const {
  return std::visit([](const auto& work) { return work.counts(); }, worker_->work);
}

}  // namespace pgveil::engine
