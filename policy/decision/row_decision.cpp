#include "policy/decision/row_decision.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/decision_branches.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::policy {
namespace {

static_assert(kMaxQuasiIdentifiers <= 64);  // one bit for each

bool is_same(const RowDecision& a, const RowDecision& b);

bool leads_to_the_same(const RowArm& a, const RowArm& b) {
  return is_same(a.then.front(), b.then.front());
}

bool is_same_arm(const RowArm& a, const RowArm& b) {
  return a.attribute == b.attribute && a.values == b.values && leads_to_the_same(a, b);
}

bool is_same(const RowDecision& a, const RowDecision& b) {
  return a.released == b.released && a.arms.size() == b.arms.size() &&
         std::equal(a.arms.begin(), a.arms.end(), b.arms.begin(), is_same_arm);
}

// Decides for rows that come to this chain with these attributes released. released_outside: what rows that
// fall back from it show. Every `yes` releases an attribute that its chain does not. So no arm has the same
// outcome as "no arm" (except where drift has emptied it), and none can be left out.
RowDecision decide(const DisclosureTree& tree, const Chains& chains,
                   const std::vector<std::uint64_t>& together, const Chain& chain, std::uint64_t released,
                   std::uint64_t released_outside) {
  PGVEIL_ASSERT(chain.depth <= tree.attributes.size());  // bounds the recursion
  RowDecision out{Chains::falls_back(tree, chain) ? released_outside : released, {}};
  for (const NodeIndex index : chain.nodes) {
    const auto& split = tree.nodes[index].split;
    if (!split) break;
    const std::uint64_t with_it = released | together[split->attribute];
    out.arms.push_back(
        {split->attribute,
         {split->value},
         tree.nodes[tree.nodes[index].yes].rows,
         {decide(tree, chains, together, chains.yes_chain(tree, index), with_it, out.released)}});
  }
  out.arms = with_runs_merged(std::move(out.arms), leads_to_the_same);
  return out;
}

}  // namespace

RowDecision compile_row_decision(const DisclosureTree& tree) {
  const Chains chains = chains_of(tree);
  return decide(tree, chains, released_together(tree.attributes), chains.chains.front(), 0, 0);
}

std::uint64_t released_attributes(const RowDecision& decision,
                                  std::span<const std::optional<std::string_view>> values) {
  const RowDecision* at = &decision;
  while (true) {
    const auto matches = [&](const RowArm& arm) {
      const auto& value = values[arm.attribute];
      return value && std::ranges::find(arm.values, *value) != arm.values.end();
    };
    const auto arm = std::ranges::find_if(at->arms, matches);
    if (arm == at->arms.end()) return at->released;
    at = &arm->then.front();
  }
}

}  // namespace pgveil::policy
