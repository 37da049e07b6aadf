#include "attack/bounds.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "policy/builder/importance.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::attack {

namespace {

using policy::Node;
using policy::NodeIndex;

constexpr int kMostRounds = 64;
constexpr int kMostSizings = 4;

// Narrows `it`. Returns whether anything changed. An empty interval cannot come from a real table.
bool narrow(Interval& it, std::int64_t least, std::int64_t most) {
  const Interval before = it;
  it.least = std::max(it.least, least);
  it.most = std::min(it.most, most);
  return it != before;
}

// whole = left + right
bool narrow_sum(Interval& whole, Interval& left, Interval& right) {
  bool changed = narrow(whole, left.least + right.least, left.most + right.most);
  changed |= narrow(left, whole.least - right.most, whole.most - right.least);
  changed |= narrow(right, whole.least - left.most, whole.most - left.least);
  return changed;
}

bool follow_sums(const std::vector<Node>& nodes, std::vector<Interval>& rows, std::size_t width,
                 std::size_t v) {
  bool changed = false;
  const auto both_ways = [&](std::size_t i) {
    const Node& node = nodes[i];
    if (!node.split) return;
    changed |= narrow_sum(rows[i * width + v], rows[node.yes * width + v], rows[node.no * width + v]);
  };
  for (std::size_t i = nodes.size(); i-- > 0;) both_ways(i);
  for (std::size_t i = 0; i < nodes.size(); ++i) both_ways(i);
  return changed;
}

// Per chain: the cells that a row shows less which falls back from it (policy/builder/importance.hpp, where
// every cell counts the same).
std::vector<std::int64_t> cells_lost(const policy::DisclosureTree& tree, const policy::Chains& chains) {
  std::vector<std::int64_t> lost(chains.chains.size(), 0);
  for (std::size_t c = 1; c < lost.size(); ++c) {
    const policy::ChainIndex outer = chains.chain_of[chains.chains[c].parent];
    lost[c] = policy::Chains::falls_back(tree, chains.chains[outer]) ? lost[outer] + 1 : 1;
  }
  return lost;
}

bool has_plain_cells(const policy::Growth& growth) {
  return growth.priority.empty() && growth.weights.empty();
}

class Propagation {
 public:
  Propagation(const Knowledge& known, const Column& column, const std::vector<Interval>& sizes)
      : known_(known),
        nodes_(known.tree.nodes),
        column_(column),
        sizes_(sizes),
        chains_(policy::chains_of(known.tree)),
        lost_(cells_lost(known.tree, chains_)),
        importance_(policy::importance_of(known.tree.attributes, known.growth, {})),
        released_(policy::released_on_path(known.tree)),
        values_(values_of(column)) {
    bounds_.atoms = column.atoms.size();
    bounds_.rows.resize(nodes_.size() * bounds_.atoms);
    start();
  }

  ColumnBounds run() {
    for (int round = 0; round < kMostRounds; ++round) {
      bool changed = false;
      for (std::size_t v = 0; v < bounds_.atoms; ++v)
        changed |= follow_sums(nodes_, bounds_.rows, bounds_.atoms, v);
      for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        changed |= fill_node(i);
        if (known_.made != Made::unknown) changed |= apply_choice(i);
      }
      if (!changed) return std::move(bounds_);
    }
    bounds_.is_settled = false;
    return std::move(bounds_);
  }

