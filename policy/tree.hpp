#pragma once
// The disclosure tree (sql-k-anonymization paper; exact rules in docs/disclosure-tree.md).
//
// Start with everything suppressed. In a partition, among the values of attributes not yet released on that
// path, take the most frequent (attribute, value) such that the units that have it and the units that are not
// known to have it are each at least k. Split there: `yes` releases the attribute, `no` is "not known to have
// the value" (NULL goes there). Repeat in both until nothing qualifies. Ties: lower attribute number first,
// then the value's text, bytes ascending. Leaves are cohorts. NULL is never released.
//
// Everything here is pure and deterministic: the same counts in any row order give the same tree.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "policy/counts.hpp"

namespace pgveil::policy {

using NodeIndex = std::uint32_t;

struct Split {
  std::uint32_t attribute = 0;  // index into DisclosureTree::attributes
  std::string value;            // canonical text
  bool operator==(const Split&) const = default;
};

struct Node {
  std::optional<Split> split;  // none: a leaf, i.e. a cohort
  NodeIndex yes = 0;           // both 0 on a leaf
  NodeIndex no = 0;
  std::uint64_t rows = 0;   // rows of the data that built (or last repaired) the tree
  std::uint64_t units = 0;  // distinct non-NULL units; equals rows when the policy names no unit
  bool operator==(const Node&) const = default;
};

struct TreeAttribute {
  std::string name;
  int number = 0;
  bool operator==(const TreeAttribute&) const = default;
};

struct DisclosureTree {
  std::uint64_t k = 0;
  std::vector<TreeAttribute> attributes;  // ascending by number
  std::vector<Node> nodes;                // preorder, yes before no; nodes[0] is the root
  bool operator==(const DisclosureTree&) const = default;
};

// Errors: ErrorKind::policy when the root has fewer than k units (the table is refused, hiding columns is not
// enough), and ErrorKind::limit when combinations × attributes don't fit in 32 bits. REQUIRES: k ≥ 2, at most
// kMaxQuasiIdentifiers attributes. O(rows × attributes²) time, however many leaves; memory is a few copies of
// the codes. Entries with 0 rows do not count. `progress`, if set, is called now and then with the share of
// rows settled in leaves, in [0, 1].
[[nodiscard]] Result<DisclosureTree> build_tree(const Counts& counts, std::uint64_t k,
                                                const std::function<void(double)>& progress = {});

// A row's values per tree attribute; nullopt is NULL. → the leaf it falls in.
[[nodiscard]] NodeIndex leaf_of(const DisclosureTree& tree,
                                std::span<const std::optional<std::string_view>> values);

// A cohort with the path that leads to it.
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
  std::vector<std::uint32_t> disclosed;  // attributes released on the path, ascending
  std::uint64_t rows = 0;
  std::uint64_t units = 0;
};
// In preorder, so D111, D112, D12, D21, D22 in the paper's example. The last one is the sacrificial cohort.
[[nodiscard]] std::vector<Cohort> cohorts(const DisclosureTree& tree);

// The same one by one. All paths together can be large: an attribute with 20,000 released values makes 20,000
// cohorts with 10,000 steps each on average. The cohort lives for the call only.
void for_each_cohort(const DisclosureTree& tree, const std::function<void(const Cohort&)>& visit);

// Counts the tree's nodes anew on other data and collapses, bottom up, every split one of whose sides has
// fewer than k units. Errors: ErrorKind::policy when the root itself has fewer than k units. The result only
// discloses less. Attributes are matched by position. `collapsed` is the number of splits removed.
struct Repaired {
  DisclosureTree tree;
  std::size_t collapsed = 0;
};
[[nodiscard]] Result<Repaired> repair(const DisclosureTree& tree, const Counts& counts);

// The same recount without repair: per node (tree.nodes order) rows and units on the given data.
struct NodeCount {
  std::uint64_t rows = 0;
  std::uint64_t units = 0;
};
[[nodiscard]] std::vector<NodeCount> recount(const DisclosureTree& tree, const Counts& counts);

}  // namespace pgveil::policy
