#include "attack/known_persons.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "common/assert.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::attack {

namespace {

using policy::Code;
using policy::NodeIndex;

constexpr Code kUnseen = 0xffffffff;  // a value that no row has

class Persons {
 public:
  Persons(const Knowledge& known, const policy::Counts& counts, const std::vector<std::uint32_t>& columns)
      : tree_(known.tree),
        class_rows_(known.class_rows),
        view_(counts),
        chains_(policy::chains_of(known.tree)),
        is_known_(known.tree.attributes.size(), false),
        split_code_(known.tree.nodes.size(), kUnseen) {
    for (const std::uint32_t a : columns) is_known_[a] = true;
    for (NodeIndex i = 0; i < split_code_.size(); ++i) {
      const auto& split = tree_.nodes[i].split;
      if (!split) continue;
      const auto& values = view_.attribute(split->attribute).values;
      const auto at = std::ranges::find(values, split->value);
      if (at != values.end()) split_code_[i] = static_cast<Code>(at - values.begin() + 1);
    }
  }

  // What each class shows or lets compute.
  void learn_classes(const Findings& found) {
    learnt_.resize(tree_.nodes.size());
    policy::for_each_cohort(tree_, [&](const policy::Cohort& cohort) {
      const auto shown = policy::shown_by(tree_, cohort.path);
      auto& codes = learnt_[cohort.leaf];
      codes.assign(shown.size(), policy::kNullCode);
      for (std::size_t a = 0; a < shown.size(); ++a) {
        if (shown[a]) codes[a] = code_of(a, *shown[a]);
      }
    });
    for (const Claim& claim : found.claims)
      learnt_[claim.leaf][claim.attribute] = code_of(claim.attribute, claim.value);
  }

  struct Reachable {
    std::uint64_t classes = 0;
    std::uint64_t rows = 0;
    std::vector<Code> learnt;  // one value in all of the classes; kNullCode: none or several
  };

  [[nodiscard]] Reachable reach(const std::vector<Code>& codes) const {
    Reachable result;
    std::vector<char> is_counted(tree_.nodes.size(), 0);
    std::vector<NodeIndex> open = {0};
    while (!open.empty()) {
      const NodeIndex at = open.back();
      open.pop_back();
      const policy::Node& node = tree_.nodes[at];
      if (!node.split) {
        const NodeIndex leaf = chains_.cohort_at_end(tree_, chains_.chain_of[at]);
        if (is_counted[leaf] == 0 && class_rows_[leaf] > 0) add_class(leaf, result);
        is_counted[leaf] = 1;
        continue;
      }
      const std::uint32_t a = node.split->attribute;
      if (!is_known_[a] || codes[a] == split_code_[at]) open.push_back(node.yes);
      if (!is_known_[a] || codes[a] != split_code_[at]) open.push_back(node.no);
    }
    return result;
  }

  KnownPersons run(KnownPersons result) const {
    std::map<std::vector<Code>, std::vector<std::uint32_t>> alike;
    for (const std::uint32_t entry : view_.entries()) alike[known_codes(entry)].push_back(entry);
    if (alike.size() > kMostWays / tree_.nodes.size()) {
      result.is_left_out = true;
      return result;
    }
    for (const auto& [codes, entries] : alike) {
      const Reachable found = reach(codes);
      std::uint64_t persons = 0;
      for (const std::uint32_t entry : entries) {
        persons += view_.rows(entry);
        compare(entry, found, result);
      }
      result.persons += persons;
      result.unique += persons == 1 ? 1 : 0;
      result.in_one_class += found.classes == 1 ? persons : 0;
      result.fewest_rows = result.fewest_rows == 0 ? found.rows : std::min(result.fewest_rows, found.rows);
    }
    return result;
  }

 private:
  void add_class(NodeIndex leaf, Reachable& result) const {
    result.rows += class_rows_[leaf];
    if (++result.classes == 1) {
      result.learnt = learnt_[leaf];
      return;
    }
    for (std::size_t a = 0; a < result.learnt.size(); ++a) {
      if (result.learnt[a] != learnt_[leaf][a]) result.learnt[a] = policy::kNullCode;
    }
  }

  void compare(std::uint32_t entry, const Reachable& found, KnownPersons& result) const {
    for (std::size_t a = 0; a < is_known_.size(); ++a) {
      const Code truth = view_.codes(a)[entry];
      if (is_known_[a] || truth == policy::kNullCode) continue;
      result.unknown_cells += view_.rows(entry);
      if (found.learnt[a] == policy::kNullCode) continue;
      (found.learnt[a] == truth ? result.learnt : result.wrong) += view_.rows(entry);
    }
  }

  [[nodiscard]] std::vector<Code> known_codes(std::uint32_t entry) const {
    std::vector<Code> codes(is_known_.size(), policy::kNullCode);
    for (std::size_t a = 0; a < codes.size(); ++a) {
      if (is_known_[a]) codes[a] = view_.codes(a)[entry];
    }
    return codes;
  }

  [[nodiscard]] Code code_of(std::size_t a, const std::string& text) const {
    const auto& values = view_.attribute(a).values;
    const auto at = std::ranges::find(values, text);
    return at == values.end() ? kUnseen : static_cast<Code>(at - values.begin() + 1);
  }

  const policy::DisclosureTree& tree_;
  const std::vector<std::uint64_t>& class_rows_;
  policy::CountsView view_;
  policy::Chains chains_;
  std::vector<bool> is_known_;             // per attribute
  std::vector<Code> split_code_;           // per node
  std::vector<std::vector<Code>> learnt_;  // per leaf of a class
};

}  // namespace

KnownPersons attack_known(const Knowledge& knowledge, const policy::Counts& counts, const Findings& found,
                          const std::vector<std::uint32_t>& known) {
  KnownPersons result;
  for (const std::uint32_t a : known) result.columns.push_back(knowledge.tree.attributes[a].name);
  Persons persons(knowledge, counts, known);
  persons.learn_classes(found);
  return persons.run(std::move(result));
}

}  // namespace pgveil::attack
