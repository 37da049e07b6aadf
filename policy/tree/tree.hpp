#pragma once
// The disclosure tree ("SQL-Based Enforcement of k-Anonymization", docs/bibliography.md; exact rules in
// docs/disclosure-tree.md).
//
// Start with everything suppressed. In a partition, among the values of attributes not yet released on that
// path, take the most frequent (attribute, value) such that the units that have it and the units that are not
// known to have it are each at least k. Split there: `yes` releases the attribute, `no` is "not known to have
// the value" (NULL goes there). Repeat in both until nothing qualifies. Ties: lower attribute number first,
// then the value's text, bytes ascending. Leaves are cohorts. NULL is never released.
//
// A chain is a node, its `no` child, that child's `no` child …; each `yes` child starts another chain.
// Strategy::thorough goes on where a chain that some `yes` started would end in a cohort. If at least k of
// its units share a value, the value is split off even though fewer than k units are left over. These few
// fall back: they are shown like the rows at the end of the next outer chain, that is, without the value that
// the `yes` released. So they join a cohort of at least k units, and every leaf that does not fall back is a
// cohort.
//
// A level (level.hpp) is an attribute of its own. Only the choice of splits treats it differently: in a
// partition exact values come first, then levels from fine to coarse, each as long as it has values that
// qualify. So levels never take an exact value away. A split that releases a value also releases the coarser
// levels of it, because they follow from it.
//
// Everything here is pure and deterministic: the same counts in any row order give the same tree.
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "policy/counts/counts.hpp"
#include "policy/spec/constraint.hpp"
#include "policy/spec/growth.hpp"

