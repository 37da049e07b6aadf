#include "policy/tree/tree.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/tree/routing.hpp"

namespace pgveil::policy {

namespace {

// A unit that reaches several leaves must count once in each node above them. So each leaf gets +1, the node
// where two neighbouring leaves meet gets -1, and every node is the sum of everything below it.
void add_units(const Chains& chains, const CountsView& counts, const std::vector<NodeIndex>& leaves,
               std::vector<std::int64_t>& units) {
  const std::vector<std::uint32_t>& entries = counts.entries();
  std::vector<NodeIndex> reached;
  for (std::size_t begin = 0; begin < entries.size();) {
    const Code unit = counts.unit(entries[begin]);
    reached.clear();
    std::size_t end = begin;
    for (; end < entries.size() && counts.unit(entries[end]) == unit; ++end)
      reached.push_back(leaves[entries[end]]);
    begin = end;
    if (unit == kNullCode) continue;
    std::sort(reached.begin(), reached.end());
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    for (std::size_t i = 0; i < reached.size(); ++i) {
      ++units[reached[i]];
      if (i > 0) --units[chains.common_ancestor(reached[i - 1], reached[i])];
    }
  }
}

}  // namespace

namespace {

// Walks from the root to a leaf and adds the splits whose `yes` side it takes.
NodeIndex walk_down(const DisclosureTree& tree, std::span<const std::optional<std::string_view>> values,
                    std::vector<NodeIndex>& taken) {
  NodeIndex at = 0;
  while (tree.nodes[at].split) {
    const Split& split = *tree.nodes[at].split;
    const bool has_value = values[split.attribute] == split.value;
    if (has_value) taken.push_back(at);
    at = has_value ? tree.nodes[at].yes : tree.nodes[at].no;
  }
  return at;
}

}  // namespace

NodeIndex path_end_of(const DisclosureTree& tree, std::span<const std::optional<std::string_view>> values) {
  PGVEIL_ASSERT(values.size() == tree.attributes.size());
  std::vector<NodeIndex> taken;
  return walk_down(tree, values, taken);
}

NodeIndex leaf_of(const DisclosureTree& tree, std::span<const std::optional<std::string_view>> values) {
  PGVEIL_ASSERT(values.size() == tree.attributes.size());
  std::vector<NodeIndex> taken;
  NodeIndex at = walk_down(tree, values, taken);
  while (tree.nodes[at].falls_back) {
    PGVEIL_ASSERT(!taken.empty());
    at = taken.back();
    taken.pop_back();
    while (tree.nodes[at].split) at = tree.nodes[at].no;
  }
  return at;
}

namespace {

// The cohort at the current end of the walk.
class CohortWalk {
 public:
  explicit CohortWalk(const DisclosureTree& tree) : together_(released_together(tree.attributes)) {}
  void enter(const Split& split, bool has_value) {
    cohort_.path.push_back({split.attribute, split.value, has_value});
    cohort_.label += has_value ? '1' : '2';
    released_.push_back(released_.back() | (has_value ? together_[split.attribute] : 0));
  }
  void leave() {
    released_.pop_back();
    cohort_.path.pop_back();
    cohort_.label.pop_back();
  }
  // Goes up to the nearest split whose `no` side is still to be visited.
  void leave_no_sides() {
    while (!cohort_.path.empty() && !cohort_.path.back().has_value) leave();
  }
  const Cohort& at_leaf(NodeIndex leaf, std::uint64_t rows, std::uint64_t units) {
    cohort_.leaf = leaf;
    cohort_.rows = rows;
    cohort_.units = units;
    cohort_.disclosed.clear();
    for (std::uint32_t a = 0; a < together_.size(); ++a) {
      if ((released_.back() >> a & 1) != 0) cohort_.disclosed.push_back(a);
    }
    return cohort_;
  }

 private:
  std::vector<std::uint64_t> together_;        // released_together
  std::vector<std::uint64_t> released_ = {0};  // per step of the path
  Cohort cohort_{.leaf = 0, .label = "D", .path = {}, .disclosed = {}};
};

// Per node: the rows of the cohort at this node.
std::vector<std::uint64_t> rows_by_cohort(const DisclosureTree& tree) {
  const Chains chains = chains_of(tree);
  std::vector<std::uint64_t> rows(tree.nodes.size(), 0);
  for (ChainIndex chain = 0; chain < chains.chains.size(); ++chain) {
    rows[chains.cohort_at_end(tree, chain)] += tree.nodes[chains.chains[chain].nodes.back()].rows;
  }
  return rows;
}

}  // namespace

void for_each_cohort(const DisclosureTree& tree, const std::function<void(const Cohort&)>& visit) {
  const std::vector<std::uint64_t> rows = rows_by_cohort(tree);
  struct Visit {
    NodeIndex node;
    bool is_yes_done;
  };
  std::vector<Visit> stack = {{0, false}};
  CohortWalk walk(tree);
  while (!stack.empty()) {
    const auto [index, is_yes_done] = stack.back();
    stack.pop_back();
    const Node& node = tree.nodes[index];
    if (!node.split) {
      if (!node.falls_back) visit(walk.at_leaf(index, rows[index], node.units));
      walk.leave_no_sides();
      continue;
    }
    if (is_yes_done) walk.leave();
    walk.enter(*node.split, !is_yes_done);
    if (!is_yes_done) stack.push_back({index, true});
    stack.push_back({is_yes_done ? node.no : node.yes, false});
  }
}

std::vector<Cohort> cohorts(const DisclosureTree& tree) {
  std::vector<Cohort> result;
  for_each_cohort(tree, [&](const Cohort& cohort) { result.push_back(cohort); });
  return result;
}

std::vector<NodeCount> recount(const DisclosureTree& tree, const Counts& counts) {
  const CountsView view(counts);
  const Chains chains = chains_of(tree);
  const std::vector<NodeIndex> leaves = path_ends_of(tree, chains, view);
  std::vector<NodeCount> result(tree.nodes.size());
  for (const std::uint32_t entry : view.entries()) result[leaves[entry]].rows += view.rows(entry);
  std::vector<std::int64_t> units(tree.nodes.size(), 0);
  if (view.has_units()) add_units(chains, view, leaves, units);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {  // preorder: children come after their parent
    const Node& node = tree.nodes[i];
    if (node.split) {
      result[i].rows += result[node.yes].rows + result[node.no].rows;
      units[i] += units[node.yes] + units[node.no];
    }
    result[i].units = view.has_units() ? static_cast<std::uint64_t>(units[i]) : result[i].rows;
  }
  return result;
}

std::vector<NodeCount> recount_cohorts(const DisclosureTree& tree, const Counts& counts) {
  const CountsView view(counts);
  return count_cohorts(tree, view, leaves_of(tree, chains_of(tree), view));
}

}  // namespace pgveil::policy
