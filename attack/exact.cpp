#include "attack/exact.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "attack/solver.hpp"
#include "policy/builder/importance.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::attack {

namespace {

using policy::Importance;
using policy::Loss;
using policy::Node;
using policy::NodeIndex;

// Units of work of one question, and the questions without an answer after which none is asked any more.
constexpr std::uint32_t kWorkOfQuestion = 3'000'000;
constexpr std::size_t kMostUnanswered = 8;

// A value, and where its column is in Knowledge::columns.
struct ColumnValue : AttributeValue {
  std::size_t column = 0;
};

std::vector<ColumnValue> all_values(const Knowledge& known) {
  std::vector<ColumnValue> values;
  for (std::size_t c = 0; c < known.columns.size(); ++c) {
    for (AttributeValue& it : values_of(known.columns[c])) values.push_back({std::move(it), c});
  }
  return values;
}

// Per chain: what a row loses that falls back from it. Nothing of the root's chain falls back.
std::vector<Loss> losses_of(const policy::DisclosureTree& tree, const policy::Chains& chains,
                            const std::vector<Importance>& importance) {
  std::vector<Loss> losses(chains.chains.size());
  for (policy::ChainIndex c = 1; c < losses.size(); ++c) {
    const NodeIndex parent = chains.chains[c].parent;
    const policy::ChainIndex outer = chains.chain_of[parent];
    losses[c] = Loss::of(importance[tree.nodes[parent].split->attribute]);
    if (policy::Chains::falls_back(tree, chains.chains[outer])) losses[c] = losses[c].and_also(losses[outer]);
  }
  return losses;
}

// All that an attacker knows, as conditions.
class Conditions {
 public:
  Conditions(const Knowledge& known, const std::vector<Interval>& sizes,
             const std::vector<ColumnBounds>& bounds, Solver& solver)
      : known_(known),
        nodes_(known.tree.nodes),
        k_(static_cast<std::int64_t>(known.k)),
        solver_(solver),
        values_(all_values(known)),
        chains_(policy::chains_of(known.tree)),
        importance_(policy::importance_of(known.tree.attributes, known.growth, {})),
        losses_(losses_of(known.tree, chains_, importance_)),
        released_(policy::released_on_path(known.tree)) {
    for (const Interval& it : sizes) sizes_.push_back(rows_within(it));
    for (const ColumnBounds& it : bounds) {
      rows_.emplace_back();
      for (const Interval& one : it.rows) rows_.back().push_back(rows_within(one));
    }
    require_sums();
    require_classes();
    require_values();
    for (NodeIndex i = 0; i < nodes_.size(); ++i) require_choice(i);
  }

  [[nodiscard]] const std::vector<ColumnValue>& values() const { return values_; }

  [[nodiscard]] Sum count(NodeIndex i, const ColumnValue& value) const {
    Sum sum;
    for (const std::size_t v : value.atoms) sum.add(1, row(i, value.column, v));
    return sum;
  }

 private:
  Sum rows_within(const Interval& it) {
    return it.least == it.most ? number(it.least) : Sum{{{1, solver_.unknown(it.least, it.most)}}, 0};
  }
  [[nodiscard]] const Sum& row(NodeIndex i, std::size_t column, std::size_t atom) const {
    return rows_[column][i * known_.columns[column].atoms.size() + atom];
  }

  void require_at_least(const Sum& sum, std::int64_t least) { require_any({sum - number(least)}); }
  void require_equal(const Sum& left, const Sum& right) {
    require_any({left - right});
    require_any({right - left});
  }
  // Most conditions hold already by the bounds of what they are about.
  void require_any(AnyOf any_of) {
    const bool is_given =
        std::ranges::any_of(any_of, [](const Sum& sum) { return sum.terms.empty() && sum.constant >= 0; });
    if (is_given) return;
    std::erase_if(any_of, [](const Sum& sum) { return sum.terms.empty(); });
    solver_.require(any_of);
  }

  void require_sums() {
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      for (std::size_t c = 0; c < rows_.size(); ++c) {
        Sum all;
        for (std::size_t v = 0; v < known_.columns[c].atoms.size(); ++v) {
          all.add(1, row(i, c, v));
          if (node.split) require_equal(row(i, c, v), row(node.yes, c, v) + row(node.no, c, v));
        }
        require_equal(all, sizes_[i]);
      }
      if (node.split) require_equal(sizes_[i], sizes_[node.yes] + sizes_[node.no]);
    }
  }

