#include "policy/tree/tree_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "policy/level/preimage.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::policy {

namespace {

using Flaw = std::optional<std::string>;

std::string at_node(std::size_t index, std::string_view what) {
  return fmt::format("node {}: {}", index, what);
}

// A level beside the exact values must belong to an attribute of the tree and refine the next level.
Flaw check_levels(const DisclosureTree& tree) {
  for (const TreeAttribute& attribute : tree.attributes) {
    if (!attribute.level) continue;
    const Level& level = *attribute.level;
    if (level.step < 1) return "a level without step";
    if (level.source_number == attribute.number) {
      if (level.source != attribute.name) return "a level of a column of two names";
      const auto is_other = [&](const TreeAttribute& other) {
        return other.number != attribute.number && source_of(other) == attribute.number;
      };
      if (std::ranges::any_of(tree.attributes, is_other))
        return "a level in place of values that are shown too";
      continue;
    }
    const auto is_source = [&](const TreeAttribute& other) {
      return other.number == level.source_number && other.name == level.source && !other.level;
    };
    if (std::ranges::none_of(tree.attributes, is_source)) return "a level without its source";
    for (const TreeAttribute& other : tree.attributes) {
      if (other.number == attribute.number || coarseness_of(other) == 0 ||
          source_of(other) != level.source_number)
        continue;
      if (other.level->step == level.step) return "two levels in one place";
      if (other.level->step > level.step && !refines(level.method, other.level->method))
        return "levels that are not nested";
    }
  }
  return std::nullopt;
}

// REQUIRES: check_shape found nothing.
Flaw check_level_values(const DisclosureTree& tree) {
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const auto& split = tree.nodes[i].split;
    if (!split || !tree.attributes[split->attribute].level) continue;
    if (!preimage_of(*tree.attributes[split->attribute].level, split->value))
      return at_node(i, "no value of its level");
  }
  return std::nullopt;
}

Flaw check_attributes(const DisclosureTree& tree) {
  if (tree.k < 2) return "k is below 2";
  if (tree.attributes.empty() && tree.nodes.size() > 1) return "no attributes";
  if (tree.attributes.size() > kMaxQuasiIdentifiers) return "too many attributes";
  for (std::size_t a = 0; a < tree.attributes.size(); ++a) {
    if (tree.attributes[a].number < 1) return "an attribute's number is below 1";
    if (a > 0 && tree.attributes[a - 1].number >= tree.attributes[a].number) {
      return "attributes are not ascending by number";
    }
  }
  return std::nullopt;
}

// In preorder the node after a split is its `yes` child, and the node after a leaf is the `no` child of the
// innermost split that still waits for one. So one pass sees each node once, and no split may be left waiting
// at the end.
Flaw check_shape(const DisclosureTree& tree) {
  if (tree.nodes.empty()) return "no nodes";
  std::vector<NodeIndex> waiting;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    if (node.split) {
      if (node.yes != i + 1) return at_node(i, "its yes child is not the next node");
      if (node.no <= node.yes || node.no >= tree.nodes.size())
        return at_node(i, "its no child is out of range");
      if (node.split->attribute >= tree.attributes.size()) return at_node(i, "its attribute is out of range");
      waiting.push_back(node.no);
      continue;
    }
    if (node.yes != 0 || node.no != 0) return at_node(i, "a leaf with children");
    if (waiting.empty()) {
      return i + 1 == tree.nodes.size() ? Flaw{} : Flaw{at_node(i + 1, "no split leads to it")};
    }
    if (waiting.back() != i + 1) return at_node(i + 1, "it is not the child its place makes it");
    waiting.pop_back();
  }
  return "the last nodes are missing";
}

// REQUIRES: check_shape found nothing.
Flaw check_counts(const DisclosureTree& tree) {
  const bool is_empty = tree.nodes.size() == 1 && tree.nodes.front().rows == 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    if (node.units < tree.k && !node.falls_back && !is_empty) return at_node(i, "fewer than k units");
    if (node.units > node.rows) return at_node(i, "more units than rows");
    if (!node.split) continue;
    const Node& yes = tree.nodes[node.yes];
    const Node& no = tree.nodes[node.no];
    // Written as differences, because sums of untrusted numbers may wrap.
    if (yes.rows > node.rows || node.rows - yes.rows != no.rows)
      return at_node(i, "its sides' rows don't add up");
    if (yes.units > node.units || no.units > node.units) return at_node(i, "a side has more units than it");
    if (node.units - yes.units > no.units) return at_node(i, "its units are on neither side");
  }
  return std::nullopt;
}

// REQUIRES: check_shape found nothing.
Flaw check_falls(const DisclosureTree& tree) {
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].falls_back && tree.nodes[i].split) return at_node(i, "it falls back, but is no leaf");
    if (tree.nodes[i].is_closed && tree.nodes[i].split) return at_node(i, "it is closed, but is no leaf");
  }
  NodeIndex end = 0;
  while (tree.nodes[end].split) end = tree.nodes[end].no;
  if (tree.nodes[end].falls_back) return at_node(end, "it falls back, but there is no outer chain");
  return std::nullopt;
}

// REQUIRES: check_shape found nothing.
Flaw check_paths(const DisclosureTree& tree) {
  std::vector<NodeIndex> end_of(tree.nodes.size());  // one past the last node below each
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const Node& node = tree.nodes[i];
    end_of[i] = node.split ? end_of[node.no] : static_cast<NodeIndex>(i + 1);
  }
  using Excluded = std::pair<std::uint32_t, std::string_view>;
  std::set<Excluded> excluded;
  std::vector<std::pair<NodeIndex, Excluded>>
      until;  // each exclusion and the node from which it no longer holds
  std::vector<Excluded> comes_with(tree.nodes.size());  // for `no` children
  std::vector<char> is_no_child(tree.nodes.size(), 0);
  std::vector<std::uint64_t> released(tree.nodes.size(), 0);  // one bit per attribute; at most 64
  static_assert(kMaxQuasiIdentifiers <= 64);
  const auto together = released_together(tree.attributes);
  for (NodeIndex i = 0; i < tree.nodes.size(); ++i) {
    while (!until.empty() && until.back().first <= i) {
      excluded.erase(until.back().second);
      until.pop_back();
    }
    if (is_no_child[i] != 0) {
      excluded.insert(comes_with[i]);
      until.emplace_back(end_of[i], comes_with[i]);
    }
    const Node& node = tree.nodes[i];
    if (!node.split) continue;
    const std::uint64_t bit = std::uint64_t{1} << node.split->attribute;
    const Excluded question{node.split->attribute, node.split->value};
    if ((released[i] & bit) != 0) return at_node(i, "its attribute is already released on the path");
    if (excluded.contains(question)) return at_node(i, "its value was asked before on the path");
    released[node.yes] = released[i] | together[node.split->attribute];
    released[node.no] = released[i];
    comes_with[node.no] = question;
    is_no_child[node.no] = 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_flaw(const DisclosureTree& tree) {
  if (auto flaw = check_attributes(tree)) return flaw;
  if (auto flaw = check_levels(tree)) return flaw;
  if (auto flaw = check_shape(tree)) return flaw;
  if (auto flaw = check_level_values(tree)) return flaw;
  if (auto flaw = check_falls(tree)) return flaw;
  if (auto flaw = check_counts(tree)) return flaw;
  return check_paths(tree);
}

}  // namespace pgveil::policy
