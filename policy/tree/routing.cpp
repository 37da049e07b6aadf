#include "policy/tree/routing.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "common/assert.hpp"

namespace pgveil::policy {

namespace {

using CodeOfText = std::unordered_map<std::string_view, Code>;

// Per attribute: the codes of the values that the tree splits on; kNullCode for a value that the counts do
// not have.
std::vector<CodeOfText> split_codes(const DisclosureTree& tree, const CountsView& counts) {
  std::vector<CodeOfText> codes(counts.attribute_count());
  for (const Node& node : tree.nodes) {
    if (node.split) codes[node.split->attribute].emplace(node.split->value, kNullCode);
  }
  for (std::size_t a = 0; a < counts.attribute_count(); ++a) {
    const std::vector<std::string>& values = counts.attribute(a).values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto found = codes[a].find(values[i]);
      if (found != codes[a].end()) found->second = static_cast<Code>(i + 1);
    }
  }
  return codes;
}

// Finds the first step of one chain that an entry matches.
class ChainLookup {
 public:
  void add(std::uint32_t attribute, Code code, std::uint32_t step) {
    if (std::find(attributes_.begin(), attributes_.end(), attribute) == attributes_.end()) {
      attributes_.push_back(attribute);
    }
    steps_.emplace(key(attribute, code), step);
  }
  // Returns `none` if it matches no step.
  [[nodiscard]] std::uint32_t first_match(const CountsView& counts, std::uint32_t entry,
                                          std::uint32_t none) const {
    std::uint32_t first = none;
    for (const std::uint32_t attribute : attributes_) {
      const auto found = steps_.find(key(attribute, counts.codes(attribute)[entry]));
      if (found != steps_.end()) first = std::min(first, found->second);
    }
    return first;
  }

 private:
  static std::uint64_t key(std::uint32_t attribute, Code code) {
    return std::uint64_t{attribute} << 32U | code;
  }

  std::vector<std::uint32_t> attributes_;
  std::unordered_map<std::uint64_t, std::uint32_t> steps_;
};

std::vector<ChainLookup> chain_lookups(const DisclosureTree& tree, const Chains& chains,
                                       const CountsView& counts) {
  const auto codes = split_codes(tree, counts);
  std::vector<ChainLookup> lookups(chains.chains.size());
  for (NodeIndex index = 0; index < tree.nodes.size(); ++index) {
    const auto& split = tree.nodes[index].split;
    if (!split) continue;
    const Code code = codes[split->attribute].at(split->value);
    if (code != kNullCode) lookups[chains.chain_of[index]].add(split->attribute, code, chains.step_of[index]);
  }
  return lookups;
}

}  // namespace

std::vector<TreeAttribute> tree_attributes(const CountsView& counts) {
  std::vector<TreeAttribute> attributes;
  for (std::size_t a = 0; a < counts.attribute_count(); ++a)
    attributes.push_back({counts.attribute(a).name, counts.attribute(a).number, counts.attribute(a).level});
  return attributes;
}

std::vector<NodeIndex> path_ends_of(const DisclosureTree& tree, const Chains& chains,
                                    const CountsView& counts) {
  PGVEIL_ASSERT(tree.attributes.size() == counts.attribute_count());
  const auto lookups = chain_lookups(tree, chains, counts);
  std::vector<NodeIndex> leaves(counts.entry_count(), 0);
  for (const std::uint32_t entry : counts.entries()) {
    ChainIndex at = 0;
    while (true) {
      const Chain& chain = chains.chains[at];
      const auto last = static_cast<std::uint32_t>(chain.nodes.size() - 1);
      const std::uint32_t step = lookups[at].first_match(counts, entry, last);
      if (step == last) {
        leaves[entry] = chain.nodes.back();
        break;
      }
      at = chains.chain_of[tree.nodes[chain.nodes[step]].yes];
    }
  }
  return leaves;
}

std::vector<NodeIndex> leaves_of(const DisclosureTree& tree, const Chains& chains, const CountsView& counts) {
  std::vector<NodeIndex> leaves = path_ends_of(tree, chains, counts);
  for (const std::uint32_t entry : counts.entries()) {
    if (tree.nodes[leaves[entry]].falls_back)
      leaves[entry] = chains.cohort_at_end(tree, chains.chain_of[leaves[entry]]);
  }
  return leaves;
}

std::vector<NodeCount> count_cohorts(const DisclosureTree& tree, const CountsView& counts,
                                     const std::vector<NodeIndex>& leaves) {
  std::vector<NodeCount> result(tree.nodes.size());
  std::vector<Code> last_unit(tree.nodes.size(), kNullCode);
  for (const std::uint32_t entry : counts.entries()) {  // those of one unit are next to each other
    NodeCount& cohort = result[leaves[entry]];
    cohort.rows += counts.rows(entry);
    if (!counts.has_units()) {
      cohort.units += counts.rows(entry);
      continue;
    }
    Code& last = last_unit[leaves[entry]];
    if (counts.unit(entry) == last) continue;  // NULL units come first and do not count
    last = counts.unit(entry);
    ++cohort.units;
  }
  return result;
}

}  // namespace pgveil::policy
