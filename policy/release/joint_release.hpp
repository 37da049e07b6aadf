#pragma once
// Policies over one table publish data about the same people. Somebody who has the answers of all of them
// sees the joint classes (joint_classes.hpp). Each joint class must be as large as the policies promise, with
// the rows of today and with rows that come later. Pure: it takes counts and returns a verdict.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "policy/cohorts/constraint_check.hpp"
#include "policy/counts/counts.hpp"
#include "policy/release/joint_classes.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

using Trees = std::vector<const DisclosureTree*>;

// The joint classes of some trees that may be too small: all that have rows, and all that a later row can be
// in. Those that are exactly one cohort of one of the trees are left out: they show no more than that policy
// alone, which already keeps its own k for them.
class JointClasses {
 public:
  // REQUIRES: counts has the exact values of every column that the trees ask about.
  JointClasses(Trees trees, const Counts& counts);

  // How many units a class has, by counts of the same table. A class without rows has 0.
  struct Short {
    JointClass joint;
    std::uint64_t units = 0;
    bool has_rows = false;
  };
  // The classes with fewer units than are required. When later rows can come into more classes than could
  // ever be filled, only some of these are named. Smallest first, then in the order of the cohorts.
  [[nodiscard]] std::vector<Short> below(const Counts& counts, std::uint64_t required) const;

  struct Broken {
    JointClass joint;
    Breach breach;
  };
  // Joint classes of rows that break a constraint of this column, which is counts.sensitive. Classes that are
  // one cohort of one policy are included, because the other policies may promise more. REQUIRES: as the
  // constructor.
  [[nodiscard]] std::vector<Broken> breaking(const ColumnRule& rule, const Counts& counts) const;

  // "D22": the cohort of this tree at this leaf.
  [[nodiscard]] std::string label_of(std::size_t tree, NodeIndex leaf) const;

 private:
  [[nodiscard]] bool is_one_cohort(const JointClass& joint) const;
  Trees trees_;
  std::vector<JointClass> classes_;  // ascending: those that are judged by k
  // Per tree and leaf, in how many joint classes it takes part.
  std::vector<std::vector<std::uint32_t>> partners_;
};

// Columns that one policy shows unchanged and the other hides, fully or in part. For such a column the
// classes of the trees say nothing about the two policies together. In the order of `shows`.
[[nodiscard]] std::vector<std::string> shown_though_hidden(const PolicySpec& shows, const PolicySpec& hides);

// A policy that counts by the quasi-identifiers of all of these policies, without levels, in this unit. Its
// constraints are those of the policies that count in this unit. REQUIRES: at least one policy.
[[nodiscard]] PolicySpec counted_together(std::span<const PolicySpec* const> policies,
                                          const std::optional<std::string>& unit);

}  // namespace pgveil::policy
