#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "common/assert.hpp"
#include "policy/builder/leaf_growth.hpp"
#include "policy/builder/order_search.hpp"
#include "policy/builder/peeler.hpp"
#include "policy/builder/prune.hpp"
#include "policy/cohorts/side_counter.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/tree/routing.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

namespace {

// Walks the tree in preorder, chain by chain, with an explicit stack. A chain can be thousands of nodes long,
// but the stack is never deeper than the number of attributes.
template <class Counter>
class TreeBuilder final : public LeafGrower {
 public:
  TreeBuilder(const CountsView& counts, std::uint64_t k, const Growth& growth, const std::vector<Turn>& turns,
              std::function<void(double)> progress, const SideRules& rules)
      : counts_(counts),
        progress_(std::move(progress)),
        strategy_(growth.strategy),
        order_(counts.entries()),
        importance_(importance_of(counts, growth, turns)),
        peeler_(counts, k, importance_, rules) {
    tree_.turns = turns;
    path_ends_.assign(counts.entry_count(), 0);
    tree_.k = k;
    tree_.attributes = tree_attributes(counts);
    together_ = released_together(tree_.attributes);
  }

  Result<GrownTree> build() {
    std::vector<std::uint32_t> open(counts_.attribute_count());
    for (std::uint32_t a = 0; a < open.size(); ++a) open[a] = a;
    push(0, order_.size(), std::move(open), std::nullopt, nullptr);
    if (stack_.back().chain.units < tree_.k) return too_few_units(tree_.k);
    row_count_ = stack_.back().chain.rows;
    while (!stack_.empty()) emit_node();
    return GrownTree{std::move(tree_), std::move(path_ends_)};
  }

  std::vector<Node> grow(std::vector<std::uint32_t> entries, std::vector<std::uint32_t> open,
                         const Admitted& admitted) override {
    order_ = std::move(entries);
    tree_.nodes.clear();
    admitted_below_ = nullptr;
    push(0, order_.size(), std::move(open), std::nullopt, &admitted);
    while (!stack_.empty()) emit_node();
    return std::move(tree_.nodes);
  }

  std::vector<Node> close(std::vector<std::uint32_t> entries, std::vector<std::uint32_t> open,
                          const Loss& loss) override {
    if (nothing_.empty()) {
      for (std::size_t a = 0; a < counts_.attribute_count(); ++a)
        nothing_.emplace_back(counts_.attribute(a).values.size() + 1, 0);
    }
    order_ = std::move(entries);
    tree_.nodes.clear();
    admitted_below_ = &nothing_;
    push(0, order_.size(), std::move(open), loss, &nothing_);
    while (!stack_.empty()) emit_node();
    return std::move(tree_.nodes);
  }

 private:
  struct Frame {
    PeeledChain chain;
    std::size_t rest = 0;  // what is left at the end of the chain: order_[rest, end)
    std::size_t end = 0;
    std::vector<std::uint32_t> open;
    std::optional<Loss> loss;  // for a row that falls back from this chain
    std::size_t step = 0;      // nodes of the chain already emitted
    NodeIndex previous = 0;    // the last of these nodes
  };

  void push(std::size_t begin, std::size_t end, std::vector<std::uint32_t> open, std::optional<Loss> loss,
            const Admitted* admitted) {
    PeeledChain chain = peeler_.peel(order_, begin, end, open, loss, admitted);
    const std::size_t rest = chain.peels.empty() ? begin : chain.peels.back().end;
    stack_.push_back({std::move(chain), rest, end, std::move(open), loss});
  }

  // What a row loses that falls back from a chain starting at a `yes` of this one: the value that the `yes`
  // released, and what it loses further out if this chain falls back too.
  [[nodiscard]] std::optional<Loss> loss_below(const Frame& frame, const Peel& peel) const {
    const Loss own = Loss::of(importance_[peel.attribute]);
    switch (strategy_) {
      case Strategy::greedy: return std::nullopt;
      case Strategy::thorough: return frame.chain.falls_back ? own.and_also(*frame.loss) : own;
    }
    PGVEIL_ASSERT(false);
    return std::nullopt;
  }

