#pragma once
// The server's own catalogs as tables with a static policy: which ones a client may read, and which of their
// columns are NULL because they quote data (statistics, partition bounds, constraint and index expressions,
// function bodies). A catalog that is not listed answers like any unlisted relation.
#include <optional>
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

// Which rows a client sees.
enum class CatalogRows {
  all,              // but those about pgveil's own objects (OwnRowsRule)
  listed_settings,  // of pg_settings: the settings that may be shown
  own_session,      // one, about the session that asks: nothing is read
  none              // the catalog is about other sessions or about the server: nothing is read
};

// A column of the row about the session that asks.
struct SessionColumn {
  std::string_view name;
  std::string_view value;  // an expression, all of it qualified
};

struct SystemCatalog {
  std::string_view schema;
  std::string_view name;
  std::span<const CatalogColumn> hidden;
  OwnRowsRule own = {};  // rows about pgveil's own objects, which are left out
  CatalogRows rows = CatalogRows::all;
  std::span<const std::string_view> only = {};  // if not empty: all other columns are NULL
  std::span<const SessionColumn> session = {};  // of own_session: all other columns are NULL
};

// What takes the place of this column; nullopt: it is shown as it is, or `session` has its value.
[[nodiscard]] std::optional<CatalogColumnRule> column_rule(const SystemCatalog& catalog,
                                                           std::string_view column);

// nullptr: not readable.
[[nodiscard]] const SystemCatalog* find_system_catalog(std::string_view schema, std::string_view name);
[[nodiscard]] std::span<const SystemCatalog> system_catalogs();

}  // namespace pgveil::rewriter
