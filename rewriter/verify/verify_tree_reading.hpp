#pragma once
// The disclosure tree as the verifier of masks reads it: from its nodes alone, by docs/disclosure-tree.md. It
// shares nothing with policy/tree/tree.cpp, which counts by the same tree, nor with the decisions that masks
// are compiled from. Throws Unreadable of what is no tree.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "policy/tree/tree.hpp"

namespace pgveil::rewriter {

class TreeReading {
 public:
  // The tree must outlive it.
  explicit TreeReading(const policy::DisclosureTree& tree);

  using Values = std::set<std::string, std::less<>>;
  using Row = std::map<std::string, std::optional<std::string>, std::less<>>;  // by column that is asked

  // The column that an attribute's conditions ask: of a level its source.
  [[nodiscard]] const std::string& column_of(std::size_t attribute) const;

  // What the row shows, per attribute; nullopt where hidden. Rows that fall back show what the next outer
  // chain's end shows.
  [[nodiscard]] std::vector<std::optional<std::string>> shown(const Row& row) const;

  // The values of this attribute that some split releases, levels that follow from a finer one included.
  [[nodiscard]] Values released_values(std::size_t attribute) const;
  // The values of its own splits on whose `yes` side a cohort is.
  [[nodiscard]] Values values_of_cohorts(std::size_t attribute) const;

  // Rows to try: those that come to each of the leaves (of more than `most` every n-th), once with `other` in
  // all columns that their path does not fix, and once with NULL.
  [[nodiscard]] std::vector<Row> rows_to_leaves(std::size_t most, const std::string& other) const;
  // A raw value for each value that is asked for, per column.
  [[nodiscard]] std::map<std::string, Values, std::less<>> samples() const;

 private:
  [[nodiscard]] bool follows(std::size_t from, std::size_t other) const;
  [[nodiscard]] std::string sample(std::size_t attribute, const std::string& value) const;
  [[nodiscard]] policy::NodeIndex end_of_row(std::span<const std::optional<std::string>> values) const;

  const policy::DisclosureTree& tree_;
  std::vector<policy::NodeIndex> parent_;  // per node; of the root itself
  std::vector<policy::NodeIndex>
      outer_;  // per node: the split whose `yes` starts its chain; of the root's chain the root
  std::vector<std::uint64_t> released_;  // per node, bit a: the way to it has released attribute a
};

}  // namespace pgveil::rewriter
