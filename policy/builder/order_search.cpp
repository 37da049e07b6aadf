#include "policy/builder/order_search.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "common/assert.hpp"
#include "policy/builder/leaf_growth.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/tree/routing.hpp"
#include "policy/utility/answer_error.hpp"

namespace pgveil::policy {

namespace {

using Turns = std::vector<Turn>;

std::vector<std::vector<std::uint32_t>> questions_of(const CountsView& counts, const Growth& growth) {
  std::vector<std::vector<std::uint32_t>> questions;
  for (const Question& question : growth.workload) {
    questions.emplace_back();
    for (const std::string& column : question.columns) {
      std::uint32_t a = 0;
      while (a < counts.attribute_count() && counts.attribute(a).name != column) ++a;
      PGVEIL_ASSERT(a < counts.attribute_count());
      questions.back().push_back(a);
    }
  }
  return questions;
}

// How good an order is, by its tree: 0 is best.
class Trial {
 public:
  Trial(const CountsView& counts, std::uint64_t k, const Growth& growth,
        const std::vector<std::vector<std::uint32_t>>& questions)
      : counts_(counts), k_(k), growth_(growth), meter_(counts, questions) {
    for (const Question& question : growth.workload) weights_ += question.weight;
    for (const std::uint32_t entry : counts.entries()) cells_ += counts.rows(entry);
    cells_ *= counts.attribute_count();
  }

  [[nodiscard]] Result<std::uint64_t> cost(const Turns& turns) const {
    const auto shown = shown_with(turns);
    if (!shown) return shown.error();
    std::uint64_t error = 0;
    for (std::size_t q = 0; q < meter_.question_count(); ++q)
      error += growth_.workload[q].weight * meter_.mean_error_ppm(q, *shown);
    std::uint64_t cells = 0;
    for (const std::uint32_t entry : counts_.entries())
      cells += static_cast<std::uint64_t>(std::popcount((*shown)[entry])) * counts_.rows(entry);
    const std::uint64_t hidden_ppm = (cells_ - cells) * 1'000'000 / std::max<std::uint64_t>(cells_, 1);
    return error * kCellsPerError / weights_ + hidden_ppm;
  }

 private:
  [[nodiscard]] Result<std::vector<std::uint64_t>> shown_with(const Turns& turns) const {
    if (growth_.max_cohorts) {
      const auto tree = build_with_turns(counts_, k_, growth_, turns, {}, {});
      if (!tree) return tree.error();
      return shown_by_entry(*tree, counts_);
    }
    const auto grown = grow_with_turns(counts_, k_, growth_, turns, {}, {});
    if (!grown) return grown.error();
    return shown_by_entry(grown->tree, counts_, grown->path_ends);
  }

  const CountsView& counts_;
  std::uint64_t k_;
  const Growth& growth_;
  AnswerMeter meter_;
  std::uint64_t weights_ = 0;
  std::uint64_t cells_ = 0;
};

class OrderSearch {
 public:
  OrderSearch(const CountsView& counts, std::uint64_t k, const Growth& growth,
              const std::function<void(double)>& progress)
      : counts_(counts),
        growth_(growth),
        progress_(progress),
        questions_(questions_of(counts, growth)),
        trial_(counts, k, growth, questions_),
        is_declared_(counts.attribute_count(), 0) {
    const std::uint64_t work = std::max<std::uint64_t>(counts.entries().size() * counts.attribute_count(), 1);
    most_tries_ = std::clamp(kMaxSearchWork / work, kLeastTries, kMostTries);
    for (const auto& question : questions_) {
      for (const std::uint32_t a : question) is_declared_[a] = 1;
    }
  }

  Result<Turns> run() {
    try_declared_first();
    try_rare_first();
    try_one_by_one();
    while (move_attributes() || move_rarity()) {
    }
    if (error_) return *error_;
    return best_;
  }

 private:
  // Is it the best so far? After the last try, and after an error, nothing is.
  bool is_better(const Turns& turns) {
    if (error_ || tried_.size() >= most_tries_ || !is_within_limits(turns)) return false;
    const auto [known, is_new] = tried_.try_emplace(turns, 0);
    if (!is_new) return false;
    const auto cost = trial_.cost(turns);
    if (!cost) {
      error_ = cost.error();
      return false;
    }
    if (progress_) progress_(static_cast<double>(tried_.size()) / static_cast<double>(most_tries_));
    if (!best_.empty() && *cost + least_ / kLeastGain >= least_) return false;
    least_ = *cost;
    best_ = turns;
    return true;
  }

  static bool is_within_limits(const Turns& turns) {
    return std::ranges::all_of(turns, [](const Turn& turn) {
      return turn.rank <= kMaxRank && turn.favour <= kMaxFavour && turn.rarity <= kMaxRarity;
    });
  }

  // What nobody asked for comes last, exact values before levels.
  [[nodiscard]] Turns declared_at(std::uint32_t rank) const {
    Turns turns(counts_.attribute_count());
    for (std::size_t a = 0; a < turns.size(); ++a) {
      turns[a].rank = rank;
      if (is_declared_[a] == 0)
        turns[a].rank = std::min(rank + 1 + coarseness_of(counts_.attribute(a)), kMaxRank);
    }
    return turns;
  }

  void try_declared_first() { is_better(declared_at(0)); }

