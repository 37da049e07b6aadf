#pragma once
// Splits a line of COPY … TO STDOUT in its text format.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgveil::db {

using CopyField = std::optional<std::string_view>;  // nullopt: NULL

// Splits a line without its line end into fields. They point into `line`, where escapes are replaced by the
// characters that they stand for. The vector is overwritten.
void split_copy_line(std::string& line, std::vector<CopyField>& fields);

}  // namespace pgveil::db
