#include "policy/builder/prune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "common/assert.hpp"
#include "policy/builder/importance.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::policy {

namespace {

using Cells = std::int64_t;
constexpr Cells kImpossible = std::numeric_limits<Cells>::min() / 4;

// For one chain: element b is the most that b cohorts or fewer disclose in addition to what the path to the
// chain does.
using Best = std::vector<Cells>;

// Where a chain ends, per number of cohorts, and how many of them the `yes` side of each kept arm gets.
struct Choices {
  std::vector<std::uint32_t> arms_kept;           // per b
  std::vector<std::vector<std::uint32_t>> given;  // per arm, per number of cohorts of the arms up to it
};

class Pruner {
 public:
  Pruner(const DisclosureTree& tree, std::size_t limit, const Growth& growth)
      : tree_(tree),
        importance_(importance_of(tree.attributes, growth, tree.turns)),
        chains_(chains_of(tree)),
        limit_(limit),
        best_(chains_.chains.size()),
        choices_(best_.size()) {
    pruned_.k = tree.k;
    pruned_.attributes = tree.attributes;
    pruned_.turns = tree.turns;
  }

  DisclosureTree run() {
    count_levels();
    for (std::size_t chain = best_.size(); chain-- > 0;)
      solve(static_cast<ChainIndex>(chain));  // inner chains first
    emit(0, best_.front().size() - 1);
    return std::move(pruned_);
  }

 private:
  [[nodiscard]] std::size_t arms_of(const Chain& chain) const { return chain.nodes.size() - 1; }
  [[nodiscard]] ChainIndex below(NodeIndex split) const { return chains_.chain_of[tree_.nodes[split].yes]; }

  // Adds up what a row loses that falls back from a chain, by worth.
  void count_levels() {
    const auto released = released_on_path(tree_);
    for (NodeIndex i = 0; i < tree_.nodes.size(); ++i) {
      const Node& node = tree_.nodes[i];
      cells_.push_back(0);
      for (std::uint64_t more = node.split ? released[node.yes] & ~released[i] : 0; more != 0;
           more &= more - 1) {
        cells_.back() += importance_[static_cast<std::size_t>(std::countr_zero(more))].worth;
      }
    }
    levels_.assign(best_.size(), 0);
    for (std::size_t i = 1; i < best_.size(); ++i) {
      const ChainIndex outer = chains_.chain_of[chains_.chains[i].parent];
      levels_[i] = cells_[chains_.chains[i].parent] +
                   (Chains::falls_back(tree_, chains_.chains[outer]) ? levels_[outer] : 0);
    }
  }

  void solve(ChainIndex index) {
    const Chain& chain = chains_.chains[index];
    Choices& choices = choices_[index];
    Best arms{0};  // for the arms visited so far
    Best& best = best_[index];
    best.assign(1, kImpossible);
    choices.arms_kept.assign(1, kFewer);
    for (std::size_t arm = 0; arm < arms_of(chain); ++arm) {
      offer(arms, 1, arm, best, choices);
      arms = with_arm(arms, chain.nodes[arm], choices);
    }
    const Node& end = tree_.nodes[chain.nodes.back()];
    if (!end.falls_back) {
      offer(arms, 1, arms_of(chain), best, choices);
    } else {
      const auto lost = static_cast<Cells>(end.rows * levels_[index]);
      for (Cells& cells : arms) cells -= lost;
      offer(arms, 0, arms_of(chain), best, choices);
    }
    for (std::size_t b = 1; b < best.size(); ++b) {
      if (best[b] > best[b - 1]) continue;  // additional cohorts gain nothing, so use fewer
      best[b] = best[b - 1];
      choices.arms_kept[b] = kFewer;
    }
  }

