#include "console/format_rules.hpp"

#include <utility>

#include "console/command_list.hpp"
#include "console/format_cohorts.hpp"
#include "console/quote.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::console {
namespace {

struct Rule {
  std::vector<std::string> conditions;  // one per split that releases the attribute
  std::uint64_t rows = 0;
};

std::string text_of(const Rule& rule) {
  if (rule.conditions.empty()) return "never";
  if (rule.conditions.size() == 1) return rule.conditions.front();
  std::string text;
  for (const auto& condition : rule.conditions) text += (text.empty() ? "(" : " OR (") + condition + ")";
  return text;
}

// A node to visit, and the step that leads to it after the path's first `depth` steps.
struct Visit {
  policy::NodeIndex node = 0;
  std::size_t depth = 0;
  std::optional<policy::PathStep> step;
};

// Keeps one path and cuts it back instead of copying it, because a chain of "no" sides may have as many nodes
// as an attribute has values.
std::vector<Rule> rules_of(const policy::DisclosureTree& tree) {
  std::vector<Rule> rules(tree.attributes.size());
  const policy::Chains chains = policy::chains_of(tree);
  const std::vector<std::uint64_t> falling_out = policy::rows_falling_out(tree, chains);
  const std::vector<std::uint64_t> released = policy::released_on_path(tree);
  std::vector<policy::PathStep> path;
  std::vector<Visit> stack(1);
  while (!stack.empty()) {
    Visit now = std::move(stack.back());
    stack.pop_back();
    path.resize(now.depth);
    if (now.step) path.push_back(std::move(*now.step));
    const auto& node = tree.nodes[now.node];
    if (!node.split) continue;
    policy::PathStep yes{node.split->attribute, node.split->value, true};
    policy::PathStep no{node.split->attribute, node.split->value, false};
    path.push_back(yes);
    const policy::ChainIndex below = chains.chain_of[node.yes];
    const bool may_fall = policy::Chains::falls_back(tree, chains.chains[below]);
    for (std::size_t a = 0; a < rules.size(); ++a) {
      if (((released[node.yes] & ~released[now.node]) >> a & 1) == 0) continue;
      rules[a].conditions.push_back(predicate_text(tree, path) +
                                    (may_fall ? ", but for rows that fall back" : ""));
      rules[a].rows += tree.nodes[node.yes].rows - falling_out[below];
    }
    path.pop_back();
    stack.push_back({node.no, path.size(), std::move(no)});
    stack.push_back({node.yes, path.size(), std::move(yes)});
  }
  return rules;
}

}  // namespace

Table rules_table(const policy::DisclosureTree& tree) {
  Table table{columns_of(ShowRules{}), {}, "SHOW", {}};
  const auto rules = rules_of(tree);
  for (std::size_t a = 0; a < rules.size(); ++a) {
    table.rows.push_back(
        {shown_name(tree.attributes[a].name), text_of(rules[a]), std::to_string(rules[a].rows)});
  }
  return table;
}

}  // namespace pgveil::console
