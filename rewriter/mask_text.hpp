#pragma once
// A mask as text, in parts. A masked column can be tens of kilobytes of CASE, and a statement that does not use it need
// not make PostgreSQL parse and plan it: then the column is a typed NULL, which shows less and never more.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/pg/ast.hpp"

namespace pgveil::rewriter {

struct MaskText {
  struct Column {
    std::string shown;     // CASE … END AS city
    std::string left_out;  // NULL::pg_catalog.text AS city; empty: this column is always shown
  };
  std::vector<Column> columns;  // as the mask's targets
  std::string rest;             //  FROM … AS t WHERE …

  // left_out: ascending positions of columns that may be left out.
  [[nodiscard]] std::string without(std::span<const std::size_t> left_out) const;
  [[nodiscard]] std::string whole() const { return without({}); }
};

// left_out: per target of `select` its typed NULL, or null when it is always shown. Throws pg::CannotPrint.
[[nodiscard]] MaskText print_mask(PgQuery__SelectStmt& select, std::span<pg::Node* const> left_out);

// How a mask is written: with a decision in each column, or with one for the row below, which the columns look at
// (mask_row.hpp). Both show the same.
enum class MaskForm { by_column, by_row };

// The name of a stand-in: the table's OID, r for by_row, then the positions left out: "16385", "16385-2-4", "16385r-4".
struct StandInName {
  std::uint32_t oid = 0;  // 0: not a stand-in's name
  MaskForm form = MaskForm::by_column;
  std::vector<std::size_t> left_out;
};
[[nodiscard]] std::string print_name(const StandInName& name);
[[nodiscard]] StandInName read_name(std::string_view text);

}  // namespace pgveil::rewriter
