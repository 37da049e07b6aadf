#pragma once
// What names mean at a place of a statement: FROM entries and common table expressions, innermost first, as
// PostgreSQL binds them.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/spec/spec.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// Names of the columns of a FROM item or query, in order; nullopt: pgveil does not know them (functions).
using ColumnNames = std::optional<std::vector<std::string>>;

// tableoid, xmin, cmin, xmax, cmax, ctid
[[nodiscard]] bool is_system_column(std::string_view name);

// One name that a FROM clause makes visible.
struct Entry {
  std::string alias;
  const Relation* relation = nullptr;  // set for a relation without an alias: also named schema.relation
  std::uint32_t catalog_oid = 0;       // of a system catalog; 0: something else
  bool has_system_columns = false;     // ctid, xmin …: open tables only
  ColumnNames columns;
  // Set for a relation read through its mask: the relation that the mask is for, and the names that the
  // columns of its primary key have here. The names are empty unless every column of the key is shown as it
  // is. `columns` has a name for each column of `masked`.
  const Relation* masked = nullptr;
  std::vector<std::string> key = {};
  // Set for a table that a client may read, but for catalogs. `columns` has a name for each of its columns.
  const Relation* table = nullptr;
  const policy::PolicySpec* policy = nullptr;  // whose mask it is read through; null: as it is
  bool is_nullable = false;                    // an outer join of its FROM clause has rows without one of it
};

struct Scope {
  const Scope* outer = nullptr;
  std::vector<Entry> entries;
  std::vector<const Relation*> as_they_are = {};  // tables of this FROM clause that are read without a mask

  // The nearest entry of this name; null: none.
  [[nodiscard]] const Entry* find(std::string_view alias) const;
  // The nearest entry that is this relation without an alias; null: none.
  [[nodiscard]] const Entry* find_relation(std::string_view schema, std::string_view name) const;
  // Whether a bare name may be a column. True if the columns of some entry are not known.
  [[nodiscard]] bool may_be_column(std::string_view name) const;
  // Whether a bare name may bind here, to a column or to an entry as a whole. True if the columns of some
  // entry are not known.
  [[nodiscard]] bool may_bind(std::string_view name) const;
};

struct Cte {
  std::string name;
  ColumnNames columns;
};

// A chain like that of Scope. A WITH clause adds one link; a non-recursive item sees only the items before
// it.
struct CteScope {
  const CteScope* outer = nullptr;
  std::vector<Cte> items;

  [[nodiscard]] const Cte* find(std::string_view name) const;
};

}  // namespace pgveil::rewriter
