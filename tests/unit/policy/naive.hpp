#pragma once
// The disclosure tree again, row by row and in quadratic time, from the written rules only
// (docs/disclosure-tree.md). It shares no code with policy/ but the value types it fills.
#include <map>
#include <vector>

#include "policy/tree/disclosure.hpp"
#include "policy/tree/tree.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

// The number of units in some rows: distinct non-NULL units, or rows in a table without units.
std::uint64_t units_in(const Table& table, const std::vector<const Row*>& rows);

// Do these rows keep the constraint on the sensitive column? By its definition; for t-closeness the table's
// rows are compared.
bool naive_keeps(const Table& table, const std::vector<const Row*>& rows, const ConstraintModel& model);

// REQUIRES: the whole table has at least k units and keeps the constraints, which both sides of each split
// keep.
DisclosureTree naive_tree(const Table& table, std::uint64_t k, Strategy strategy = Strategy::greedy,
                          const std::vector<ConstraintModel>& refine = {});

// What comes first is what the owner said (priority, weights) or the turns say, one per attribute.
DisclosureTree naive_tree(const Table& table, std::uint64_t k, const Growth& growth,
                          const std::vector<Turn>& turns = {},
                          const std::vector<ConstraintModel>& refine = {});

// The rows of the table that reach each node.
std::vector<std::vector<const Row*>> naive_rows_by_node(const DisclosureTree& tree, const Table& table);

// The rows that look alike, by what they show (rows.hpp, shown).
std::map<std::vector<Text>, std::vector<const Row*>> naive_classes(const DisclosureTree& tree,
                                                                   const Table& table);

// What every row of a cohort shows.
std::vector<Text> tuple_of(const DisclosureTree& tree, const Cohort& cohort);

Disclosure naive_disclosure(const DisclosureTree& tree, const Table& table);

}  // namespace pgveil::policy::testing
