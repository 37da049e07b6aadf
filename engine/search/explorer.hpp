#pragma once
// What all search algorithms share: checking with predictive tagging, the incumbent, pruning by bounds,
// counts. An algorithm only decides in which order to check what is_tagged() does not exclude.
#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/lattice/antichain.hpp"
#include "engine/lattice/lattice.hpp"
#include "engine/search/decided_share.hpp"
#include "engine/search/search.hpp"

namespace pgveil::engine {

// Where lower bounds come from. The classes of a check bound what is above it (discernibility, class size);
// the other metrics can be bounded everywhere by look-up. Without suppression no metric pays more than for
// its classes, and a high transformation that is not anonymous tags so much that bounds by look-up are used
// for all.
enum class Bounds { none, by_classes, by_look_up };

class Explorer {
 public:
  // What is referred to must outlive it.
  Explorer(const PreparedTable& table, const Lattice& lattice, const Quality& quality,
           const SearchOptions& options);

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  [[nodiscard]] const PriorityOrder& order() const { return order_; }

  // Known to be anonymous or not, by a check or by tagging, or unable to beat the incumbent. Once stopped,
  // true. Where anonymity is not inherited, what generalizes an anonymous transformation is tagged too,
  // although it need not be anonymous: if the metric is monotonic nothing better is there, else it is open
  // until is_settled.
  [[nodiscard]] bool is_tagged(const Transformation& transformation);
  // Nothing can be won from checking it: as is_tagged, but where the metric is not monotonic a transformation
  // that is tagged anonymous still has to be checked.
  [[nodiscard]] bool is_settled(const Transformation& transformation);
  [[nodiscard]] bool is_tagged_anonymous(const Transformation& transformation);
  // Or anonymous only by suppressing so many records that neither it nor a specialization can beat the
  // incumbent.
  [[nodiscard]] bool is_tagged_not_anonymous(const Transformation& transformation);

  // A member of what is tagged not anonymous that is, or generalizes, the transformation.
  [[nodiscard]] std::optional<Transformation> not_anonymous_above(const Transformation& transformation);
  // It was checked, and is settled by that alone: anonymous where the metric is not monotonic, or not
  // anonymous where that is not inherited by its specializations.
  [[nodiscard]] bool is_settled_alone(const Transformation& transformation) const {
    return settled_alone_.contains(transformation);
  }

  // The two halves of is_tagged: by anonymity, and by bounds.
  [[nodiscard]] bool is_known(const Transformation& transformation);
  [[nodiscard]] bool is_pruned(const Transformation& transformation);
  // A direct generalization is excluded by bounds.
  [[nodiscard]] bool is_at_bound(const Transformation& transformation);

  // Checks, tags, scores; false if it is tagged not anonymous now. Once stopped: false, and nothing is done.
  bool check(const Transformation& transformation);
  // The same of several, which are checked at the same time where there are threads: told(i, summary, is
  // open) of one after the other. Once stopped, the others are left out; what was done of them does not
  // count.
  void check_round(std::span<const Transformation> transformations,
                   const std::function<void(std::size_t, const Summary&, bool)>& told);
  // The same as check without tagging and pruning.
  void check_alone(const Transformation& transformation);
  // Of a transformation with dropped columns: tags what is not anonymous, scores nothing; true if anonymous.
  bool check_subset(const Transformation& transformation);

  // The algorithm knows that nothing that is not decided yet scores below this, or that what it leaves is not
  // proven.
  void raise_lower_bound(double bound);
  // What the algorithm itself holds now; the most of it counts.
  void note_bytes(std::size_t bytes) { algorithm_bytes_ = std::max(algorithm_bytes_, bytes); }
  void give_up_proof() { is_proof_given_up_ = true; }

  // Asked now and then by what walks through the lattice without checking: true once the search is to stop.
  [[nodiscard]] bool wants_stop() { return !may_check(); }

  [[nodiscard]] Bounds bounds() const { return bounds_; }
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }
  [[nodiscard]] const SearchOptions& options() const { return options_; }
  [[nodiscard]] const Quality& quality() const { return quality_; }
  [[nodiscard]] const PreparedTable& table() const { return table_; }
  // Of the best anonymous transformation so far.
  [[nodiscard]] std::optional<Transformation> best() const {
    return incumbent_ ? std::optional(incumbent_->transformation) : std::nullopt;
  }
  // Nothing above an anonymous transformation is better than it.
  [[nodiscard]] bool is_monotonic() const { return quality_.is_monotonic(); }
  // What the privacy models find is inherited: by generalizations of what is anonymous, by specializations of
  // what is not. If not, only what stays_suppressed says of the latter is.
  [[nodiscard]] bool is_inherited() const { return is_inherited_; }
  [[nodiscard]] SearchResult result() &&;

 private:
  struct Incumbent {
    Score score;
    unsigned level_sum = 0;
    Transformation transformation;
    Summary summary;
  };
  struct KnownBound {
    double bound;
    Transformation transformation;
  };

  [[nodiscard]] bool may_check();
  [[nodiscard]] bool cannot_win(const Transformation& transformation);
  [[nodiscard]] bool is_decided(const Transformation& transformation);  // is_settled, stopped or not
  [[nodiscard]] double least_open_bound();
  [[nodiscard]] bool is_worse(double bound) const { return bound > incumbent_->score.value(); }
  bool conclude(const Transformation& transformation, const Summary& summary);
  void offer(const Transformation& transformation, const Summary& summary);
  void remember_bounds(const Transformation& transformation, const Summary& summary);
  void move_worse(std::vector<KnownBound>& from, Antichain& into) const;
  void keep_snapshot(bool is_anonymous);
  [[nodiscard]] bool is_of_no_use(const Transformation& snapshot);
  void report(const Transformation& transformation, const Summary& summary);
  [[nodiscard]] double decided_share();

  const PreparedTable& table_;
  Lattice lattice_;
  const Quality& quality_;
  const SearchOptions& options_;
  PriorityOrder order_;
  bool is_inherited_;
  Bounds bounds_;
  Checker checker_;
  Antichain anonymous_;
  Antichain not_anonymous_;
  Antichain expensive_;                   // they and all their generalizations are worse than the incumbent
  std::vector<KnownBound> bounds_above_;  // of generalizations, not in expensive_ yet
  std::vector<KnownBound> bounds_below_;  // of specializations, not in not_anonymous_ yet
  std::unordered_set<Transformation, TransformationHash> settled_alone_;
  std::optional<Incumbent> incumbent_;
  std::vector<CheckedTransformation> checked_;
  std::vector<Transformation> neighbours_;
  std::optional<DecidedShare> decided_;  // once it is asked for
  std::optional<double> lower_bound_;    // that the algorithm knows
  std::uint64_t checks_ = 0;
  std::size_t algorithm_bytes_ = 0;
  Predictions quality_predictions_;
  bool is_proof_given_up_ = false;
  bool is_stopped_ = false;
};

}  // namespace pgveil::engine
