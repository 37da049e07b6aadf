#pragma once
// What all search algorithms share: checking with predictive tagging, the incumbent, pruning by bounds,
// counts. An algorithm only decides the order in which it checks what is_tagged() does not exclude.
#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/lattice/antichain.hpp"
#include "engine/lattice/lattice.hpp"
#include "engine/search/search.hpp"

namespace pgveil::engine {

// Where lower bounds come from. For discernibility and class size, the classes of a check bound everything
// above it. The other metrics can be bounded everywhere by look-up. If nothing may be suppressed, look-up is
// used for all metrics: then no metric costs more than its classes, and a high transformation that is not
// anonymous tags very much.
enum class Bounds { none, by_classes, by_look_up };

// Tells how much of a lattice is decided. It looks at all transformations if they are few, else at a sample
// that is the same each time. A decided transformation stays decided, so each is only queried until then, and
// the share never falls.
class DecidedShare {
 public:
  static constexpr std::size_t kSample = 1024;

  explicit DecidedShare(const Lattice& lattice);

  // Returns a share from 0 to 1.
  template <class IsDecided>
  [[nodiscard]] double measure(IsDecided&& is_decided) {
    std::erase_if(open_, is_decided);
    return 1 - static_cast<double>(open_.size()) / static_cast<double>(size_);
  }

 private:
  std::vector<Transformation> open_;
  std::size_t size_;
};

class Explorer {
 public:
  // What is referred to must outlive this object.
  Explorer(const PreparedTable& table, const Lattice& lattice, const Quality& quality,
           const SearchOptions& options);

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  [[nodiscard]] const PriorityOrder& order() const { return order_; }

  // Whether the transformation is known to be anonymous or not, by a check or by tagging, or cannot beat the
  // incumbent. True for all once stopped. If anonymity is not inherited, generalizations of an anonymous
  // transformation are tagged too, although they need not be anonymous. With a monotonic metric none of them
  // is better; otherwise they stay open until is_settled.
  [[nodiscard]] bool is_tagged(const Transformation& transformation);
  // Whether a check of it cannot improve anything. As is_tagged, except that with a metric that is not
  // monotonic a transformation that is tagged anonymous still has to be checked.
  [[nodiscard]] bool is_settled(const Transformation& transformation);
  [[nodiscard]] bool is_tagged_anonymous(const Transformation& transformation);
  // Also true if it is anonymous only by suppressing so many records that neither it nor a specialization can
  // beat the incumbent.
  [[nodiscard]] bool is_tagged_not_anonymous(const Transformation& transformation);

  // A member of the antichain of non-anonymous transformations that equals or generalizes this one.
  [[nodiscard]] std::optional<Transformation> not_anonymous_above(const Transformation& transformation);
  // Whether it was checked and only this check settles it: it is anonymous and the metric is not monotonic,
  // or it is not anonymous and specializations do not inherit that.
  [[nodiscard]] bool is_settled_alone(const Transformation& transformation) const {
    return settled_alone_.contains(transformation);
  }

  // The two halves of is_tagged: by anonymity and by bounds.
  [[nodiscard]] bool is_known(const Transformation& transformation);
  [[nodiscard]] bool is_pruned(const Transformation& transformation);
  // Whether bounds exclude a direct generalization of it.
  [[nodiscard]] bool is_at_bound(const Transformation& transformation);

  // Checks, tags and scores. False if it is now tagged not anonymous. Once stopped it does nothing and
  // returns false.
  bool check(const Transformation& transformation);
  // Does the same for several, which are checked at the same time if there are threads. Calls told(i,
  // summary, is open) for one after the other. Once stopped, the remaining ones are left out, and work
  // already done for them does not count.
  void check_round(std::span<const Transformation> transformations,
                   const std::function<void(std::size_t, const Summary&, bool)>& told);
  // Does what check does without tagging and pruning.
  void check_alone(const Transformation& transformation);
  // For a transformation with dropped columns: tags it if it is not anonymous, scores nothing. True if it is
  // anonymous.
  bool check_subset(const Transformation& transformation);

  // The algorithm calls this if it knows that no undecided transformation scores below `bound`.
  // give_up_proof() says that what it leaves out is not proven to be worse.
  void raise_lower_bound(double bound);
  // Records what the algorithm itself has allocated now; the maximum counts.
  void note_bytes(std::size_t bytes) { algorithm_bytes_ = std::max(algorithm_bytes_, bytes); }
  void give_up_proof() { is_proof_given_up_ = true; }

  // Takes over a search in which some attributes are dropped: what is not anonymous there is not anonymous
  // here, and its work counts. If it was stopped, this search is stopped, too. Returns its lower bound.
  // REQUIRES: it was made with options_of_part(), and suppressed records stay suppressed.
  [[nodiscard]] std::optional<double> take_over(Explorer&& part);
  // The options of this search, and its checks are reported as checks of this one, which must outlive it. The
  // snapshots of this search are dropped, because the part uses the same budget.
  [[nodiscard]] SearchOptions options_of_part();

  // Called now and then by walks through the lattice that check nothing. True once the search must stop.
  [[nodiscard]] bool wants_stop() { return !may_check(); }

  [[nodiscard]] Bounds bounds() const { return bounds_; }
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }
  [[nodiscard]] const SearchOptions& options() const { return options_; }
  [[nodiscard]] const Quality& quality() const { return quality_; }
  [[nodiscard]] const PreparedTable& table() const { return table_; }
  // The best anonymous transformation so far.
  [[nodiscard]] std::optional<Transformation> best() const {
    return incumbent_ ? std::optional(incumbent_->transformation) : std::nullopt;
  }
  // Whether no generalization of an anonymous transformation is better than it.
  [[nodiscard]] bool is_monotonic() const { return quality_.is_monotonic(); }
  // Whether generalizations inherit that a transformation is anonymous, and specializations that it is not.
  // If false, specializations only inherit what stays_suppressed says.
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
  void count_check();
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
  Antichain expensive_;                   // these and all their generalizations are worse than the incumbent
  std::vector<KnownBound> bounds_above_;  // for generalizations, not yet in expensive_
  std::vector<KnownBound> bounds_below_;  // for specializations, not yet in not_anonymous_
  std::unordered_set<Transformation, TransformationHash> settled_alone_;
  std::optional<Incumbent> incumbent_;
  std::vector<CheckedTransformation> checked_;
  std::vector<Transformation> neighbours_;
  std::optional<DecidedShare> decided_;  // set once it is asked for
  std::optional<double> lower_bound_;    // known to the algorithm
  std::uint64_t checks_ = 0;
  CheckCounts counts_of_parts_;
  std::size_t algorithm_bytes_ = 0;
  Predictions quality_predictions_;
  bool is_proof_given_up_ = false;
  bool is_stopped_ = false;
};

}  // namespace pgveil::engine
