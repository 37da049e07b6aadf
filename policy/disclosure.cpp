#include "policy/disclosure.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "policy/chains.hpp"
#include "policy/counts_view.hpp"
#include "policy/released_together.hpp"
#include "policy/routing.hpp"

namespace pgveil::policy {

namespace {

// What the rows of one leaf look like in one attribute.
struct Column {
  std::uint64_t rows = 0;  // that are not NULL here
  Code first = kNullCode;  // the value of the first of them
  bool has_other_values = false;
};

// Per node and attribute: is it released on the path, and how many of the values that occur does the path
// exclude?
struct PathFacts {
  bool is_released = false;
  std::uint64_t excluded = 0;
};

class Measurement {
 public:
  Measurement(const DisclosureTree& tree, const Counts& counts)
      : tree_(tree), chains_(chains_of(tree)), view_(counts), attribute_count_(tree.attributes.size()) {
    count_columns();
    mark_occurring_values();
    follow_paths();
    find_sources();
  }

  void add_leaf(NodeIndex leaf, std::uint64_t rows, Disclosure& result) const {
    for (std::size_t a = 0; a < attribute_count_; ++a) {
      const Column& column = columns_[leaf * attribute_count_ + a];
      const PathFacts& facts = facts_[leaf * attribute_count_ + a];
      const bool is_uniform = column.rows == rows && !column.has_other_values;
      // Rows that have fallen back may have taken none of the steps.
      const bool is_only_one_left =
          !column.has_other_values &&
          (exact_of_[a] ? is_one_left(leaf, a) : facts.excluded + 1 == occurring_[a].size());
      if (facts.is_released) {
        result.disclosed_by_attribute[a] += column.rows;
        result.disclosed_or_implied_by_attribute[a] += column.rows;
      } else if (is_uniform || is_only_one_left) {
        result.disclosed_or_implied_by_attribute[a] += column.rows;
      }
    }
  }

 private:
  void count_columns() {
    const std::vector<NodeIndex> leaves = leaves_of(tree_, chains_, view_);
    columns_.resize(tree_.nodes.size() * attribute_count_);
    for (std::size_t a = 0; a < attribute_count_; ++a) {
      for (const std::uint32_t entry : view_.entries()) {
        const Code code = view_.codes(a)[entry];
        if (code == kNullCode) continue;
        Column& column = columns_[leaves[entry] * attribute_count_ + a];
        column.rows += view_.rows(entry);
        if (column.first == kNullCode) column.first = code;
        column.has_other_values = column.has_other_values || column.first != code;
      }
    }
  }

  void mark_occurring_values() {
    occurring_.resize(attribute_count_);
    for (std::size_t a = 0; a < attribute_count_; ++a) {
      std::vector<char> occurs(view_.attribute(a).values.size() + 1, 0);
      for (const std::uint32_t entry : view_.entries()) occurs[view_.codes(a)[entry]] = 1;
      for (Code code = 1; code < occurs.size(); ++code) {
        if (occurs[code] != 0) occurring_[a].push_back(view_.text(a, code));
      }
      std::sort(occurring_[a].begin(), occurring_[a].end());
    }
  }

  void follow_paths() {
    facts_.resize(tree_.nodes.size() * attribute_count_);
    parent_.resize(tree_.nodes.size(), 0);
    const auto together = released_together(tree_.attributes);
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {  // preorder: parents first
      const Node& node = tree_.nodes[i];
      if (!node.split) continue;
      const std::uint32_t a = node.split->attribute;
      const auto from = facts_.begin() + static_cast<std::ptrdiff_t>(i * attribute_count_);
      const auto to = from + static_cast<std::ptrdiff_t>(attribute_count_);
      std::copy(from, to, facts_.begin() + static_cast<std::ptrdiff_t>(node.yes * attribute_count_));
      std::copy(from, to, facts_.begin() + static_cast<std::ptrdiff_t>(node.no * attribute_count_));
      for (std::size_t b = 0; b < attribute_count_; ++b) {
        if ((together[a] >> b & 1) != 0) facts_[node.yes * attribute_count_ + b].is_released = true;
      }
      parent_[node.yes] = parent_[node.no] = static_cast<NodeIndex>(i);
      if (!may_return(static_cast<NodeIndex>(i)) &&
          std::binary_search(occurring_[a].begin(), occurring_[a].end(), node.split->value)) {
        ++facts_[node.no * attribute_count_ + a].excluded;
      }
    }
  }

