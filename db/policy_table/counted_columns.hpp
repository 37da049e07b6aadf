#pragma once
// The columns that a policy counts by, with the SQL of their canonical text. For db/ only.
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/tree.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::db {

struct CountedColumn {
  const rewriter::Column* column = nullptr;  // owned by the relation
  std::string text_sql;                      // canonical value as text
  std::string value_sql;                     // canonical value, for GROUP BY
  bool needs_order = false;                  // for a sensitive column: its codes ascend with the values
};

// The table and columns that one aggregate is over.
struct CountedTable {
  const rewriter::Relation* relation = nullptr;
  std::vector<CountedColumn> attributes;  // ascending by attribute number
  std::optional<CountedColumn> unit;
  std::vector<CountedColumn> sensitive;
  [[nodiscard]] std::vector<CountedColumn> columns() const;  // all of them, in this order
};

// The quasi-identifiers, levels included, ascending by attribute number. Errors: ErrorKind::policy: a column
// does not exist, or its type is not comparable.
[[nodiscard]] Result<std::vector<CountedColumn>> quasi_identifiers(const policy::PolicySpec& spec,
                                                                   const rewriter::Relation& relation);
[[nodiscard]] Result<CountedColumn> counted_column(const policy::PolicySpec& spec, const std::string& name,
                                                   const rewriter::Relation& relation);

// The policy's quasi-identifiers, levels included, as the attributes of a tree. Errors: ErrorKind::policy: a
// column does not exist.
[[nodiscard]] Result<std::vector<policy::TreeAttribute>> tree_attributes(const policy::PolicySpec& spec,
                                                                         const rewriter::Relation& relation);
[[nodiscard]] Result<CountedTable> counted_table(const policy::PolicySpec& spec,
                                                 const rewriter::Relation& relation,
                                                 const std::vector<const policy::ColumnRule*>& sensitive);

// SELECT texts…, count(*)? FROM the table GROUP BY values… as one cursor query.
[[nodiscard]] std::string group_query(const std::vector<CountedColumn>& columns,
                                      const rewriter::Relation& relation);

}  // namespace pgveil::db
