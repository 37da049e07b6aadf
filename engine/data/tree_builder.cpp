#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/data/builder_parts.hpp"

namespace pgveil::engine {
namespace {

using Parents = std::unordered_map<std::string_view, std::string_view>;

Result<Parents> parents_of(const Tree& tree, std::string_view column) {
  Parents parents;
  for (std::size_t i = 0; i < tree.parent_of.size(); ++i) {
    const auto& [node, parent] = tree.parent_of[i];
    if (node.empty()) {
      return rule_error(fmt::format("the tree of {} has a node without a name", column),
                        "use a hierarchy file for the empty text");
    }
    if (parents.emplace(node, parent).second) continue;
    return rule_error(fmt::format("the tree of {} has its node {} twice", column, i + 1),
                      "each node has one parent");
  }
  return parents;
}

// From the node up to its root.
Result<std::vector<std::string>> path_up(const Parents& parents, std::string_view node,
                                         std::string_view column) {
  std::vector<std::string> path;
  while (!node.empty()) {
    const auto found = parents.find(node);
    if (found == parents.end()) {
      return rule_error(fmt::format("the tree of {} has a parent that is no node", column),
                        "add it with a parent of its own, or as a root");
    }
    if (path.size() > parents.size()) {
      return rule_error(fmt::format("the tree of {} has a circle", column), "each path must end at a root");
    }
    path.emplace_back(node);
    node = found->second;
  }
  return path;
}

// The nodes that get a row: leaves, and inner nodes that are values.
std::vector<std::string_view> row_nodes(const Tree& tree, std::span<const std::string> values) {
  std::unordered_set<std::string_view> inner;
  for (const auto& [node, parent] : tree.parent_of) inner.insert(parent);
  const std::unordered_set<std::string_view> used(values.begin(), values.end());
  std::vector<std::string_view> nodes;
  for (const auto& [node, parent] : tree.parent_of) {
    if (!inner.contains(node) || used.contains(node)) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

Result<BuiltRows> build(const Tree& rule, std::string_view column, std::span<const std::string> values) {
  const auto parents = parents_of(rule, column);
  if (parents.has_error()) return parents.error();
  std::vector<std::string> missing;
  for (const auto& value : values) {
    if (!parents->contains(value)) missing.push_back(value);
  }
  if (!missing.empty()) {
    return values_error(fmt::format("the tree of {} lacks {} values of the column", column, missing.size()),
                        "add a node for each", missing);
  }
  if (rule.parent_of.empty())
    return rule_error(fmt::format("the tree of {} is empty", column), "add its nodes");
  BuiltRows built;
  std::unordered_set<std::string> roots;
  for (const auto& [node, parent] : rule.parent_of) {  // also visits inner nodes, because a cycle has no leaf
    const auto path = path_up(*parents, node, column);
    if (path.has_error()) return path.error();
    built.width = std::max(built.width, path->size());
    roots.insert(path->back());
  }
  const bool needs_top = roots.size() > 1 || built.width == 1;
  if (auto possible = check_width(built.width + (needs_top ? 1 : 0), column, "choose fewer levels");
      !possible)
    return possible.error();
  for (const auto node : row_nodes(rule, values)) {
    auto row = *path_up(*parents, node, column);
    row.insert(row.begin(), built.width - row.size(), std::string(node));
    if (needs_top) row.emplace_back(kEverything);
    built.rows.push_back(std::move(row));
  }
  if (needs_top) ++built.width;
  return built;
}

}  // namespace pgveil::engine
