#pragma once
// The expression of one column of a masking sub-select. For rewriter/mask only.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "pg/build.hpp"
#include "policy/decision/decision.hpp"
#include "policy/tree/tree.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/mask/comparable_type.hpp"

namespace pgveil::rewriter {

inline constexpr std::string_view kMaskAlias = "t";

// NULL with the column's type, type modifier and collation. For a domain, which may forbid NULL, it is NULL
// of the base type.
[[nodiscard]] Result<pg::Node*> typed_null(const Column& column, pg::Builder& build);

// columns[a] and types[a] belong to attribute a of the tree: the raw column that its conditions test. This
// differs from the column that shows the attribute where the attribute is a level of another column.
struct TreeColumns {
  std::vector<const Column*> columns;
  std::vector<ComparableType> types;
  std::vector<const Column*> shown_in;
  std::vector<const policy::Level*> levels;  // null: exact values
  std::string_view alias = kMaskAlias;       // of the table in conditions; empty: none
};
// The tree outlives the result. Errors: ErrorKind::policy when the relation does not have the tree's columns.
[[nodiscard]] Result<TreeColumns> bind(const policy::DisclosureTree& tree, const Relation& relation);
// The condition of an arm: t.state = 'OH', or = ANY of several values. For a level, it is the pre-image of
// the values (mask_level.hpp).
[[nodiscard]] pg::Node* is_one_of(std::uint32_t attribute, std::span<const std::string> values,
                                  const TreeColumns& tree_columns, pg::Builder& build);
// The raw value of a released cell, or its canonical form.
[[nodiscard]] Result<pg::Node*> canonical_value(std::size_t attribute, const TreeColumns& tree_columns,
                                                pg::Builder& build);
// '[30,40)'::pg_catalog.text: what a level shows, a constant of the tree.
[[nodiscard]] pg::Node* level_constant(std::size_t attribute, const std::string& value,
                                       const TreeColumns& tree_columns, pg::Builder& build);
// What the masked column shows: nested CASE over those conditions.
[[nodiscard]] Result<pg::Node*> released_value(const policy::Decision& decision, std::size_t attribute,
                                               const TreeColumns& tree_columns, pg::Builder& build);

}  // namespace pgveil::rewriter
