#include "policy/tree/disclosure.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "policy/counts/counts_view.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/tree/routing.hpp"

namespace pgveil::policy {

namespace {

// What the rows of one leaf have in one attribute.
struct Column {
  std::uint64_t rows = 0;  // not NULL here
  Code first = kNullCode;  // the first of their values
  bool has_other_values = false;
};

// Per node and attribute: whether the path releases it, and how many of the occurring values the path
// excludes.
struct PathFacts {
  bool is_released = false;
  std::uint64_t excluded = 0;
};

class Measurement {
 public:
  Measurement(const DisclosureTree& tree, const Counts& counts)
      : tree_(tree),
        chains_(chains_of(tree)),
        view_(counts),
        attribute_count_(tree.attributes.size()),
        falling_(tree.nodes.size()) {
    count_columns();
    mark_occurring_values();
    follow_paths();
    find_sources();
    number_values();
    for (ChainIndex chain = 0; chain < chains_.chains.size(); ++chain) {
      if (!Chains::falls_back(tree_, chains_.chains[chain])) continue;
      falling_[chains_.cohort_at_end(tree_, chain)].push_back(chains_.chains[chain].nodes.back());
    }
  }

  [[nodiscard]] const NodeCount& cohort(NodeIndex leaf) const { return cohorts_[leaf]; }

  // The rows and distinct units of all entries.
  [[nodiscard]] NodeCount all() const {
    NodeCount sum;
    Code last = kNullCode;
    for (const std::uint32_t entry : view_.entries()) {  // those of one unit are next to each other
      sum.rows += view_.rows(entry);
      if (!view_.has_units() || view_.unit(entry) == last) continue;
      last = view_.unit(entry);
      ++sum.units;
    }
    if (!view_.has_units()) sum.units = sum.rows;
    return sum;
  }

  void add_leaf(NodeIndex leaf, Disclosure& result) const {
    const NodeCount& cohort = cohorts_[leaf];
    for (std::size_t a = 0; a < attribute_count_; ++a) {
      const Column& column = columns_[leaf * attribute_count_ + a];
      if (facts_of(leaf, a).is_released) {
        result.disclosed_by_attribute[a] += column.rows;
      } else if (is_computable(leaf, a, cohort.units)) {
        result.computable_by_attribute[a] += column.rows;
      } else if (column.rows == cohort.rows && !column.has_other_values) {
        result.equal_by_attribute[a] += column.rows;
      }
    }
  }

 private:
  // The rows themselves are one of the tables that a reader must consider possible. Another value is possible
  // by the class's own path, or by that of a row that falls back, if there is room for one beside the k units
  // of the cohort's own path.
  [[nodiscard]] bool is_computable(NodeIndex leaf, std::size_t a, std::uint64_t units) const {
    const Column& column = columns_[leaf * attribute_count_ + a];
    if (column.rows == 0 || column.has_other_values) return false;
    const std::string_view value = view_.text(a, column.first);
    const auto allows_no_other = [&](NodeIndex end) {
      return leaves_only(end, a, value) || (!is_reached_[end] && !can_be_reached(end));
    };
    return allows_no_other(leaf) &&
           (units <= tree_.k || std::ranges::all_of(falling_[leaf], allows_no_other));
  }

  // Whether the path allows no other value of the attribute.
  [[nodiscard]] bool leaves_only(NodeIndex end, std::size_t a, std::string_view value) const {
    if (exact_of_[a]) return leaves_only_of_exact(end, a, value);
    const PathFacts& facts = facts_of(end, a);
    if (!facts.is_released && facts.excluded + 1 < occurring_[a].size()) return false;
    return std::ranges::all_of(allowed(end, a), [&](std::string_view text) { return text == value; });
  }

  // The same for a column with levels: each exact value that the path allows has this value of the attribute,
  // or none.
  [[nodiscard]] bool leaves_only_of_exact(NodeIndex end, std::size_t a, std::string_view value) const {
    const std::vector<std::uint32_t>& values = value_ids_[a];
    const auto found = ids_[a].find(value);
    const std::uint32_t own = found == ids_[a].end() ? kOtherValue : found->second;
    const std::vector<NodeIndex> steps = steps_on(*exact_of_[a], end);
    for (std::size_t exact = 0; exact < values.size(); ++exact) {
      if (values[exact] != kNoValue && values[exact] != own && !is_turned_away(steps, exact)) return false;
    }
    return true;
  }