  void emit_node() {
    Frame& frame = stack_.back();
    const auto index = static_cast<NodeIndex>(tree_.nodes.size());
    Node node;
    node.rows = frame.chain.rows;
    node.units = frame.chain.units;
    if (frame.step > 0) {
      tree_.nodes[frame.previous].no = index;
      node.rows = frame.chain.peels[frame.step - 1].rows_left;
      node.units = frame.chain.peels[frame.step - 1].units_left;
    }
    if (frame.step == frame.chain.peels.size()) {
      report_settled(node.rows);
      for (std::size_t i = frame.rest; i < frame.end; ++i) path_ends_[order_[i]] = index;
      node.falls_back = frame.chain.falls_back;
      tree_.nodes.push_back(std::move(node));
      stack_.pop_back();
      return;
    }
    const Peel peel = frame.chain.peels[frame.step++];
    frame.previous = index;
    node.split = Split{peel.attribute, counts_.text(peel.attribute, peel.code)};
    node.yes = index + 1;
    tree_.nodes.push_back(std::move(node));
    std::vector<std::uint32_t> open = frame.open;
    std::erase_if(open, [&](std::uint32_t a) { return (together_[peel.attribute] >> a & 1) != 0; });
    push(peel.begin, peel.end, std::move(open), loss_below(frame, peel), admitted_below_);
  }

  void report_settled(std::uint64_t rows) {
    settled_ += rows;
    if (!progress_) return;
    const double share = static_cast<double>(settled_) / static_cast<double>(row_count_);
    if (share < reported_ + 0.01 && settled_ < row_count_) return;
    reported_ = share;
    progress_(share);
  }

  const CountsView& counts_;
  std::function<void(double)> progress_;
  Strategy strategy_;
  std::vector<std::uint32_t> order_;
  std::vector<NodeIndex> path_ends_;    // per entry of the counts
  std::vector<Importance> importance_;  // per attribute
  Peeler<Counter> peeler_;
  DisclosureTree tree_;
  std::vector<std::uint64_t> together_;       // released_together
  Admitted nothing_;                          // no value of any attribute; empty until close() needs it
  const Admitted* admitted_below_ = nullptr;  // nullptr: all
  std::vector<Frame> stack_;
  std::uint64_t row_count_ = 0;
  std::uint64_t settled_ = 0;
  double reported_ = 0;
};

// Slots and pairs are numbered with 32 bits, so larger counts are refused.
bool is_too_large(const Counts& counts) {
  return counts.size() >= std::numeric_limits<std::uint32_t>::max() / (counts.attributes.size() + 1);
}

}  // namespace

std::unique_ptr<LeafGrower> LeafGrower::make(const CountsView& counts, std::uint64_t k, const Growth& growth,
                                             const std::vector<Turn>& turns, const SideRules& rules) {
  if (counts.has_units())
    return std::make_unique<TreeBuilder<UnitCounter>>(counts, k, growth, turns, nullptr, rules);
  return std::make_unique<TreeBuilder<RowCounter>>(counts, k, growth, turns, nullptr, rules);
}

Result<GrownTree> grow_with_turns(const CountsView& counts, std::uint64_t k, const Growth& growth,
                                  const std::vector<Turn>& turns, const std::function<void(double)>& progress,
                                  const SideRules& rules) {
  if (counts.has_units()) return TreeBuilder<UnitCounter>(counts, k, growth, turns, progress, rules).build();
  return TreeBuilder<RowCounter>(counts, k, growth, turns, progress, rules).build();
}

Result<DisclosureTree> build_with_turns(const CountsView& counts, std::uint64_t k, const Growth& growth,
                                        const std::vector<Turn>& turns,
                                        const std::function<void(double)>& progress, const SideRules& rules) {
  auto grown = grow_with_turns(counts, k, growth, turns, progress, rules);
  if (!grown) return grown.error();
  if (!growth.max_cohorts) return std::move(grown->tree);
  const std::size_t node_count = grown->tree.nodes.size();
  auto pruned = prune(grown->tree, *growth.max_cohorts, growth);
  if (!pruned || growth.strategy == Strategy::greedy || pruned->nodes.size() == node_count) return pruned;
  const auto grower = LeafGrower::make(counts, k, growth, turns, rules);
  return with_cut_chains_closed(*pruned, counts, growth, *grower);
}

Result<DisclosureTree> build_tree(const Counts& counts, std::uint64_t k, const Growth& growth,
                                  const std::function<void(double)>& progress, const SideRules& rules) {
  PGVEIL_ASSERT(k >= 2);
  PGVEIL_ASSERT(rules.empty() || growth.strategy == Strategy::greedy);
  PGVEIL_ASSERT(counts.attributes.size() <= kMaxQuasiIdentifiers);
  if (is_too_large(counts)) {
    return error_of_kind(ErrorKind::limit, "the table has too many combinations of quasi-identifiers",
                         "class fewer columns quasi_identifier");
  }
  const CountsView view(counts);
  if (auto whole = check_root(view, rules); !whole) return whole.error();
  if (growth.workload.empty()) return build_with_turns(view, k, growth, {}, progress, rules);
  const auto turns = find_turns(view, k, growth, progress);
  if (!turns) return turns.error();
  return build_with_turns(view, k, growth, *turns, {}, rules);
}

}  // namespace pgveil::policy