  // Rows with the split's value may fall back to its `no` side.
  [[nodiscard]] bool may_return(NodeIndex split) const {
    return Chains::falls_back(tree_, chains_.yes_chain(tree_, split));
  }

  void find_sources() {
    exact_of_.resize(attribute_count_);
    for (std::size_t a = 0; a < attribute_count_; ++a) {
      for (std::size_t b = 0; b < attribute_count_; ++b) {
        if (a == b || source_of(tree_.attributes[a]) != source_of(tree_.attributes[b])) continue;
        exact_of_[a] =
            tree_.attributes[a].level ? tree_.attributes[a].level->source_number : tree_.attributes[a].number;
      }
    }
  }

  // The nodes below the splits on a column and its levels, from the root to the leaf.
  [[nodiscard]] std::vector<NodeIndex> steps_on(int column, NodeIndex leaf) const {
    std::vector<NodeIndex> steps;
    for (NodeIndex at = leaf; at != 0; at = parent_[at]) {
      if (source_of(tree_.attributes[tree_.nodes[parent_[at]].split->attribute]) == column)
        steps.push_back(at);
    }
    std::ranges::reverse(steps);
    return steps;
  }

  // The first step that rows with this value don't take sends them elsewhere; some may fall back.
  [[nodiscard]] bool is_excluded(const std::vector<NodeIndex>& steps, std::string_view exact) const {
    for (const NodeIndex at : steps) {
      const Node& parent = tree_.nodes[parent_[at]];
      const bool is_yes = parent.yes == at;
      if ((value_in(parent.split->attribute, exact) == parent.split->value) == is_yes) continue;
      return is_yes || !may_return(parent_[at]);
    }
    return false;
  }

  // Of a column that has levels: do the steps to the leaf leave one value of attribute `a`?
  [[nodiscard]] bool is_one_left(NodeIndex leaf, std::size_t a) const {
    const auto exact = std::ranges::find(tree_.attributes, *exact_of_[a], &TreeAttribute::number);
    std::vector<std::string_view> left =
        occurring_[static_cast<std::size_t>(exact - tree_.attributes.begin())];
    const std::vector<NodeIndex> steps = steps_on(*exact_of_[a], leaf);
    std::erase_if(left, [&](std::string_view text) { return is_excluded(steps, text); });
    std::set<std::string> values;
    for (const std::string_view text : left) {
      if (auto value = value_in(a, text)) values.insert(std::move(*value));
    }
    return values.size() == 1;
  }

  [[nodiscard]] std::optional<std::string> value_in(std::size_t a, std::string_view exact) const {
    const auto& level = tree_.attributes[a].level;
    return level ? level_value(*level, exact) : std::string(exact);
  }

  const DisclosureTree& tree_;
  Chains chains_;
  CountsView view_;
  std::size_t attribute_count_;
  std::vector<Column> columns_;               // per node and attribute
  std::vector<PathFacts> facts_;              // per node and attribute
  std::vector<NodeIndex> parent_;             // per node
  std::vector<std::optional<int>> exact_of_;  // per attribute of a column with levels, that column's number
  std::vector<std::vector<std::string_view>> occurring_;  // per attribute, sorted; the counts outlive this
};

}  // namespace

Disclosure measure(const DisclosureTree& tree, const Counts& counts) {
  const Measurement measurement(tree, counts);
  const std::vector<NodeCount> cohorts = recount_cohorts(tree, counts);
  const NodeCount root = recount(tree, counts).front();
  Disclosure result;
  result.rows = root.rows;
  result.units = root.units;
  result.cells = result.rows * tree.attributes.size();
  result.disclosed_by_attribute.assign(tree.attributes.size(), 0);
  result.disclosed_or_implied_by_attribute.assign(tree.attributes.size(), 0);
  for (NodeIndex index = 0; index < tree.nodes.size(); ++index) {
    if (tree.nodes[index].split || tree.nodes[index].falls_back) continue;
    const NodeCount& cohort = cohorts[index];
    result.smallest_cohort =
        result.cohorts == 0 ? cohort.units : std::min(result.smallest_cohort, cohort.units);
    ++result.cohorts;
    measurement.add_leaf(index, cohort.rows, result);
  }
  for (std::size_t a = 0; a < tree.attributes.size(); ++a) {
    result.disclosed += result.disclosed_by_attribute[a];
    result.disclosed_or_implied += result.disclosed_or_implied_by_attribute[a];
  }
  return result;
}

}  // namespace pgveil::policy