  // Considers ending the chain after this many arms, with `own` cohorts for the end.
  void offer(const Best& arms, std::size_t own, std::size_t arm_count, Best& best, Choices& choices) const {
    const std::size_t size = std::min(limit_ + 1, arms.size() + own);
    if (best.size() < size) {
      best.resize(size, kImpossible);
      choices.arms_kept.resize(size, kFewer);
    }
    for (std::size_t b = own; b < size; ++b) {
      if (arms[b - own] <= best[b]) continue;
      best[b] = arms[b - own];
      choices.arms_kept[b] = static_cast<std::uint32_t>(arm_count);
    }
  }

  Best with_arm(const Best& arms, NodeIndex split, Choices& choices) const {
    const Best& inner = best_[below(split)];
    const auto rows = static_cast<Cells>(tree_.nodes[tree_.nodes[split].yes].rows * cells_[split]);
    Best sum(std::min(limit_ + 1, arms.size() + inner.size() - 1), kImpossible);
    std::vector<std::uint32_t> given(sum.size(), 0);
    for (std::size_t a = 0; a < arms.size(); ++a) {
      for (std::size_t b = 1; b < inner.size() && a + b < sum.size(); ++b) {
        const Cells cells = arms[a] + rows + inner[b];
        if (cells <= sum[a + b]) continue;
        sum[a + b] = cells;
        given[a + b] = static_cast<std::uint32_t>(b);
      }
    }
    choices.given.push_back(std::move(given));
    return sum;
  }

  // The recursion is as deep as chains nest.
  void emit(ChainIndex index, std::size_t cohorts) {
    const Chain& chain = chains_.chains[index];
    const Choices& choices = choices_[index];
    while (choices.arms_kept[cohorts] == kFewer) --cohorts;
    const std::size_t kept = choices.arms_kept[cohorts];
    const bool falls_back = kept == arms_of(chain) && Chains::falls_back(tree_, chain);
    std::vector<std::size_t> given(kept);
    std::size_t left = falls_back ? cohorts : cohorts - 1;
    for (std::size_t arm = kept; arm-- > 0;) {
      given[arm] = choices.given[arm][left];
      left -= given[arm];
    }
    for (std::size_t arm = 0; arm < kept; ++arm) {
      const auto at = static_cast<NodeIndex>(pruned_.nodes.size());
      pruned_.nodes.push_back(tree_.nodes[chain.nodes[arm]]);
      pruned_.nodes[at].yes = at + 1;
      emit(below(chain.nodes[arm]), given[arm]);
      pruned_.nodes[at].no = static_cast<NodeIndex>(pruned_.nodes.size());
    }
    const Node& end = tree_.nodes[chain.nodes[kept]];
    pruned_.nodes.push_back({std::nullopt, 0, 0, end.rows, end.units, falls_back});
  }

  static constexpr std::uint32_t kFewer = std::numeric_limits<std::uint32_t>::max();
  const DisclosureTree& tree_;
  std::vector<Importance> importance_;
  Chains chains_;
  std::size_t limit_;
  std::vector<std::uint64_t> cells_;  // per split: the worth of those that it releases, in each row
  std::vector<std::uint64_t> levels_;
  std::vector<Best> best_;
  std::vector<Choices> choices_;
  DisclosureTree pruned_;
};

}  // namespace

Result<DisclosureTree> prune(const DisclosureTree& tree, std::uint64_t max_cohorts, const Growth& growth) {
  PGVEIL_ASSERT(max_cohorts >= 1);
  const auto cohorts = static_cast<std::uint64_t>(
      std::ranges::count_if(tree.nodes, [](const Node& node) { return !node.split && !node.falls_back; }));
  if (cohorts <= max_cohorts) return tree;
  if (max_cohorts > kMaxPruningCells / cohorts) {
    return error_of_kind(ErrorKind::limit,
                         fmt::format("reducing {} cohorts to {} takes too much memory", cohorts, max_cohorts),
                         "use a smaller max_cohorts or a larger k, or remove max_cohorts");
  }
  return Pruner(tree, max_cohorts, growth).run();
}

}  // namespace pgveil::policy
