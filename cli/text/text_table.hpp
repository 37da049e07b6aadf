#pragma once
// A console table as aligned text for a terminal.
#include <string>

#include "proxy/admin/console.hpp"

namespace pgveil::cli {

// Columns padded to their widest cell (in characters), two blanks between; NULL is blank; a header line.
[[nodiscard]] std::string text_of(const admin::Table& table);

}  // namespace pgveil::cli
