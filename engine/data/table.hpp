#pragma once
// A table as dictionary-encoded columns of equal length. A plain value.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/separated_text.hpp"
#include "engine/data/code_column.hpp"

namespace pgveil::engine {

struct Table {
  std::vector<Column> columns;
  [[nodiscard]] std::size_t rows() const { return columns.empty() ? 0 : columns.front().codes.size(); }
  [[nodiscard]] const Column* find(std::string_view name) const;  // nullptr if there is none
};

// Some rows of the table, with all values of its columns, so that codes keep their meaning.
[[nodiscard]] Table rows_of(const Table& table, std::span<const std::size_t> rows);

// The column with other texts, texts[code] in place of values[code]. Equal texts become one value, and values
// that no record has are left out.
[[nodiscard]] Column with_texts(const Column& column, std::span<const std::string> texts);

// Reads separated text with a header. Empty lines are skipped if there are several columns, because none of
// them can be a record. Errors: what separated_text.hpp refuses, no header, an empty or repeated column name,
// a record with more or fewer fields than the header.
[[nodiscard]] Result<Table> read_table(std::string_view bytes, char separator);

// The same for text that comes in pieces, with only these columns, in the file's order; none wanted: all.
// Those that the file does not have are left out. Cells of others are not kept, and `others` gets their
// names unless it is null. Columns that are not wanted may have no name, or one that is repeated. Errors:
// also those of `read`.
[[nodiscard]] Result<Table> read_table(ReadPiece read, char separator, std::span<const std::string> wanted,
                                       std::vector<std::string>* others = nullptr);

struct NamedColumns {
  Table table;
  std::size_t nameless = 0;  // columns that were left out because they have no name
};

// All columns that have a name. Errors: as read_table; no column has a name.
[[nodiscard]] Result<NamedColumns> read_named_columns(std::string_view bytes, char separator);

}  // namespace pgveil::engine
