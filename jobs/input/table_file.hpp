#pragma once
// The table in a file that a job or a command reads: delimited text, JSON lines, Parquet or Arrow. Parquet
// and Arrow are told by the first bytes, JSON lines by the end of the name.
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/data/table.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// marked: as pgveil publishes it, where texts that a spreadsheet would run have a mark (common/csv.hpp). The
// marks are removed.
enum class DelimitedText { plain, marked };

// With only the wanted columns, in the file's order; none wanted: all. `others` gets the names of the rest,
// unless it is null. null_text: what stands for NULL, which delimited text has as a text. types: unless it is
// null, gets PostgreSQL's names for the types that the file tells. Errors, with the file's name: those of
// input_bytes, and those of read_table, read_json_lines or read_columnar; JSON lines without a record;
// delimited text that begins like JSON.
[[nodiscard]] Result<engine::Table> read_table_file(const JobFile& file,
                                                    const std::optional<std::string>& null_text,
                                                    std::span<const std::string> wanted,
                                                    std::vector<std::string>* others = nullptr,
                                                    std::map<std::string, std::string>* types = nullptr,
                                                    DelimitedText delimited = DelimitedText::plain);

}  // namespace pgveil::app
