#pragma once
// Writes a publication as separated text, and recounts that text.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "common/read_piece.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::app {

struct CsvForm {
  char separator = ',';
  // What NULL of a quasi-identifier becomes, so that it differs from the empty text. Other NULLs are empty
  // cells.
  std::string null_text;
};

// Writes the header and the rows, line by line, with cells as in common/csv.hpp. Numbers stay as they are.
[[nodiscard]] Result<void> write_csv(const engine::Publication& publication, const CsvForm& form,
                                     const std::function<Result<void>(std::string_view line)>& append);

// Reads the text again and counts its classes, see engine/publish/recount.hpp. Text that does not parse is an
// error, too. Errors also: those of `text`.
[[nodiscard]] Result<void> recount_csv(ReadPiece text, const CsvForm& form,
                                       const engine::Publication& publication, std::uint64_t k,
                                       engine::SuppressedRecords suppressed_records, std::size_t threads = 1);

}  // namespace pgveil::app
