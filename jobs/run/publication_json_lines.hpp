#pragma once
// Writes a publication as JSON lines, and recounts that text. Like publication_csv.hpp, for files that are
// named so.
#include <functional>
#include <string_view>

#include "common/error.hpp"
#include "common/read_piece.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::app {

// Writes an object for each row, with the columns in their order. A column whose values are all JSON numbers
// is written as numbers, every other as strings, and NULL as null.
[[nodiscard]] Result<void> write_json_lines(const engine::Publication& publication,
                                            const std::function<Result<void>(std::string_view line)>& append);

// Reads the text again and counts its classes, see engine/publish/recount.hpp. Text that does not parse, or
// has other columns, is an error, too. Errors also: those of `text`.
[[nodiscard]] Result<void> recount_json_lines(ReadPiece text, const engine::Publication& publication,
                                              std::uint64_t k, engine::SuppressedRecords suppressed_records);

}  // namespace pgveil::app