  void require_classes() {
    std::map<NodeIndex, Sum> classes;
    for (policy::ChainIndex c = 0; c < chains_.chains.size(); ++c)
      classes[chains_.cohort_at_end(known_.tree, c)].add(1, sizes_[chains_.chains[c].nodes.back()]);
    for (const auto& [leaf, rows] : classes)
      require_equal(rows, number(static_cast<std::int64_t>(known_.class_rows[leaf])));
  }

  // Each value of a column occurs.
  void require_values() {
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      for (std::size_t v = 0; v < known_.columns[c].atoms.size(); ++v) require_at_least(row(0, c, v), 1);
    }
  }

  // Rules 2, 3 and 6 to 10 of docs/disclosure-tree.md at one node.
  void require_choice(NodeIndex i) {
    const Node& node = nodes_[i];
    const bool closes = node.split && nodes_[node.no].falls_back && !nodes_[node.no].split;
    const bool is_end = !node.split || closes;
    switch (known_.made) {
      case Made::unknown: return;
      case Made::by_choice:
        if (is_end) return;
        break;
      case Made::to_the_end: break;
    }
    if (!node.split && node.falls_back) return;
    const ColumnValue* chosen = nullptr;
    for (const ColumnValue& it : values_) {
      if (node.split && it.attribute == node.split->attribute && it.text == node.split->value) chosen = &it;
    }
    if (node.split && chosen == nullptr) return;  // its value left the table: nothing is known of the choice
    if (node.split && !closes) {
      require_at_least(sizes_[node.yes], k_);
      require_at_least(sizes_[node.no], k_);
    }
    if (closes) require_closing(i, *chosen);
    const bool may_close =
        is_end && known_.growth.strategy == policy::Strategy::thorough && chains_.chain_of[i] != 0;
    for (const ColumnValue& it : values_) {
      if ((released_[i] >> it.attribute & 1) != 0) continue;
      AnyOf not_candidate{number(k_ - 1) - count(i, it), count(i, it) - sizes_[i] + number(k_ - 1)};
      if (is_end) {
        require_any(std::move(not_candidate));
        if (may_close && &it != chosen) require_not_closing(i, it, chosen);
      } else if (&it != chosen) {
        const Sum merit = weight(it) * count(i, it);
        if (may_come_after(it, *chosen)) not_candidate.push_back(after(it, *chosen, merit, i));
        require_any(std::move(not_candidate));
      }
    }
  }

  [[nodiscard]] const Importance& of(const ColumnValue& it) const { return importance_[it.attribute]; }
  [[nodiscard]] std::int64_t weight(const ColumnValue& it) const {
    return static_cast<std::int64_t>(of(it).weight);
  }
  [[nodiscard]] bool may_come_after(const ColumnValue& it, const ColumnValue& chosen) const {
    return of(it).rank >= of(chosen).rank;
  }
  // In a tie, 1 for the value that wins it.
  [[nodiscard]] static std::int64_t tie(const ColumnValue& it, const ColumnValue& chosen) {
    return std::pair(it.attribute, it.text) < std::pair(chosen.attribute, chosen.text) ? 1 : 0;
  }
  // REQUIRES: may_come_after.
  [[nodiscard]] Sum after(const ColumnValue& it, const ColumnValue& chosen, const Sum& merit,
                          NodeIndex i) const {
    if (of(it).rank > of(chosen).rank) return number(0);
    return weight(chosen) * sizes_[nodes_[i].yes] - merit - number(tie(it, chosen));
  }

  // What a value wins at the end of a chain, less what is lost by the rows that lack it, where both count.
  [[nodiscard]] Sum gain(NodeIndex i, const ColumnValue& it) const {
    const Loss& loss = losses_[chains_.chain_of[i]];
    Sum won = weight(it) * count(i, it);
    if (of(it).tier != loss.tier) return won;
    return won - static_cast<std::int64_t>(loss.weight) * (sizes_[i] - count(i, it));
  }

  // The chosen value has at least k rows, leaves fewer, and shows more than it hides.
  void require_closing(NodeIndex i, const ColumnValue& chosen) {
    const Loss& loss = losses_[chains_.chain_of[i]];
    require_at_least(count(i, chosen), k_);
    if (of(chosen).tier > loss.tier) require_at_least(count(i, chosen) - sizes_[i], 0);
    require_at_least(gain(i, chosen), 1);
  }

  // The value does not close the chain: too few have it, it hides more than it shows, or it comes later than
  // the one that does. chosen: null if none closes it.
  void require_not_closing(NodeIndex i, const ColumnValue& it, const ColumnValue* chosen) {
    const Loss& loss = losses_[chains_.chain_of[i]];
    AnyOf any_of{number(k_ - 1) - count(i, it)};
    if (of(it).tier > loss.tier) any_of.push_back(sizes_[i] - count(i, it) - number(1));
    if (of(it).tier == loss.tier) any_of.push_back(number(0) - gain(i, it));
    if (chosen != nullptr && may_come_after(it, *chosen)) {
      const bool is_later_rank = of(it).rank > of(*chosen).rank;
      any_of.push_back(is_later_rank ? number(0) : gain(i, *chosen) - gain(i, it) - number(tie(it, *chosen)));
    }
    require_any(std::move(any_of));
  }

  const Knowledge& known_;
  const std::vector<Node>& nodes_;
  std::int64_t k_;
  Solver& solver_;
  std::vector<ColumnValue> values_;
  policy::Chains chains_;
  std::vector<Importance> importance_;
  std::vector<Loss> losses_;  // per chain
  std::vector<std::uint64_t> released_;
  std::vector<Sum> sizes_;              // per node
  std::vector<std::vector<Sum>> rows_;  // per column: of node n with atom v
};

