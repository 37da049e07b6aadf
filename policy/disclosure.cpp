#include "policy/disclosure.hpp"

#include <algorithm>

#include "policy/chains.hpp"
#include "policy/counts_view.hpp"
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
  }

  void add_leaf(NodeIndex leaf, std::uint64_t rows, Disclosure& result) const {
    for (std::size_t a = 0; a < attribute_count_; ++a) {
      const Column& column = columns_[leaf * attribute_count_ + a];
      const PathFacts& facts = facts_[leaf * attribute_count_ + a];
      const bool is_uniform = column.rows == rows && !column.has_other_values;
      const bool is_only_one_left = facts.excluded + 1 == occurring_[a].size();
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
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {  // preorder: parents first
      const Node& node = tree_.nodes[i];
      if (!node.split) continue;
      const std::uint32_t a = node.split->attribute;
      const auto from = facts_.begin() + static_cast<std::ptrdiff_t>(i * attribute_count_);
      const auto to = from + static_cast<std::ptrdiff_t>(attribute_count_);
      std::copy(from, to, facts_.begin() + static_cast<std::ptrdiff_t>(node.yes * attribute_count_));
      std::copy(from, to, facts_.begin() + static_cast<std::ptrdiff_t>(node.no * attribute_count_));
      facts_[node.yes * attribute_count_ + a].is_released = true;
      // Rows with the value may fall back to the `no` side.
      const bool may_return = Chains::falls_back(tree_, chains_.yes_chain(tree_, static_cast<NodeIndex>(i)));
      if (!may_return && std::binary_search(occurring_[a].begin(), occurring_[a].end(), node.split->value)) {
        ++facts_[node.no * attribute_count_ + a].excluded;
      }
    }
  }

  const DisclosureTree& tree_;
  Chains chains_;
  CountsView view_;
  std::size_t attribute_count_;
  std::vector<Column> columns_;                           // per node and attribute
  std::vector<PathFacts> facts_;                          // per node and attribute
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