  // Whether each column has a value that the path allows, or may be NULL there.
  [[nodiscard]] bool can_be_reached(NodeIndex end) const {
    for (std::size_t a = 0; a < attribute_count_; ++a) {
      const bool is_exact = !exact_of_[a] || *exact_of_[a] == tree_.attributes[a].number;
      if (!is_exact) continue;
      const bool may_be_null = has_null_[a] && !is_taken(end, tree_.attributes[a].number);
      if (!may_be_null && !allows_some(end, a)) return false;
    }
    return true;
  }

  [[nodiscard]] bool allows_some(NodeIndex end, std::size_t a) const {
    if (!exact_of_[a]) return !allowed(end, a).empty();
    const std::vector<NodeIndex> steps = steps_on(*exact_of_[a], end);
    for (std::size_t exact = 0; exact < value_ids_[a].size(); ++exact) {
      if (!is_turned_away(steps, exact)) return true;
    }
    return false;
  }

  // The occurring values of a column without levels that agree with all steps of the path on it.
  [[nodiscard]] std::vector<std::string_view> allowed(NodeIndex end, std::size_t a) const {
    std::vector<std::string_view> left = occurring_[a];
    std::set<std::string_view> refused;
    for (const NodeIndex at : steps_on(source_of(tree_.attributes[a]), end)) {
      const Node& parent = tree_.nodes[parent_[at]];
      if (parent.yes == at) {
        const bool occurs = std::ranges::binary_search(left, std::string_view(parent.split->value));
        return occurs ? std::vector<std::string_view>{parent.split->value} : std::vector<std::string_view>{};
      }
      refused.insert(parent.split->value);
    }
    std::erase_if(left, [&](std::string_view text) { return refused.contains(text); });
    return left;
  }

  [[nodiscard]] bool is_turned_away(const std::vector<NodeIndex>& steps, std::size_t exact) const {
    return std::ranges::any_of(steps, [&](NodeIndex at) {
      const NodeIndex parent = parent_[at];
      const bool has_value = value_ids_[tree_.nodes[parent].split->attribute][exact] == split_ids_[parent];
      return has_value != (tree_.nodes[parent].yes == at);
    });
  }

  // Whether some step of the path is a `yes` on the column or one of its levels.
  [[nodiscard]] bool is_taken(NodeIndex end, int column) const {
    return std::ranges::any_of(steps_on(column, end),
                               [&](NodeIndex at) { return tree_.nodes[parent_[at]].yes == at; });
  }

  void count_columns() {
    std::vector<NodeIndex> leaves = path_ends_of(tree_, chains_, view_);
    is_reached_.resize(tree_.nodes.size());
    for (const std::uint32_t entry : view_.entries()) {
      is_reached_[leaves[entry]] = true;
      leaves[entry] = chains_.cohort_at_end(tree_, chains_.chain_of[leaves[entry]]);
    }
    cohorts_ = count_cohorts(tree_, view_, leaves);
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
      has_null_.push_back(occurs[kNullCode] != 0);
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
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {  // preorder: parents come first
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
      if (std::binary_search(occurring_[a].begin(), occurring_[a].end(), node.split->value)) {
        ++facts_[node.no * attribute_count_ + a].excluded;
      }
    }
  }

  void find_sources() {
    exact_of_.resize(attribute_count_);
    for (std::size_t a = 0; a < attribute_count_; ++a) {
      for (std::size_t b = 0; b < attribute_count_; ++b) {
        if (a == b || source_of(tree_.attributes[a]) != source_of(tree_.attributes[b])) continue;
        exact_of_[a] = source_of(tree_.attributes[a]);
      }
    }
  }