  // Rare values before frequent ones: in a mean over groups each group counts as much as the others, and the
  // rows of rare ones cost least.
  void try_rare_first() {
    Turns turns = declared_at(0);
    const auto favours = favour_by_groups();
    for (std::size_t a = 0; a < turns.size(); ++a) turns[a].favour = favours[a];
    const Turns first = turns;
    for (const bool is_by_cost : {true, false}) {
      for (const std::uint32_t rarity : {4U, 2U, 5U, 1U, 3U}) {
        for (std::size_t a = 0; a < turns.size(); ++a) {
          if (is_declared_[a] == 0) continue;
          turns[a].rarity = rarity;
          turns[a].is_by_cost = is_by_cost;
        }
        is_better(turns);
      }
    }
  }

  // A column's groups share the weight of its questions.
  [[nodiscard]] std::vector<std::uint32_t> favour_by_groups() const {
    std::vector<std::uint64_t> shares(counts_.attribute_count(), 0);
    for (std::size_t q = 0; q < questions_.size(); ++q) {
      for (const std::uint32_t a : questions_[q]) {
        const std::uint64_t groups = std::max<std::size_t>(counts_.attribute(a).values.size(), 1);
        shares[a] += (growth_.workload[q].weight << 20U) / groups + 1;
      }
    }
    std::uint64_t least = ~std::uint64_t{0};
    for (const std::uint64_t share : shares) least = share == 0 ? least : std::min(least, share);
    std::vector<std::uint32_t> favours;
    for (const std::uint64_t share : shares) {
      const auto octaves =
          static_cast<std::uint32_t>(std::bit_width(share / std::min(least, std::max(share, least))));
      favours.push_back(share == 0 ? 0 : std::min(octaves - 1, kMaxFavour / 2));
    }
    return favours;
  }

  // Forward selection: the next of the declared columns is the one that is best there, before all others.
  void try_one_by_one() {
    if (std::ranges::count(is_declared_, 1) < 2) return;
    Turns chosen = declared_at(1);
    for (std::uint32_t rank = 0; rank < kMaxRank && best_step(chosen, rank); ++rank) {
    }
  }

  bool best_step(Turns& chosen, std::uint32_t rank) {
    std::optional<Turns> next;
    for (std::uint32_t a = 0; a < chosen.size(); ++a) {
      if (is_declared_[a] == 0 || chosen[a].rank <= rank) continue;
      Turns turns = chosen;
      for (std::uint32_t b = 0; b < turns.size(); ++b) {
        if (b != a && turns[b].rank > rank) turns[b].rank = std::min(turns[b].rank + 1, kMaxRank);
      }
      turns[a].rank = rank + 1;
      if (is_better(turns)) next = std::move(turns);
    }
    if (next) chosen = *next;
    return next.has_value();
  }

  bool move_attributes() {
    bool is_improved = false;
    for (std::size_t a = 0; a < best_.size(); ++a) {
      for (const std::int32_t step : {1, -1, 3, -3}) {
        while (is_better(with_favour(a, step))) is_improved = true;
      }
      for (const std::int32_t step : {1, -1}) {
        while (is_better(with_rank(a, step))) is_improved = true;
      }
      is_improved |= is_better(alone_first(a));
      is_improved |= is_better(alone_last(a));
    }
    return is_improved;
  }

  bool move_rarity() {
    bool is_improved = false;
    for (const std::int32_t step : {1, -1}) {
      Turns turns = best_;
      for (std::size_t a = 0; a < turns.size(); ++a) {
        if (is_declared_[a] != 0) turns[a].rarity += static_cast<std::uint32_t>(step);
      }
      is_improved |= is_better(turns);
    }
    Turns turns = best_;
    for (std::size_t a = 0; a < turns.size(); ++a) turns[a].is_by_cost ^= is_declared_[a] != 0;
    is_improved |= is_better(turns);
    return is_improved;
  }

  // Below 0 all others move instead.
  [[nodiscard]] Turns with_favour(std::size_t a, std::int32_t step) const {
    Turns turns = best_;
    if (step < 0 && turns[a].favour < static_cast<std::uint32_t>(-step)) {
      for (std::size_t b = 0; b < turns.size(); ++b)
        turns[b].favour += b == a ? 0 : static_cast<std::uint32_t>(-step);
    } else {
      turns[a].favour += static_cast<std::uint32_t>(step);
    }
    return turns;
  }

  [[nodiscard]] Turns with_rank(std::size_t a, std::int32_t step) const {
    Turns turns = best_;
    turns[a].rank += static_cast<std::uint32_t>(step);  // from 0 down: beyond the limit
    return turns;
  }

  [[nodiscard]] Turns alone_first(std::size_t a) const {
    Turns turns = best_;
    for (std::size_t b = 0; b < turns.size(); ++b) turns[b].rank += b == a ? 0 : 1;
    turns[a].rank = 0;
    return turns;
  }

  [[nodiscard]] Turns alone_last(std::size_t a) const {
    Turns turns = best_;
    std::uint32_t last = 0;
    for (const Turn& turn : turns) last = std::max(last, turn.rank);
    turns[a].rank = last + 1;
    return turns;
  }

  const CountsView& counts_;
  const Growth& growth_;
  const std::function<void(double)>& progress_;
  std::vector<std::vector<std::uint32_t>> questions_;
  Trial trial_;
  std::vector<char> is_declared_;
  std::uint64_t most_tries_ = 0;
  std::map<Turns, char> tried_;
  Turns best_;
  std::uint64_t least_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<Turn>> find_turns(const CountsView& counts, std::uint64_t k, const Growth& growth,
                                     const std::function<void(double)>& progress) {
  PGVEIL_ASSERT(!growth.workload.empty());
  return OrderSearch(counts, k, growth, progress).run();
}

}  // namespace pgveil::policy
