#pragma once
// A line of COPY … TO STDOUT in its text format, taken apart.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgveil::db {

using CopyField = std::optional<std::string_view>;  // nullopt: NULL

// The fields of a line without its end. They point into `line`, in which escapes are replaced by what they
// stand for; the vector is overwritten.
void split_copy_line(std::string& line, std::vector<CopyField>& fields);

}  // namespace pgveil::db
