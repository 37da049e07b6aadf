#include "console/format_rules.hpp"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "console/command_list.hpp"
#include "console/excerpt.hpp"
#include "console/format_cohorts.hpp"
#include "console/quote.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::console {
namespace {

// A cell with more is read by nobody.
constexpr std::size_t kConditionsNamed = 100;

// A split that releases an attribute: what its rows have to be, and how many show the attribute by it.
struct Condition {
  std::uint32_t attribute = 0;
  const policy::Split& split;
  const std::vector<policy::PathStep>& path;
  bool may_fall = false;
  std::uint64_t rows = 0;
};

std::string text_of(const policy::DisclosureTree& tree, const Condition& condition) {
  return predicate_text(tree, condition.path) +
         (condition.may_fall ? ", but for rows that fall back" : "");
}

struct Rule {
  std::vector<std::string> conditions;  // the first of them
  std::size_t count = 0;
  std::uint64_t rows = 0;
};

std::string text_of(const Rule& rule, const std::string& column) {
  if (rule.count == 0) return "never";
  if (rule.count == 1) return rule.conditions.front();
  std::string text;
  for (const auto& condition : rule.conditions) text += (text.empty() ? "(" : " OR (") + condition + ")";
  if (rule.count > rule.conditions.size()) {
    text += fmt::format(" OR … {} more, which SHOW RULES … FOR {} lists",
                        rule.count - rule.conditions.size(), column);
  }
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
void for_each_condition(const policy::DisclosureTree& tree,
                        const std::function<void(const Condition&)>& visit) {
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
    const std::uint64_t rows = tree.nodes[node.yes].rows - falling_out[below];
    for (std::uint32_t a = 0; a < tree.attributes.size(); ++a) {
      if (((released[node.yes] & ~released[now.node]) >> a & 1) != 0)
        visit({a, *node.split, path, may_fall, rows});
    }
    path.pop_back();
    stack.push_back({node.no, path.size(), std::move(no)});
    stack.push_back({node.yes, path.size(), std::move(yes)});
  }
}

}  // namespace

Table rules_table(const policy::DisclosureTree& tree) {
  std::vector<Rule> rules(tree.attributes.size());
  for_each_condition(tree, [&](const Condition& condition) {
    Rule& rule = rules[condition.attribute];
    rule.rows += condition.rows;
    if (++rule.count <= kConditionsNamed) rule.conditions.push_back(text_of(tree, condition));
  });
  Table table{columns_of(ShowRules{}), {}, "SHOW", {}};
  for (std::size_t a = 0; a < rules.size(); ++a) {
    const std::string name = shown_name(tree.attributes[a].name);
    table.rows.push_back({name, text_of(rules[a], name), std::to_string(rules[a].rows)});
  }
  return table;
}

Result<Table> rules_table(const policy::DisclosureTree& tree, const Excerpt& excerpt) {
  const auto attribute = attribute_of(tree, excerpt);
  if (!attribute) return attribute.error();
  Table table{columns_of(ShowRules{}), {}, "SHOW", {}};
  ExcerptRows rows(excerpt);
  if (!*attribute) {
    for (auto& row : rules_table(tree).rows) {
      if (rows.takes_next()) table.rows.push_back(std::move(row));
    }
  } else {
    for_each_condition(tree, [&](const Condition& condition) {
      const bool fits = condition.attribute == **attribute &&
                        (!excerpt.value || policy::released_value(tree, condition.split, **attribute) ==
                                               excerpt.value);
      if (!fits || !rows.takes_next()) return;
      table.rows.push_back({shown_name(*excerpt.column), text_of(tree, condition),
                            std::to_string(condition.rows)});
    });
  }
  if (auto note = rows.note("rules"); !note.empty()) table.notices.push_back(std::move(note));
  return table;
}

}  // namespace pgveil::console
