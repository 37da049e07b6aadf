#pragma once
// The server's own catalogs as tables with a static policy: which ones a client may read, and which of their
// columns are NULL because they quote data (statistics, partition bounds, constraint and index expressions,
// function bodies). A catalog that is not listed answers like any unlisted relation.
#include <span>
#include <string_view>

#include "rewriter/lists/own_rows.hpp"

namespace pgveil::rewriter {

// What takes the place of a column.
enum class CatalogColumnRule {
  null,         // NULL of the column's type
  unknown_size  // -1 or 0, as for a table that was never analyzed: reltuples, relpages, relallvisible
};

struct CatalogColumn {
  std::string_view name;
  CatalogColumnRule rule;
};

struct SystemCatalog {
  std::string_view schema;
  std::string_view name;
  std::span<const CatalogColumn> hidden;
  OwnRowsRule own = {};               // rows about pgveil's own objects, which are left out
  bool only_listed_settings = false;  // rows of pg_settings are limited to names that may be shown
};

// nullptr: not readable.
[[nodiscard]] const SystemCatalog* find_system_catalog(std::string_view schema, std::string_view name);
[[nodiscard]] std::span<const SystemCatalog> system_catalogs();

}  // namespace pgveil::rewriter
