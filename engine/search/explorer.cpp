#include "engine/search/explorer.hpp"

#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <tuple>

namespace pgveil::engine {
namespace {

PriorityOrder make_order(const PreparedTable& table) {
  std::vector<std::vector<std::uint32_t>> distinct;
  for (const auto& attribute : table.attributes) {
    auto& counts = distinct.emplace_back();
    for (unsigned level = 0; level <= attribute.height(); ++level)
      counts.push_back(attribute.distinct(level));
  }
  return PriorityOrder(distinct);
}

Bounds choose_bounds(const Quality& quality, const SearchOptions& options) {
  if (options.pruning == Pruning::none) return Bounds::none;
  const bool by_classes = quality.is_class_based() && options.anonymity.suppression_limit > 0 &&
                          is_inherited_by_merging(options.anonymity);
  return by_classes ? Bounds::by_classes : Bounds::by_look_up;
}

std::vector<Transformation> all_of(const Lattice& lattice) {
  std::vector<Transformation> made;
  for (unsigned sum = lattice.bottom.level_sum(); sum <= lattice.top.level_sum(); ++sum) {
    LevelWalk walk(lattice.bottom, lattice.top, lattice.attributes, sum);
    while (walk.next()) made.push_back(walk.current());
  }
  return made;
}

std::vector<Transformation> sample_of(const Lattice& lattice) {
  std::mt19937_64 random(1);
  std::vector<Transformation> made(DecidedShare::kSample);
  for (auto& transformation : made) {
    for (std::size_t j = 0; j < lattice.attributes; ++j) {
      const unsigned low = lattice.bottom.level(j);
      transformation.set_level(j, low + static_cast<unsigned>(random() % (lattice.top.level(j) - low + 1)));
    }
  }
  return made;
}

}  // namespace

DecidedShare::DecidedShare(const Lattice& lattice)
    : open_(transformation_count(lattice).value_or(UINT64_MAX) <= kSample ? all_of(lattice)
                                                                          : sample_of(lattice)),
      size_(open_.size()) {}

Explorer::Explorer(const PreparedTable& table, const Lattice& lattice, const Quality& quality,
                   const SearchOptions& options)
    : table_(table),
      lattice_(lattice),
      quality_(quality),
      options_(options),
      order_(make_order(table)),
      is_inherited_(engine::is_inherited(options.anonymity)),
      bounds_(choose_bounds(quality, options)),
      checker_(table, {options.anonymity, quality.sums(), quality.entropy_start(), options.optimizations,
                       options.history, options.parallel}),
      anonymous_(Antichain::Keep::minimal, lattice.attributes),
      not_anonymous_(Antichain::Keep::maximal, lattice.attributes),
      expensive_(Antichain::Keep::minimal, lattice.attributes) {}

bool Explorer::is_tagged_anonymous(const Transformation& transformation) {
  return anonymous_.covers(transformation);
}

bool Explorer::is_tagged_not_anonymous(const Transformation& transformation) {
  return not_anonymous_.covers(transformation);
}

std::optional<Transformation> Explorer::not_anonymous_above(const Transformation& transformation) {
  return not_anonymous_.covering(transformation);
}

bool Explorer::is_pruned(const Transformation& transformation) {
  if (bounds_ == Bounds::none || !incumbent_) return false;
  const bool is_hit = cannot_win(transformation);
  ++quality_predictions_.questions;
  quality_predictions_.hits += is_hit ? 1 : 0;
  return is_hit;
}

// Every bound applies to the whole key (score, sum of levels, level vector), so equal scores are decided as
// in offer().
bool Explorer::cannot_win(const Transformation& transformation) {
  const auto order = quality_.bound(transformation) <=> incumbent_->score;
  if (order > 0) return true;
  if (order == 0 && std::tuple(transformation.level_sum(), transformation) >=
                        std::tuple(incumbent_->level_sum, incumbent_->transformation))
    return true;
  return expensive_.covers(transformation);
}

bool Explorer::is_tagged(const Transformation& transformation) {
  return is_stopped_ || is_pruned(transformation) || is_known(transformation);
}

bool Explorer::is_settled(const Transformation& transformation) {
  return is_stopped_ || is_decided(transformation);
}

bool Explorer::is_decided(const Transformation& transformation) {
  if (quality_.is_monotonic()) return is_pruned(transformation) || is_known(transformation);
  return not_anonymous_.covers(transformation) || settled_alone_.contains(transformation) ||
         is_pruned(transformation);
}

bool Explorer::is_known(const Transformation& transformation) {
  return not_anonymous_.covers(transformation) || anonymous_.covers(transformation) ||
         (!is_inherited_ && settled_alone_.contains(transformation));
}

bool Explorer::is_at_bound(const Transformation& transformation) {
  successors(lattice_, transformation, neighbours_);
  return std::ranges::any_of(neighbours_, [this](const Transformation& up) { return is_pruned(up); });
}

bool Explorer::may_check() {
  is_stopped_ = is_stopped_ || (options_.stop && options_.stop());
  return !is_stopped_;
}

bool Explorer::check(const Transformation& transformation) {
  if (!may_check()) return false;
  const Summary summary = checker_.check(transformation);
  const bool is_open = conclude(transformation, summary);
  keep_snapshot(summary.is_anonymous);
  report(transformation, summary);
  return is_open;
}

void Explorer::check_round(std::span<const Transformation> transformations,
                           const std::function<void(std::size_t, const Summary&, bool)>& told) {
  if (!may_check()) return;
  checker_.check_round(transformations);
  for (std::size_t i = 0; i < transformations.size(); ++i) {
    if (i > 0 && !may_check()) return;
    const Summary& summary = checker_.summary_of(i);
    const bool is_open = conclude(transformations[i], summary);
    if (!summary.is_anonymous || !quality_.is_monotonic())
      checker_.keep_snapshot_of(i, [this](const Transformation& kept) { return is_of_no_use(kept); });
    report(transformations[i], summary);
    told(i, summary, is_open);
  }
}

bool Explorer::conclude(const Transformation& transformation, const Summary& summary) {
  const bool stays = summary.stays_suppressed > options_.anonymity.suppression_limit;
  if (summary.is_anonymous ? !quality_.is_monotonic() : !stays) settled_alone_.insert(transformation);
  if (summary.is_anonymous) offer(transformation, summary);
  remember_bounds(transformation, summary);
  if (stays) not_anonymous_.add(transformation);
  const bool is_open = summary.is_anonymous && !not_anonymous_.covers(transformation);
  if (is_open) anonymous_.add(transformation);
  return is_open;
}

void Explorer::check_alone(const Transformation& transformation) {
  if (!may_check()) return;
  const Summary summary = checker_.check(transformation);
  if (summary.is_anonymous) offer(transformation, summary);
  checker_.keep_snapshot([](const Transformation&) { return false; });
  report(transformation, summary);
}

bool Explorer::check_subset(const Transformation& transformation) {
  if (!may_check()) return false;
  const Summary summary = checker_.check(transformation);
  if (summary.stays_suppressed > options_.anonymity.suppression_limit) not_anonymous_.add(transformation);
  keep_snapshot(summary.is_anonymous);
  report(transformation, summary);
  return summary.is_anonymous;
}

void Explorer::offer(const Transformation& transformation, const Summary& summary) {
  Incumbent candidate{quality_.score(transformation, summary), transformation.level_sum(), transformation,
                      summary};
  const auto key = [](const Incumbent& i) { return std::tie(i.score, i.level_sum, i.transformation); };
  if (incumbent_ && !(key(candidate) < key(*incumbent_))) return;
  incumbent_ = candidate;
  move_worse(bounds_above_, expensive_);
  move_worse(bounds_below_, not_anonymous_);
}

void Explorer::move_worse(std::vector<KnownBound>& from, Antichain& into) const {
  std::erase_if(from, [&](const KnownBound& known) {
    if (!is_worse(known.bound)) return false;
    into.add(known.transformation);
    return true;
  });
}

void Explorer::remember_bounds(const Transformation& transformation, const Summary& summary) {
  if (bounds_ == Bounds::none) return;
  const auto remember = [&](std::optional<double> bound, std::vector<KnownBound>& known, Antichain& worse) {
    if (!bound) return;
    if (incumbent_ && is_worse(*bound)) {
      worse.add(transformation);
    } else {
      known.push_back({*bound, transformation});
    }
  };
  const auto k = options_.anonymity.k;
  remember(quality_.bound_of_generalizations(transformation, summary, k), bounds_above_, expensive_);
  if (summary.is_anonymous)
    remember(quality_.bound_of_specializations(summary, k), bounds_below_, not_anonymous_);
}

// The papers only keep snapshots of transformations that are not anonymous, because nothing above an
// anonymous one is checked any more. If the metric is not monotonic, it is, so we keep these as well.
void Explorer::keep_snapshot(bool is_anonymous) {
  if (is_anonymous && quality_.is_monotonic()) return;
  checker_.keep_snapshot([this](const Transformation& kept) { return is_of_no_use(kept); });
}

// Incognito's snapshots of fewer attributes are above the lattice. Once scores count, transformations of the
// lattice are checked, and none of them starts from such a snapshot.
bool Explorer::is_of_no_use(const Transformation& snapshot) {
  if (incumbent_ && !contains(lattice_, snapshot)) return true;
  successors(lattice_, snapshot, neighbours_);
  return std::ranges::all_of(neighbours_, [this](const Transformation& up) { return is_settled(up); });
}

SearchOptions Explorer::options_of_part() {
  checker_.forget_snapshots();
  SearchOptions made = options_;
  made.progress = [this](const Progress&) { count_check(); };
  return made;
}

std::optional<double> Explorer::take_over(Explorer&& part) {
  for (const auto& member : part.not_anonymous_.members()) not_anonymous_.add(member);
  is_stopped_ = is_stopped_ || part.is_stopped_;
  auto result = std::move(part).result();
  for (auto& record : result.checked) {
    record.score = std::nullopt;  // of a part
    checked_.push_back(std::move(record));
  }
  counts_of_parts_.roll_ups += result.counts.roll_ups;
  counts_of_parts_.snapshot_hits += result.counts.snapshot_hits;
  counts_of_parts_.snapshots_stored += result.counts.snapshots_stored;
  counts_of_parts_.rows_grouped += result.counts.rows_grouped;
  counts_of_parts_.cells_transformed += result.counts.cells_transformed;
  note_bytes(result.bytes);
  return result.lower_bound;
}

void Explorer::raise_lower_bound(double bound) {
  lower_bound_ = std::max(lower_bound_.value_or(bound), bound);
}

void Explorer::report(const Transformation& transformation, const Summary& summary) {
  if (options_.record == Switch::on) {
    CheckedTransformation record{table_.to_given(transformation), summary.is_anonymous, std::nullopt};
    if (summary.is_anonymous && contains(lattice_, transformation)) {
      record.score = quality_.score_as_given(transformation, summary).value();
    }
    checked_.push_back(std::move(record));
  }
  count_check();
}

void Explorer::count_check() {
  ++checks_;
  if (options_.progress) {
    options_.progress({checks_, incumbent_ ? &incumbent_->score : nullptr, lower_bound_,
                       [this] { return decided_share(); }});
  }
}

double Explorer::decided_share() {
  if (options_.algorithm == Algorithm::brute_force) {
    const auto all = transformation_count(lattice_);
    // The checks of parts count, too.
    return all ? std::min(1.0, static_cast<double>(checks_) / static_cast<double>(*all)) : 0;
  }
  if (!decided_) decided_.emplace(lattice_);
  return decided_->measure(
      [this](const Transformation& transformation) { return is_settled(transformation); });
}

// Goes through the implicit lattice, lowest bound first, until a transformation is open; each is reached in
// one way only. After the maximum number of steps, the current bound holds for everything that is left.
double Explorer::least_open_bound() {
  constexpr std::size_t kMaxReached = 1 << 20;
  struct Reached {
    double bound;
    Transformation transformation;
    std::size_t first;  // the attributes from this one on may be raised
    bool operator>(const Reached& other) const { return bound > other.bound; }
  };
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  queue.push({quality_.bound(lattice_.bottom).value(), lattice_.bottom, 0});
  std::size_t reached = 1;
  double bound = queue.top().bound;
  while (!queue.empty() && reached < kMaxReached) {
    const Reached at = queue.top();
    queue.pop();
    bound = at.bound;
    if (!is_decided(at.transformation) || (incumbent_ && is_worse(bound))) break;
    for (std::size_t j = at.first; j < lattice_.attributes; ++j) {
      const unsigned level = at.transformation.level(j);
      if (level == lattice_.top.level(j)) continue;
      const auto up = at.transformation.with_level(j, level + 1);
      queue.push({std::max(bound, quality_.bound(up).value()), up, j});
      ++reached;
    }
  }
  return bound;
}

SearchResult Explorer::result() && {
  SearchResult result;
  if (incumbent_) {
    result.optimum = Optimum{table_.to_given(incumbent_->transformation),
                             quality_.score_as_given(incumbent_->transformation, incumbent_->summary),
                             incumbent_->summary};
  }
  result.is_proven = !is_stopped_ && !is_proof_given_up_;
  result.is_stopped = is_stopped_;
  if (!result.is_proven)
    // A depth-first proof leaves low boxes for the end, so the larger of the two bounds is used.
    result.lower_bound = std::max(least_open_bound(), lower_bound_.value_or(-HUGE_VAL));
  if (result.optimum) {
    const double best = result.optimum->score.value();
    result.lower_bound = std::min(result.lower_bound.value_or(best), best);
  }
  result.counts = checker_.counts();
  result.counts.checks = checks_;
  result.counts.roll_ups += counts_of_parts_.roll_ups;
  result.counts.snapshot_hits += counts_of_parts_.snapshot_hits;
  result.counts.snapshots_stored += counts_of_parts_.snapshots_stored;
  result.counts.rows_grouped += counts_of_parts_.rows_grouped;
  result.counts.cells_transformed += counts_of_parts_.cells_transformed;
  result.protection = not_anonymous_.predictions();
  result.quality = quality_predictions_;
  result.quality.inserts = expensive_.predictions().inserts;
  result.quality.most_members = expensive_.predictions().most_members;
  constexpr std::size_t per_settled = sizeof(Transformation) + 3 * sizeof(void*);  // a node and its bucket
  result.bytes = result.counts.bytes + anonymous_.bytes() + not_anonymous_.bytes() + expensive_.bytes() +
                 (bounds_above_.capacity() + bounds_below_.capacity()) * sizeof(KnownBound) +
                 settled_alone_.size() * per_settled + algorithm_bytes_;
  result.transformations = transformation_count(lattice_);
  result.checked = std::move(checked_);
  return result;
}

}  // namespace pgveil::engine