namespace pgveil::policy {

using NodeIndex = std::uint32_t;

struct Split {
  std::uint32_t attribute = 0;  // index into DisclosureTree::attributes
  std::string value;            // canonical text
  bool operator==(const Split&) const = default;
};

struct Node {
  std::optional<Split> split;  // none: a leaf
  NodeIndex yes = 0;           // both 0 on a leaf
  NodeIndex no = 0;
  std::uint64_t rows = 0;   // rows of the data that built (or last repaired) the tree
  std::uint64_t units = 0;  // distinct non-NULL units; equals rows when the policy names no unit
  // A leaf that is no cohort. Its rows (fewer than k units when it was built) belong to the cohort at the end
  // of the next outer chain that does not fall back. Never set on the root's chain.
  bool falls_back = false;
  // A leaf that was once a split: no rebuild splits it again (lineage.hpp).
  bool is_closed = false;
  bool operator==(const Node&) const = default;
};

struct TreeAttribute {
  std::string name;  // of the column that shows it
  int number = 0;
  std::optional<Level> level = std::nullopt;  // none: the column's exact values
  bool operator==(const TreeAttribute&) const = default;
};

// When an attribute's splits come, in a tree that is made for a workload (order_search.hpp). In a partition
// those of the least rank come first, and of one rank the one with the greatest merit: its units, times
// 2^favour, times √2^rarity for each halving of the share of the table's units that have the value, divided,
// if it is by cost, by the number of half octaves that this share is below 1.
struct Turn {
  std::uint32_t rank = 0;
  std::uint32_t favour = 0;
  std::uint32_t rarity = 0;
  bool is_by_cost = false;
  auto operator<=>(const Turn&) const = default;
};
inline constexpr std::uint32_t kMaxRank = 8;
inline constexpr std::uint32_t kMaxFavour = 24;
inline constexpr std::uint32_t kMaxRarity = 8;

struct DisclosureTree {
  std::uint64_t k = 0;
  std::vector<TreeAttribute> attributes;  // ascending by number
  std::vector<Node> nodes;                // preorder, yes before no; nodes[0] is the root
  std::vector<Turn> turns = {};           // one per attribute, or none: the order that Growth says
  bool operator==(const DisclosureTree&) const = default;
};

// A constraint that both sides of every split keep (mode refine).
struct SideRule {
  std::size_t column = 0;  // in counts.sensitive
  ConstraintModel model;
};
using SideRules = std::vector<SideRule>;

// Builds the tree. With rules, both sides of a candidate must keep them in the partition as it is when the
// candidate's turn comes. A candidate that breaks a rule is passed over and tried again after the next split
// of the chain.
//
// Errors: ErrorKind::policy when the root has fewer than k units (then the table is refused, because hiding
// columns is not enough) or breaks a rule; ErrorKind::limit when combinations × attributes do not fit in 32
// bits, or when cutting down to max_cohorts takes too much (prune.hpp). REQUIRES: k ≥ 2, at most
// kMaxQuasiIdentifiers attributes, max_cohorts ≥ 1, no rules with Strategy::thorough. Takes O(rows ×
// attributes²) time, however many leaves there are; memory is a few copies of the codes. Entries with 0 rows
// do not count. `progress`, if set, is called now and then with the share of rows settled in leaves, in [0,
// 1].
[[nodiscard]] Result<DisclosureTree> build_tree(const Counts& counts, std::uint64_t k, const Growth& growth,
                                                const std::function<void(double)>& progress = {},
                                                const SideRules& rules = {});

// The leaf of a row's cohort, never one that falls back. values: one per tree attribute; nullopt is NULL.
[[nodiscard]] NodeIndex leaf_of(const DisclosureTree& tree,
                                std::span<const std::optional<std::string_view>> values);
// The leaf at the end of the row's own path, which may be one that falls back.
[[nodiscard]] NodeIndex path_end_of(const DisclosureTree& tree,
                                    std::span<const std::optional<std::string_view>> values);

// A step of the path that leads to a cohort's leaf. Rows that fall back to the cohort took another path.
struct PathStep {
  std::uint32_t attribute = 0;
  std::string value;
  // True: "attribute = value" (the attribute is released); false: not known to have it.
  bool has_value = false;
};
struct Cohort {
  NodeIndex leaf = 0;
  std::string label;  // the paper's: D, then 1 for yes and 2 for no at each step: D111, D12, D22
  std::vector<PathStep> path;
  std::vector<std::uint32_t>
      disclosed;            // attributes released on the path, levels that follow included; ascending
  std::uint64_t rows = 0;   // including the rows that fall back to it
  std::uint64_t units = 0;  // of its own path; the cohort has at least this many
};
// In preorder, so D111, D112, D12, D21, D22 in the paper's example. The last one is the sacrificial cohort.
[[nodiscard]] std::vector<Cohort> cohorts(const DisclosureTree& tree);

// The same, one cohort at a time. All paths together can be large: an attribute with 20,000 released values
// makes 20,000 cohorts with 10,000 steps each on average. The cohort lives only during the call.
void for_each_cohort(const DisclosureTree& tree, const std::function<void(const Cohort&)>& visit);

// What is undone together with a value that now has fewer than k units.
enum class Undo {
  // only its own rows: they fall back to the end of the chain, and the rest of the chain goes on without them
  value,
  rest  // everything that comes after it on the chain, too
};

// Counts the tree's nodes anew on other data and undoes the splits that this data no longer supports
// (docs/disclosure-tree.md, "Rebuilding"). A `yes` side with fewer than k units becomes a closed leaf that
// falls back. Its split stays in the tree to keep its rows, present and future, away from the splits after
// it. A chain is cut where its `no` side has fewer than k units (a leaf that falls back may have fewer),
// where a rule is broken, and where nothing but such leaves is left. So each cohort of the result is a union
// of cohorts of the tree and shows no more than they do. With rules, use Undo::rest, because otherwise the
// rows that fall back would have to keep the rules as well. Attributes are matched by position. `collapsed`
// is the number of splits that no longer release anything: 0 if the tree is unchanged.
// Errors: ErrorKind::policy when the root itself has fewer than k units or breaks a rule.
struct Repaired {
  DisclosureTree tree;
  std::size_t collapsed = 0;
};
[[nodiscard]] Result<Repaired> repair(const DisclosureTree& tree, const Counts& counts,
                                      const SideRules& rules = {}, Undo undo = Undo::value);

// The same recount without a repair. Per node (tree.nodes order): rows and units on the given data.
struct NodeCount {
  std::uint64_t rows = 0;
  std::uint64_t units = 0;
};
[[nodiscard]] std::vector<NodeCount> recount(const DisclosureTree& tree, const Counts& counts);

// Per node (tree.nodes order): the rows and distinct units of the cohort at this node, including those that
// fall back to it; 0 where there is no cohort. This is what readers see as one equivalence class.
[[nodiscard]] std::vector<NodeCount> recount_cohorts(const DisclosureTree& tree, const Counts& counts);

}  // namespace pgveil::policy
