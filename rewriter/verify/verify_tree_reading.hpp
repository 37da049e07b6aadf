#pragma once
// The disclosure tree as the verifier of masks reads it: from its nodes alone, by docs/disclosure-tree.md. It
// shares nothing with policy/tree/tree.cpp, which also reads the tree, nor with the decisions that masks are
// compiled from. Throws Unreadable for anything that is not a tree.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "policy/tree/tree.hpp"

namespace pgveil::rewriter {

class TreeReading {
 public:
  // The tree must outlive it.
  explicit TreeReading(const policy::DisclosureTree& tree);

  using Values = std::set<std::string, std::less<>>;
  using Row = std::map<std::string, std::optional<std::string>, std::less<>>;  // by tested column

  // The column that an attribute's conditions test; for a level, its source.
  [[nodiscard]] const std::string& column_of(std::size_t attribute) const;

  // What the row shows, per attribute; nullopt where hidden. Rows that fall back show what the rows at the
  // end of the next outer chain show.
  [[nodiscard]] std::vector<std::optional<std::string>> shown(const Row& row) const;

  // The values of this attribute that some split releases, including levels that follow from a finer
  // attribute.
  [[nodiscard]] Values released_values(std::size_t attribute) const;
  // The values of the attribute's own splits whose `yes` side has a cohort.
  [[nodiscard]] Values values_of_cohorts(std::size_t attribute) const;

  // Rows to try: for each leaf (or every n-th, if there are more than `most`) one row with `other` and one
  // with NULL in all columns that the leaf's path does not fix.
  [[nodiscard]] std::vector<Row> rows_to_leaves(std::size_t most, const std::string& other) const;
  // The rows that end at one leaf, of a tree without levels: all combinations of what its columns may be.
  struct RowsOfLeaf {
    struct Column {
      std::optional<std::string_view> only;  // nullopt: all values but the excluded ones, and NULL
      std::set<std::string_view> excluded;
      [[nodiscard]] bool has(std::string_view value) const {
        return (!only || *only == value) && !excluded.contains(value);
      }
    };
    std::vector<Column> columns;  // by attribute
    std::uint64_t released = 0;   // bit a: they show attribute a
  };
  // Calls it for each leaf that a row can come to. Each row ends at one of them. REQUIRES: no level.
  void for_each_leaf(const std::function<void(const RowsOfLeaf&)>& visit) const;

  // Per column: a raw value for each value that the tree tests.
  [[nodiscard]] std::map<std::string, Values, std::less<>> samples() const;

 private:
  [[nodiscard]] bool follows(std::size_t from, std::size_t other) const;
  [[nodiscard]] std::string sample(std::size_t attribute, const std::string& value) const;
  [[nodiscard]] policy::NodeIndex end_of_row(std::span<const std::optional<std::string>> values) const;

  // A chain is a node and all that are behind its `no`. Of each one the splits, by what they ask for.
  struct Chain {
    policy::NodeIndex end = 0;
    std::vector<std::uint32_t> attributes;  // that its splits ask for
  };
  struct Question {
    policy::NodeIndex chain;  // by its first node
    std::uint32_t attribute;
    std::string_view value;
    bool operator==(const Question&) const = default;
  };
  struct QuestionHash {
    std::size_t operator()(const Question& question) const;
  };
  [[nodiscard]] policy::NodeIndex end_of_leaf(policy::NodeIndex leaf) const;
  void add_to_chain(policy::NodeIndex chain, policy::NodeIndex node);

  const policy::DisclosureTree& tree_;
  std::unordered_map<policy::NodeIndex, Chain> chains_;                  // by their first nodes
  std::unordered_map<Question, policy::NodeIndex, QuestionHash> asked_;  // the first split that asks it
  std::vector<policy::NodeIndex> chain_;   // per node: the first one of its chain
  std::vector<policy::NodeIndex> parent_;  // per node; the root's parent is the root
  std::vector<policy::NodeIndex>
      outer_;  // per node: the split whose `yes` starts its chain; the root for the root's chain
  std::vector<std::uint64_t> released_;  // per node, bit a: the path to it has released attribute a
};

// Rows to try: for each leaf, rows with unseen values and with NULLs elsewhere; then mixtures of the tree's
// values; last, a row of NULLs. The same rows in every run.
[[nodiscard]] std::vector<TreeReading::Row> trial_rows(const TreeReading& tree);

}  // namespace pgveil::rewriter