 private:
  void start() {
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
      for (std::size_t v = 0; v < bounds_.atoms; ++v) at(i, v) = {0, sizes_[i].most};
    }
    if (!column_.totals.empty()) {
      for (std::size_t v = 0; v < bounds_.atoms; ++v) {
        const auto total = static_cast<std::int64_t>(column_.totals[v]);
        at(0, v) = {total, total};
      }
    }
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {  // preorder: parents come first
      const Node& node = nodes_[i];
      if (!node.split) continue;
      const auto own = std::ranges::find(column_.attributes, node.split->attribute);
      const auto index = static_cast<std::size_t>(own - column_.attributes.begin());
      for (std::size_t v = 0; v < bounds_.atoms; ++v) {
        if (at(i, v).most == 0) at(node.yes, v).most = at(node.no, v).most = 0;
        if (own == column_.attributes.end()) continue;
        const bool has_value = column_.atoms[v][index] == node.split->value;
        at(has_value ? node.no : node.yes, v).most = 0;
      }
    }
  }

  // All atoms together are the rows of the node.
  bool fill_node(NodeIndex i) {
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (std::size_t v = 0; v < bounds_.atoms; ++v) {
      least += at(i, v).least;
      most += at(i, v).most;
    }
    bool changed = false;
    for (std::size_t v = 0; v < bounds_.atoms; ++v) {
      const Interval it = at(i, v);
      changed |= narrow(at(i, v), sizes_[i].least - (most - it.most), sizes_[i].most - (least - it.least));
    }
    return changed;
  }

  // The rows with a value are at most `low`, or at least `high`.
  bool leave_gap(NodeIndex i, const AttributeValue& value, std::int64_t low, std::int64_t high) {
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (const std::size_t v : value.atoms) {
      least += at(i, v).least;
      most += at(i, v).most;
    }
    const std::int64_t new_least = least > low ? std::max(least, high) : least;
    const std::int64_t new_most = most < high ? std::min(most, low) : most;
    if (new_least == least && new_most == most) return false;
    bool changed = false;
    for (const std::size_t v : value.atoms) {
      const Interval it = at(i, v);
      changed |= narrow(at(i, v), new_least - (most - it.most), new_most - (least - it.least));
    }
    return changed;
  }

  bool apply_choice(NodeIndex i) {
    const Node& node = nodes_[i];
    const bool closes = node.split && nodes_[node.no].falls_back && !nodes_[node.no].split;
    if (!node.split || closes) {
      if (known_.made != Made::to_the_end || node.falls_back) return false;
    }
    const auto k = static_cast<std::int64_t>(known_.k);
    bool changed = false;
    for (const AttributeValue& value : values_) {
      if ((released_[i] >> value.attribute & 1) != 0) continue;
      const std::int64_t high = sizes_[i].least - k + 1;  // so many, and fewer than k are left
      std::int64_t low = k - 1;
      if (!node.split) {
        changed |= leave_gap(i, value, low, stays_open(i) ? sizes_[i].most + 1 : high);
        continue;
      }
      if (!closes) {
        const policy::Importance& own = importance_[value.attribute];
        const policy::Importance& chosen = importance_[node.split->attribute];
        if (own.rank > chosen.rank) continue;
        if (value.attribute == node.split->attribute && value.text == node.split->value) continue;
        if (own.rank == chosen.rank) low = std::max(low, most_beside(node, value));
      }
      changed |= leave_gap(i, value, low, high);
    }
    return changed;
  }

  // The most rows of a candidate that was not chosen, or was chosen later.
  [[nodiscard]] std::int64_t most_beside(const Node& node, const AttributeValue& value) const {
    const bool wins_ties = value.attribute != node.split->attribute ? value.attribute < node.split->attribute
                                                                    : value.text < node.split->value;
    const std::int64_t merit = sizes_[node.yes].most * weight(node.split->attribute);
    return (merit - (wins_ties ? 1 : 0)) / weight(value.attribute);
  }

  [[nodiscard]] std::int64_t weight(std::uint32_t attribute) const {
    return static_cast<std::int64_t>(importance_[attribute].weight);
  }

  // Whether rule 6 would have closed the chain at any value that fewer than k rows lack.
  [[nodiscard]] bool stays_open(NodeIndex leaf) const {
    const policy::ChainIndex chain = chains_.chain_of[leaf];
    if (known_.growth.strategy != policy::Strategy::thorough || chain == 0) return false;
    if (!has_plain_cells(known_.growth)) return false;
    // A value with z of n rows shows more than it costs if z > lost × (n − z), and n − z < k.
    return (static_cast<std::int64_t>(known_.k) - 1) * (lost_[chain] + 1) < sizes_[leaf].least;
  }

  Interval& at(NodeIndex node, std::size_t atom) { return bounds_.rows[node * bounds_.atoms + atom]; }

  const Knowledge& known_;
  const std::vector<Node>& nodes_;
  const Column& column_;
  const std::vector<Interval>& sizes_;
  policy::Chains chains_;
  std::vector<std::int64_t> lost_;
  std::vector<policy::Importance> importance_;
  std::vector<std::uint64_t> released_;
  std::vector<AttributeValue> values_;
  ColumnBounds bounds_;
};

