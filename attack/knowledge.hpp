#pragma once
// What an attacker has who reads a protected table: the tree, the size of each equivalence class, the values
// that occur in each column, and how the tree was made. Nothing of it is read from the raw table but what is
// public by docs/attack-model.md. The tree is given to the attacker, which is more than a reader of a
// thorough tree can rebuild from one GROUP BY, so what these attacks find is an upper bound for readers.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/counts/counts.hpp"
#include "policy/spec/growth.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::attack {

// The attributes of the tree that are functions of one column: its exact values and its levels.
struct Column {
  std::string name;
  std::vector<std::uint32_t> attributes;  // indexes into the tree's attributes, ascending
  // What the column's values look like: one text per attribute above; nullopt where a level has no value. The
  // first is NULL in all of them if the column has NULL. Each once.
  std::vector<std::vector<std::optional<std::string>>> atoms;
  // Per atom: the rows of the whole table that have it. Empty: the attacker does not know.
  std::vector<std::uint64_t> totals = {};
};

// A value of one attribute, and the atoms of its column that have it.
struct AttributeValue {
  std::uint32_t attribute = 0;
  std::string text;
  std::vector<std::size_t> atoms;
};
// Those of the column's attributes, attribute by attribute, by their texts.
[[nodiscard]] std::vector<AttributeValue> values_of(const Column& column);

// Per leaf of a class: the ends of the paths whose rows the class shows. These are its own, and those that
// fall back to it.
[[nodiscard]] std::map<policy::NodeIndex, std::vector<policy::NodeIndex>> ends_of_classes(
    const policy::DisclosureTree& tree);

// How much of the rules by which the tree was made holds for the counted rows.
enum class Made {
  // Only the paths: the tree was repaired or goes on from an earlier one, counts units, depends on sensitive
  // values, or the rows changed.
  unknown,
  // Each split was the best candidate, but chains may have been cut (max_cohorts).
  by_choice,
  // Each split was the best candidate, and no cohort had a candidate left.
  to_the_end
};

struct Knowledge {
  std::uint64_t k = 0;
  policy::Growth growth;  // without a workload, whose order is not modelled: then at most Made::unknown
  Made made = Made::unknown;
  policy::DisclosureTree tree;  // every count in it is 0
  // Per node: the rows that readers count in the class of this leaf; 0 where there is no cohort.
  std::vector<std::uint64_t> class_rows;
  std::vector<Column> columns;
};

// What readers of this tree over these rows know. made: what the caller knows of it; it is lowered where the
// growth or units say so. Attributes are matched by position.
[[nodiscard]] Knowledge knowledge_of(const policy::DisclosureTree& tree, const policy::Counts& counts,
                                     const policy::Growth& growth, Made made);

// The same attacker, who also knows how often each value occurs in the whole table (a census).
[[nodiscard]] Knowledge with_totals(Knowledge knowledge, const policy::DisclosureTree& tree,
                                    const policy::Counts& counts);

}  // namespace pgveil::attack
