#include "policy/tree/released_together.hpp"

#include <set>
#include <string_view>
#include <utility>

#include "policy/level/preimage.hpp"

namespace pgveil::policy {

namespace {

bool is_released_by(const TreeAttribute& split, const TreeAttribute& other) {
  return source_of(split) == source_of(other) && coarseness_of(other) > coarseness_of(split);
}

}  // namespace

std::vector<std::uint64_t> released_together(const std::vector<TreeAttribute>& attributes) {
  std::vector<std::uint64_t> out;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    std::uint64_t bits = std::uint64_t{1} << a;
    for (std::size_t b = 0; b < attributes.size(); ++b) {
      if (is_released_by(attributes[a], attributes[b])) bits |= std::uint64_t{1} << b;
    }
    out.push_back(bits);
  }
  return out;
}

std::optional<std::string> released_value(const DisclosureTree& tree, const Split& split,
                                          std::uint32_t attribute) {
  if (split.attribute == attribute) return split.value;
  const TreeAttribute& from = tree.attributes[split.attribute];
  const TreeAttribute& to = tree.attributes[attribute];
  if (!is_released_by(from, to)) return std::nullopt;
  return level_value(*to.level, from.level ? sample_of(*from.level, split.value) : split.value);
}

std::vector<std::string> values_released(const DisclosureTree& tree, std::uint32_t attribute) {
  std::set<std::string> values;
  std::set<std::pair<std::uint32_t, std::string_view>> seen;
  for (const Node& node : tree.nodes) {
    if (!node.split || !seen.emplace(node.split->attribute, node.split->value).second) continue;
    if (auto value = released_value(tree, *node.split, attribute)) values.insert(std::move(*value));
  }
  return {values.begin(), values.end()};
}

std::vector<std::optional<std::string>> shown_by(const DisclosureTree& tree,
                                                 const std::vector<PathStep>& path) {
  std::vector<std::optional<std::string>> shown(tree.attributes.size());
  for (const PathStep& step : path) {
    if (!step.has_value) continue;
    for (std::uint32_t a = 0; a < shown.size(); ++a) {
      if (auto value = released_value(tree, {step.attribute, step.value}, a)) shown[a] = std::move(*value);
    }
  }
  return shown;
}

std::vector<std::uint64_t> released_on_path(const DisclosureTree& tree) {
  const auto with = released_together(tree.attributes);
  std::vector<std::uint64_t> released(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {  // preorder: parents come first
    const Node& node = tree.nodes[i];
    if (!node.split) continue;
    released[node.yes] = released[i] | with[node.split->attribute];
    released[node.no] = released[i];
  }
  return released;
}

}  // namespace pgveil::policy