// The rows at each node, whatever their values: a class has the rows that readers count, and they came by its
// own path or fell back to it.
class Sizing {
 public:
  explicit Sizing(const Knowledge& known)
      : known_(known),
        nodes_(known.tree.nodes),
        chains_(policy::chains_of(known.tree)),
        lost_(cells_lost(known.tree, chains_)),
        falling_(nodes_.size()) {
    const auto k = static_cast<std::int64_t>(known.k);
    std::int64_t all = 0;
    for (const std::uint64_t rows : known.class_rows) all += static_cast<std::int64_t>(rows);
    sizes_.assign(nodes_.size(), {0, all});
    sizes_.front() = {all, all};
    for (policy::ChainIndex c = 0; c < chains_.chains.size(); ++c) {
      const NodeIndex end = chains_.chains[c].nodes.back();
      const NodeIndex leaf = chains_.cohort_at_end(known.tree, c);
      const auto rows = static_cast<std::int64_t>(known.class_rows[leaf]);
      if (end == leaf) {
        sizes_[end] = {std::min(k, rows), rows};
        continue;
      }
      const std::int64_t room = std::max<std::int64_t>(0, rows - k);
      sizes_[end] = {0, known.made == Made::unknown ? room : std::min(k - 1, room)};
      falling_[leaf].push_back(end);
    }
    settle();
  }

  [[nodiscard]] const std::vector<Interval>& sizes() const { return sizes_; }

  // The rows at a node have some value of each column, or NULL. Returns whether anything changed.
  bool narrow_by(const ColumnBounds& bounds) {
    bool changed = false;
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
      Interval sum;
      for (std::size_t v = 0; v < bounds.atoms; ++v) {
        sum.least += bounds.at(i, v).least;
        sum.most += bounds.at(i, v).most;
      }
      changed |= narrow(sizes_[i], sum.least, sum.most);
    }
    if (changed) settle();
    return changed;
  }

 private:
  void settle() {
    for (int round = 0; round < kMostRounds; ++round) {
      bool changed = follow_sums(nodes_, sizes_, 1, 0);
      for (NodeIndex leaf = 0; leaf < nodes_.size(); ++leaf) {
        if (!nodes_[leaf].split && !nodes_[leaf].falls_back) changed |= fill_class(leaf);
      }
      if (known_.made == Made::to_the_end && has_plain_cells(known_.growth)) changed |= weigh_closings();
      if (!changed) return;
    }
  }

  bool fill_class(NodeIndex leaf) {
    const auto rows = static_cast<std::int64_t>(known_.class_rows[leaf]);
    Interval sum = sizes_[leaf];
    for (const NodeIndex end : falling_[leaf]) {
      sum.least += sizes_[end].least;
      sum.most += sizes_[end].most;
    }
    bool changed = false;
    const auto fill = [&](Interval& it) {
      const Interval before = it;
      changed |= narrow(it, rows - (sum.most - it.most), rows - (sum.least - it.least));
      sum.least += it.least - before.least;
      sum.most += it.most - before.most;
    };
    fill(sizes_[leaf]);
    for (const NodeIndex end : falling_[leaf]) fill(sizes_[end]);
    return changed;
  }

  // Rule 6: what the split at the end of a chain shows outweighs what it hides.
  bool weigh_closings() {
    bool changed = false;
    for (const Node& node : nodes_) {
      if (!node.split || nodes_[node.no].split || !nodes_[node.no].falls_back) continue;
      const std::int64_t each = lost_[chains_.chain_of[node.no]];
      changed |= narrow(sizes_[node.no], 0, std::max<std::int64_t>(0, sizes_[node.yes].most - 1) / each);
    }
    return changed;
  }

  const Knowledge& known_;
  const std::vector<Node>& nodes_;
  policy::Chains chains_;
  std::vector<std::int64_t> lost_;
  std::vector<std::vector<NodeIndex>> falling_;  // per leaf of a class: the other ends that come to it
  std::vector<Interval> sizes_;
};

}  // namespace

bool is_too_large(const Knowledge& knowledge, const Column& column) {
  return knowledge.tree.nodes.size() > kMostBounds / std::max<std::size_t>(1, column.atoms.size());
}

std::vector<Interval> node_sizes(const Knowledge& known) {
  Sizing sizing(known);
  for (int round = 0; round < kMostSizings; ++round) {
    bool changed = false;
    for (const Column& column : known.columns) {
      if (is_too_large(known, column)) continue;
      changed |= sizing.narrow_by(bounds_of(known, column, sizing.sizes()));
    }
    if (!changed) break;
  }
  return sizing.sizes();
}

ColumnBounds bounds_of(const Knowledge& knowledge, const Column& column, const std::vector<Interval>& sizes) {
  PGVEIL_ASSERT(!is_too_large(knowledge, column));
  return Propagation(knowledge, column, sizes).run();
}

}  // namespace pgveil::attack
