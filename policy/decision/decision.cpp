#include "policy/decision/decision.hpp"

#include <algorithm>
#include <utility>

#include "common/assert.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/decision_branches.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::policy {

namespace {

bool is_nothing(const Arm& arm) {
  return arm.then.size() == 1 && arm.then.front().arms.empty();
}

bool is_same(const Arm& a, const Arm& b);

bool is_same_outcome(const Arm& a, const Arm& b) {
  if (a.then.size() != b.then.size()) return false;
  if (a.then.empty()) return a.shows == b.shows;
  const auto& x = a.then.front().arms;
  const auto& y = b.then.front().arms;
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), is_same);
}

bool is_same(const Arm& a, const Arm& b) {
  return a.attribute == b.attribute && a.values == b.values && is_same_outcome(a, b);
}

// An arm that releases nothing only guards its rows from later arms that release something. Later arms on its
// own attribute cannot match its rows, so it is needed only if a releasing arm on another attribute follows.
std::vector<Arm> without_idle_arms(std::vector<Arm> arms) {
  std::vector<Arm> kept;
  std::optional<std::uint32_t> releasing;  // an attribute of a later arm that releases
  bool has_two = false;                    // there is a second such attribute
  for (auto arm = arms.rbegin(); arm != arms.rend(); ++arm) {
    if (is_nothing(*arm)) {
      if (!has_two && (!releasing || *releasing == arm->attribute)) continue;
    } else {
      has_two = has_two || (releasing && *releasing != arm->attribute);
      releasing = arm->attribute;
    }
    kept.push_back(std::move(*arm));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

class DecisionCompiler {
 public:
  DecisionCompiler(const DisclosureTree& tree, const Chains& chains, std::uint32_t attribute)
      : tree_(tree), chains_(chains), attribute_(attribute) {}

  // Decides for rows that come to this chain. released: the form in which the path released the attribute;
  // rows that fall back from here lose it. The recursion is as deep as chains nest: at most one level per
  // attribute (tree.hpp releases each once on a path).
  [[nodiscard]] Decision decide(const Chain& chain, const std::optional<std::string>& released) const {
    PGVEIL_ASSERT(chain.depth <= tree_.attributes.size());
    std::vector<Arm> arms;
    for (const NodeIndex index : chain.nodes) {
      const auto& split = tree_.nodes[index].split;
      if (!split) break;
      Arm arm{split->attribute, {split->value}, {}, tree_.nodes[tree_.nodes[index].yes].rows, {}};
      const Chain& below = chains_.yes_chain(tree_, index);
      const auto released_below = released ? released : released_value(tree_, *split, attribute_);
      if (!released_below || Chains::falls_back(tree_, below)) {
        arm.then.push_back(decide(below, released_below));
      } else if (tree_.attributes[attribute_].level) {
        arm.shows = *released_below;
      }
      arms.push_back(std::move(arm));
    }
    return {with_runs_merged(without_idle_arms(std::move(arms)), is_same_outcome)};
  }

 private:
  const DisclosureTree& tree_;
  const Chains& chains_;
  std::uint32_t attribute_;
};

}  // namespace

std::vector<Decision> compile_decisions(const DisclosureTree& tree) {
  const Chains chains = chains_of(tree);
  std::vector<Decision> decisions;
  for (std::uint32_t attribute = 0; attribute < tree.attributes.size(); ++attribute) {
    decisions.push_back(
        DecisionCompiler(tree, chains, attribute).decide(chains.chains.front(), std::nullopt));
  }
  return decisions;
}

namespace {

// The arm that releases the value; null: none does.
const Arm* releasing_arm(const Decision& decision, std::span<const std::optional<std::string_view>> values) {
  const Decision* at = &decision;
  while (true) {
    const auto matches = [&](const Arm& arm) {
      const auto& value = values[arm.attribute];
      return value && std::find(arm.values.begin(), arm.values.end(), *value) != arm.values.end();
    };
    const auto arm = std::find_if(at->arms.begin(), at->arms.end(), matches);
    if (arm == at->arms.end()) return nullptr;
    if (arm->then.empty()) return &*arm;
    at = &arm->then.front();
  }
}

}  // namespace

bool is_released(const Decision& decision, std::span<const std::optional<std::string_view>> values) {
  return releasing_arm(decision, values) != nullptr;
}

std::optional<std::string> shown_constant(const Decision& decision,
                                          std::span<const std::optional<std::string_view>> values) {
  const Arm* arm = releasing_arm(decision, values);
  return arm == nullptr ? std::nullopt : std::optional(arm->shows);
}

}  // namespace pgveil::policy
