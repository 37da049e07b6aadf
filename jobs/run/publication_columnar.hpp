#pragma once
// Recounts a publication that was written in a columnar format (jobs/columnar). Like publication_csv.hpp, for
// files that are named so.
#include <optional>
#include <string>

#include "common/error.hpp"
#include "engine/publish/publication.hpp"
#include "jobs/columnar/columnar_file.hpp"

namespace pgveil::app {

// Reads the file again and counts its classes, see engine/publish/recount.hpp. A file that can't be read, or
// has other columns, is an error, too. null_text: the text of NULL in the publication's input; nullopt: its
// quasi-identifiers have no NULL. Errors also: those of the file's bytes.
[[nodiscard]] Result<void> recount_columnar(const ColumnarBytes& bytes, ColumnarFormat format,
                                            const engine::Publication& publication,
                                            const std::optional<std::string>& null_text, std::uint64_t k,
                                            engine::SuppressedRecords suppressed_records);

}  // namespace pgveil::app