// A class and attribute in which the bounds leave several values.
struct Open {
  HiddenCells cells;
  std::vector<std::pair<std::string, Sum>> values;  // how many rows of the class have each
  std::set<std::string> found = {};                 // values that some table has there
  bool is_unsettled = false;
  [[nodiscard]] bool is_done() const { return is_unsettled || found.size() > 1; }
};

std::vector<Open> open_cells(const Knowledge& known, const Conditions& conditions) {
  const auto released = policy::released_on_path(known.tree);
  std::vector<Open> open;
  for (const auto& [leaf, ends] : ends_of_classes(known.tree)) {
    std::map<std::uint32_t, Open> by_attribute;
    for (const ColumnValue& it : conditions.values()) {
      if ((released[leaf] >> it.attribute & 1) != 0) continue;
      Sum rows;
      for (const NodeIndex end : ends) rows.add(1, conditions.count(end, it));
      if (rows.terms.empty() && rows.constant == 0) continue;
      Open& one = by_attribute[it.attribute];
      one.cells = {leaf, it.attribute};
      one.values.emplace_back(it.text, std::move(rows));
    }
    for (auto& [attribute, one] : by_attribute) {
      if (one.values.size() > 1) open.push_back(std::move(one));
    }
  }
  return open;
}

// Each example shows values in many classes at once.
void learn(const Solver& solver, std::vector<Open>& open) {
  for (Open& one : open) {
    if (one.is_done()) continue;
    for (const auto& [text, rows] : one.values) {
      if (solver.example(rows) > 0) one.found.insert(text);
    }
  }
}

}  // namespace

Exact settle(const Knowledge& known, const std::vector<Interval>& sizes) {
  Exact exact;
  std::size_t unknowns = 0;
  for (const Column& column : known.columns) unknowns += column.atoms.size() * known.tree.nodes.size();
  const auto solver = make_solver();
  if (!solver || unknowns > kMostUnknowns) {
    exact.exactness = solver ? Exactness::too_large : Exactness::no_solver;
    return exact;
  }
  std::vector<ColumnBounds> bounds;
  for (const Column& column : known.columns) bounds.push_back(bounds_of(known, column, sizes));
  const Conditions conditions(known, sizes, bounds, *solver);
  std::vector<Open> open = open_cells(known, conditions);
  for (Open& one : open) {
    while (!one.is_done()) {
      AnyOf other_value;
      for (const auto& [text, rows] : one.values) {
        if (!one.found.contains(text)) other_value.push_back(rows - number(1));
      }
      const Verdict verdict = exact.unsettled.size() < kMostUnanswered
                                  ? solver->check(other_value, kWorkOfQuestion)
                                  : Verdict::unknown;
      if (verdict == Verdict::possible) {
        learn(*solver, open);
        continue;
      }
      if (verdict == Verdict::unknown) {
        one.is_unsettled = true;
        exact.unsettled.insert(one.cells);
        continue;
      }
      if (one.found.size() == 1) exact.certain.emplace(one.cells, *one.found.begin());
      break;
    }
  }
  if (!exact.unsettled.empty()) exact.exactness = Exactness::ran_out;
  return exact;
}

}  // namespace pgveil::attack
