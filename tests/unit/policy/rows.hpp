#pragma once
// Small tables as people write them, and the aggregate pgveil would get of them.
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/counts/counts.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy::testing {

using Text = std::optional<std::string>;

struct Row {
  std::vector<Text> values;  // one per attribute
  Text unit = {};            // only looked at in tables with units
  Text sensitive = {};       // only looked at in tables with a sensitive column
};

struct Table {
  std::vector<std::string> attributes;
  bool has_units = false;
  std::vector<Row> rows;
  bool has_sensitive = false;
  // Per attribute, if it is a level of another one; its values in the rows are what the level makes of that
  // one's.
  std::vector<std::optional<Level>> levels = {};

  [[nodiscard]] const Level* level_of(std::size_t attribute) const {
    return attribute < levels.size() && levels[attribute] ? &*levels[attribute] : nullptr;
  }
};

// The tree of the paper.
inline const Growth kGreedy{.strategy = Strategy::greedy};

// The paper's table 1.
Table worked_example();

// Attribute numbers are 2, 4, 6, … The seed shuffles the rows of the aggregate and the numbering of codes.
// The sensitive column is number 1; its codes are in the order of the texts.
Counts count(const Table& table, std::uint64_t seed = 0);

std::vector<std::optional<std::string_view>> view(const Row& row);

// What a split on this attribute releases: it, and the coarser levels of the same column.
std::set<std::size_t> with_coarser(const std::vector<TreeAttribute>& attributes, std::size_t attribute);

// What a row shows under a tree: its values where the path to the leaf of its cohort released them, nullopt
// elsewhere. Walks the tree itself.
std::vector<Text> shown(const DisclosureTree& tree, const Row& row);

// A random table: attributes, rows, units, NULLs and a skewed choice among few values, all from the
// generator.
struct RandomShape {
  std::size_t max_rows = 40;
  std::size_t max_attributes = 4;
  std::size_t max_values = 4;
  bool has_units = false;
  std::size_t sensitive_values = 0;  // 0: no such column
};
Table random_table(std::mt19937_64& random, const RandomShape& shape);

// The same, and columns n0 and n1 of numbers from 0 to 11, n0 with levels of widths 2 and 6 in n0_2 and n0_6,
// which stand before and after it, n1 with bounds 3 and 7 in n1_b.
Table random_leveled_table(std::mt19937_64& random, const RandomShape& shape);
// Values of levels anew from those of their sources.
void fill_levels(const Table& table, Row& row);

}  // namespace pgveil::policy::testing
