#include "rewriter/verify/verify_tree_reading.hpp"

#include <algorithm>
#include <random>

#include "rewriter/verify/verify_levels.hpp"
#include "rewriter/verify/verify_reader.hpp"

namespace pgveil::rewriter {
namespace {

using policy::NodeIndex;
using policy::TreeAttribute;

// The number of the column that the attribute is a value of.
int source_number(const TreeAttribute& attribute) {
  return attribute.level ? attribute.level->source_number : attribute.number;
}

// A level in place of the exact value is the only form of its column, so it counts as the finest.
std::uint32_t coarseness(const TreeAttribute& attribute) {
  const bool is_beside = attribute.level && attribute.level->source_number != attribute.number;
  return is_beside ? attribute.level->step : 0;
}

// With more leaves than this only every n-th path is tried, because interpreting a row takes time linear in
// the size of the mask.
constexpr std::size_t kPathsTried = 3'000;

constexpr std::string_view kUnseen = "\x01unseen";

}  // namespace

TreeReading::TreeReading(const policy::DisclosureTree& tree) : tree_(tree) {
  const std::size_t count = tree.nodes.size();
  if (count == 0 || tree.attributes.size() > 64) fail("a tree of at most 64 attributes");
  chain_.resize(count, 0);
  parent_.resize(count, 0);
  outer_.resize(count, 0);
  released_.resize(count, 0);
  std::vector<bool> is_reached(count, false);
  is_reached[0] = true;
  for (NodeIndex i = 0; i < count; ++i) {
    const policy::Node& node = tree.nodes[i];
    if (!is_reached[i]) fail("a tree whose nodes hang together");
    add_to_chain(chain_[i], i);
    if (!node.split) continue;
    const std::size_t attribute = node.split->attribute;
    if (node.yes != i + 1 || node.no <= node.yes || node.no >= count || attribute >= tree.attributes.size())
      fail("a tree in preorder");
    std::uint64_t with_it = released_[i];
    for (std::size_t other = 0; other < tree.attributes.size(); ++other) {
      if (other == attribute || follows(attribute, other)) with_it |= std::uint64_t{1} << other;
    }
    for (const NodeIndex child : {node.yes, node.no}) {
      if (is_reached[child]) fail("a tree in preorder");
      is_reached[child] = true;
      parent_[child] = i;
    }
    released_[node.yes] = with_it;
    released_[node.no] = released_[i];
    chain_[node.yes] = node.yes;
    chain_[node.no] = chain_[i];
    outer_[node.yes] = i;
    outer_[node.no] = outer_[i];
  }
}

const std::string& TreeReading::column_of(std::size_t attribute) const {
  const TreeAttribute& it = tree_.attributes[attribute];
  return it.level ? it.level->source : it.name;
}

// A released value implies the coarser ones of the same column.
bool TreeReading::follows(std::size_t from, std::size_t other) const {
  const TreeAttribute& a = tree_.attributes[from];
  const TreeAttribute& b = tree_.attributes[other];
  return source_number(a) == source_number(b) && coarseness(b) > coarseness(a);
}

std::size_t TreeReading::QuestionHash::operator()(const Question& question) const {
  const std::uint64_t place = std::uint64_t{question.chain} << 6U | question.attribute;
  return std::hash<std::string_view>()(question.value) ^ (place * 0x9E3779B97F4A7C15U);
}

// Nodes of one chain are added in its order.
void TreeReading::add_to_chain(NodeIndex chain, NodeIndex node) {
  Chain& it = chains_[chain];
  it.end = node;
  const auto& split = tree_.nodes[node].split;
  if (!split) return;
  if (std::ranges::find(it.attributes, split->attribute) == it.attributes.end())
    it.attributes.push_back(split->attribute);
  asked_.try_emplace({chain, split->attribute, split->value}, node);
}

NodeIndex TreeReading::end_of_row(std::span<const std::optional<std::string>> values) const {
  // The first split of the chain that the row says yes to; its end, if there is none.
  const auto next_in = [&](NodeIndex chain) {
    const Chain& it = chains_.at(chain);
    NodeIndex first = it.end;
    for (const std::uint32_t attribute : it.attributes) {
      const auto& value = values[attribute];
      const auto found = value ? asked_.find({chain, attribute, *value}) : asked_.end();
      if (found != asked_.end()) first = std::min(first, found->second);
    }
    return first;
  };
  NodeIndex at = next_in(0);
  while (tree_.nodes[at].split) at = next_in(tree_.nodes[at].yes);
  return end_of_leaf(at);
}

// Rows that fall back end where the next outer chain ends.
NodeIndex TreeReading::end_of_leaf(NodeIndex at) const {
  while (tree_.nodes[at].falls_back) {
    if (released_[at] == 0) fail("no cohort that falls back of the outermost chain");
    at = chains_.at(chain_[outer_[at]]).end;
  }
  return at;
}

std::vector<std::optional<std::string>> TreeReading::shown(const Row& row) const {
  std::vector<std::optional<std::string>> values;
  for (std::size_t a = 0; a < tree_.attributes.size(); ++a) {
    const auto& raw = row.at(column_of(a));
    const auto& level = tree_.attributes[a].level;
    values.push_back(raw && level ? policy::level_value(*level, *raw) : raw);
  }
  const std::uint64_t released = released_[end_of_row(values)];
  for (std::size_t a = 0; a < values.size(); ++a) {
    if ((released >> a & 1U) == 0) values[a].reset();
  }
  return values;
}

std::string TreeReading::sample(std::size_t attribute, const std::string& value) const {
  const auto& level = tree_.attributes[attribute].level;
  return level ? raw_value_in(*level, value) : value;
}

TreeReading::Values TreeReading::released_values(std::size_t attribute) const {
  std::set<std::pair<std::size_t, std::string>> finer;
  Values out;
  for (const policy::Node& node : tree_.nodes) {
    if (!node.split) continue;
    if (node.split->attribute == attribute) out.insert(node.split->value);
    if (follows(node.split->attribute, attribute)) finer.emplace(node.split->attribute, node.split->value);
  }
  for (const auto& [from, value] : finer) {
    if (auto coarse = policy::level_value(*tree_.attributes[attribute].level, sample(from, value)))
      out.insert(std::move(*coarse));
  }
  return out;
}

TreeReading::Values TreeReading::values_of_cohorts(std::size_t attribute) const {
  Values out;
  std::vector<bool> is_known(tree_.nodes.size(), false);  // there is a cohort at it or below it
  for (NodeIndex leaf = 0; leaf < tree_.nodes.size(); ++leaf) {
    if (tree_.nodes[leaf].split || tree_.nodes[leaf].falls_back) continue;
    for (NodeIndex at = leaf; at != 0 && !is_known[at]; at = parent_[at]) {
      is_known[at] = true;
      const policy::Node& above = tree_.nodes[parent_[at]];
      if (above.yes == at && above.split->attribute == attribute) out.insert(above.split->value);
    }
  }
  return out;
}

std::vector<TreeReading::Row> TreeReading::rows_to_leaves(std::size_t most, const std::string& other) const {
  const std::size_t stride = tree_.nodes.size() / 2 / most + 1;
  std::vector<Row> rows;
  std::size_t count = 0;
  for (NodeIndex leaf = 0; leaf < tree_.nodes.size(); ++leaf) {
    if (tree_.nodes[leaf].split || count++ % stride != 0) continue;
    Row fixed;  // the deepest split of a column has the finest value
    for (NodeIndex at = leaf; at != 0; at = parent_[at]) {
      const policy::Node& above = tree_.nodes[parent_[at]];
      const std::size_t attribute = above.split->attribute;
      if (above.yes == at && !fixed.contains(column_of(attribute)))
        fixed.emplace(column_of(attribute), sample(attribute, above.split->value));
    }
    for (const auto& free : {std::optional(other), std::optional<std::string>()}) {
      rows.push_back(fixed);
      for (std::size_t a = 0; a < tree_.attributes.size(); ++a) rows.back().emplace(column_of(a), free);
    }
  }
  return rows;
}

void TreeReading::for_each_leaf(const std::function<void(const RowsOfLeaf&)>& visit) const {
  for (NodeIndex leaf = 0; leaf < tree_.nodes.size(); ++leaf) {
    if (tree_.nodes[leaf].split) continue;
    RowsOfLeaf rows;
    rows.columns.resize(tree_.attributes.size());
    bool is_reached = true;
    for (NodeIndex at = leaf; at != 0; at = parent_[at]) {
      const policy::Node& above = tree_.nodes[parent_[at]];
      const std::string_view value = above.split->value;
      auto& column = rows.columns[above.split->attribute];
      if (above.yes != at) {
        column.excluded.insert(value);
        continue;
      }
      is_reached = is_reached && (!column.only || *column.only == value);
      column.only = value;
    }
    for (const auto& column : rows.columns)
      is_reached = is_reached && (!column.only || !column.excluded.contains(*column.only));
    if (!is_reached) continue;
    rows.released = released_[end_of_leaf(leaf)];
    visit(rows);
  }
}

std::map<std::string, TreeReading::Values, std::less<>> TreeReading::samples() const {
  std::set<std::pair<std::size_t, std::string>> asked;
  for (const policy::Node& node : tree_.nodes) {
    if (node.split) asked.emplace(node.split->attribute, node.split->value);
  }
  std::map<std::string, Values, std::less<>> out;
  for (const auto& [attribute, value] : asked) out[column_of(attribute)].insert(sample(attribute, value));
  return out;
}

std::vector<TreeReading::Row> trial_rows(const TreeReading& tree) {
  std::vector<TreeReading::Row> rows = tree.rows_to_leaves(kPathsTried, std::string(kUnseen));
  const auto samples = tree.samples();
  std::mt19937_64 random(20240229);  // any fixed seed: the same rows in every run
  const std::size_t mixtures = std::min<std::size_t>(2'000, 200 + 4 * rows.size());
  std::map<std::string_view, std::vector<std::string_view>> known;
  for (const auto& [column, values] : samples) known[column].assign(values.begin(), values.end());
  TreeReading::Row nulls;
  for (const auto& [column, value] : rows.front()) nulls.emplace(column, std::nullopt);
  for (std::size_t i = 0; i < mixtures; ++i) {
    TreeReading::Row row = nulls;
    for (const auto& [column, values] : known) {
      if (random() % 8 != 0) row.find(column)->second = std::string(values[random() % values.size()]);
    }
    rows.push_back(std::move(row));
  }
  rows.push_back(nulls);
  return rows;
}

}  // namespace pgveil::rewriter
