#include "console/format_tree.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "common/assert.hpp"
#include "console/command_list.hpp"
#include "console/format_cohorts.hpp"
#include "console/format_dot.hpp"
#include "console/quote.hpp"
#include "policy/tree/chains.hpp"

namespace pgveil::console {
namespace {

std::string condition_text(const policy::DisclosureTree& tree, const policy::Split& split) {
  return fmt::format("{} = {}", shown_name(tree.attributes[split.attribute].name), shown_value(split.value));
}

class Outline {
 public:
  explicit Outline(const policy::DisclosureTree& tree) : tree_(tree) {
    policy::for_each_cohort(tree, [&](const policy::Cohort& cohort) {
      leaves_.emplace(cohort.leaf, Leaf{cohort.label, shown_attributes(tree, cohort.disclosed)});
    });
    const policy::Chains chains = policy::chains_of(tree);
    std::map<policy::NodeIndex, Leaf> fallen;
    for (policy::NodeIndex index = 0; index < tree.nodes.size(); ++index) {
      if (!tree.nodes[index].falls_back) continue;
      const Leaf& joined = leaves_.at(chains.cohort_at_end(tree, chains.chain_of[index]));
      fallen.emplace(index, Leaf{"as " + joined.label, joined.shows});
    }
    leaves_.merge(fallen);
  }

  // Uses an explicit stack, because a tree may be as deep as it has cohorts.
  Table run() {
    Table table{columns_of(ShowTree{}), {}, "SHOW", {}};
    std::vector<Pending> stack{{0, 0, "everything"}};
    while (!stack.empty()) {
      const Pending now = std::move(stack.back());
      stack.pop_back();
      table.rows.push_back(line(now));
      push_list(now, stack);
    }
    return table;
  }

 private:
  struct Leaf {
    std::string label;
    std::string shows;
  };
  struct Pending {
    policy::NodeIndex node;
    std::size_t depth;
    std::string text;
  };

  // The children of a line: one per split along the chain of "no" sides, then the leaf that ends it.
  void push_list(const Pending& parent, std::vector<Pending>& stack) const {
    if (is_leaf(parent.node)) return;
    std::vector<Pending> list;
    policy::NodeIndex at = parent.node;
    while (!is_leaf(at)) {
      const auto& node = tree_.nodes[at];
      list.push_back({node.yes, parent.depth + 1, condition_text(tree_, *node.split)});
      at = node.no;
    }
    list.push_back({at, parent.depth + 1, std::string(kOtherwise)});
    stack.insert(stack.end(), std::make_move_iterator(list.rbegin()), std::make_move_iterator(list.rend()));
  }

  [[nodiscard]] bool is_leaf(policy::NodeIndex index) const { return !tree_.nodes[index].split.has_value(); }

  [[nodiscard]] std::vector<std::optional<std::string>> line(const Pending& at) const {
    const auto& node = tree_.nodes[at.node];
    std::vector<std::optional<std::string>> cells{std::string(2 * at.depth, ' ') + at.text,
                                                  std::to_string(node.rows), std::to_string(node.units),
                                                  std::nullopt, std::nullopt};
    if (const auto leaf = leaves_.find(at.node); leaf != leaves_.end()) {
      cells[3] = leaf->second.label;
      cells[4] = leaf->second.shows;
    }
    return cells;
  }

  static constexpr std::string_view kOtherwise = "otherwise";
  const policy::DisclosureTree& tree_;
  std::map<policy::NodeIndex, Leaf> leaves_;
};

}  // namespace

Table tree_table(const policy::DisclosureTree& tree) {
  return Outline(tree).run();
}

std::string tree_text_as(const policy::PolicyVersion& version, TreeFormat format) {
  switch (format) {
    case TreeFormat::dot: return tree_dot(version.tree);
    case TreeFormat::json: return policy::to_json(version);
  }
  PGVEIL_ASSERT(false);
  return {};
}

Table tree_table_as(const policy::PolicyVersion& version, TreeFormat format) {
  return {columns_of(ShowTreeAs{}), {{tree_text_as(version, format)}}, "SHOW", {}};
}

}  // namespace pgveil::console