  // Levels are computed once per exact value, not once per path: a column can have tens of thousands.
  void number_values() {
    ids_.resize(attribute_count_);
    value_ids_.resize(attribute_count_);
    split_ids_.assign(tree_.nodes.size(), kOtherValue);
    for (std::size_t a = 0; a < attribute_count_; ++a) {
      if (!exact_of_[a]) continue;
      const auto exact = std::ranges::find(tree_.attributes, *exact_of_[a], &TreeAttribute::number);
      for (const std::string_view text :
           occurring_[static_cast<std::size_t>(exact - tree_.attributes.begin())]) {
        const auto value = value_in(a, text);
        const auto next = static_cast<std::uint32_t>(ids_[a].size() + 2);
        value_ids_[a].push_back(value ? ids_[a].try_emplace(*value, next).first->second : kNoValue);
      }
    }
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const auto& split = tree_.nodes[i].split;
      if (!split) continue;
      const auto found = ids_[split->attribute].find(split->value);
      if (found != ids_[split->attribute].end()) split_ids_[i] = found->second;
    }
  }

  // The nodes below the splits on a column and its levels, from the leaf to the root.
  [[nodiscard]] std::vector<NodeIndex> steps_on(int column, NodeIndex leaf) const {
    std::vector<NodeIndex> steps;
    for (NodeIndex at = leaf; at != 0; at = parent_[at]) {
      if (source_of(tree_.attributes[tree_.nodes[parent_[at]].split->attribute]) == column)
        steps.push_back(at);
    }
    return steps;
  }

  [[nodiscard]] std::optional<std::string> value_in(std::size_t a, std::string_view exact) const {
    const auto& level = tree_.attributes[a].level;
    return level ? level_value(*level, exact) : std::string(exact);
  }

  [[nodiscard]] const PathFacts& facts_of(NodeIndex node, std::size_t a) const {
    return facts_[node * attribute_count_ + a];
  }

  const DisclosureTree& tree_;
  Chains chains_;
  CountsView view_;
  std::size_t attribute_count_;
  std::vector<std::vector<NodeIndex>>
      falling_;                     // per leaf of a cohort: the ends of the chains whose rows fall back to it
  std::vector<NodeCount> cohorts_;  // per node
  std::vector<bool> is_reached_;    // per node: whether the path of some row ends here
  std::vector<Column> columns_;     // per node and attribute
  std::vector<PathFacts> facts_;    // per node and attribute
  std::vector<NodeIndex> parent_;   // per node
  std::vector<std::optional<int>> exact_of_;              // per attribute of a column with levels: its number
  std::vector<std::vector<std::string_view>> occurring_;  // per attribute, sorted; the counts outlive this
  std::vector<bool> has_null_;                            // per attribute
  static constexpr std::uint32_t kOtherValue = 0;         // one that no exact value has
  static constexpr std::uint32_t kNoValue = 1;
  // For columns with levels, per attribute: numbers of its values; those of the exact values in their order;
  // and per node that of its split's value.
  std::vector<std::map<std::string, std::uint32_t, std::less<>>> ids_;
  std::vector<std::vector<std::uint32_t>> value_ids_;
  std::vector<std::uint32_t> split_ids_;
};

}  // namespace

Disclosure measure(const DisclosureTree& tree, const Counts& counts) {
  const Measurement measurement(tree, counts);
  const NodeCount root = measurement.all();
  Disclosure result;
  result.rows = root.rows;
  result.units = root.units;
  result.cells = result.rows * tree.attributes.size();
  for (auto* by_attribute :
       {&result.disclosed_by_attribute, &result.computable_by_attribute, &result.equal_by_attribute}) {
    by_attribute->assign(tree.attributes.size(), 0);
  }
  for (NodeIndex index = 0; index < tree.nodes.size(); ++index) {
    if (tree.nodes[index].split || tree.nodes[index].falls_back) continue;
    const NodeCount& cohort = measurement.cohort(index);
    result.smallest_cohort =
        result.cohorts == 0 ? cohort.units : std::min(result.smallest_cohort, cohort.units);
    ++result.cohorts;
    measurement.add_leaf(index, result);
  }
  for (std::size_t a = 0; a < tree.attributes.size(); ++a) {
    result.disclosed += result.disclosed_by_attribute[a];
    result.computable += result.computable_by_attribute[a];
    result.equal += result.equal_by_attribute[a];
  }
  return result;
}

}  // namespace pgveil::policy
