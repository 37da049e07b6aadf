#pragma once
// A pattern of open_tables: "public.*" or "public.dim_*" stands for the tables and views of a schema whose
// names begin so. Which of them are opened is decided in review/open_by_pattern.hpp.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/catalog/access.hpp"

namespace pgveil::rewriter {

struct OpenPattern {
  std::string text;                 // as it was written, without the database
  std::vector<std::string> except;  // names in its schema that stay closed; "log_*" is a pattern again
  std::optional<Access> access = std::nullopt;  // nullopt: every role reads them
};

// Whether an entry of open_tables is a pattern: it ends with *.
[[nodiscard]] bool is_pattern(std::string_view entry);
// Whether the name is the pattern's, as with "log_*" for "log_2024". A name without * only matches itself.
[[nodiscard]] bool matches_name(std::string_view pattern, std::string_view name);
// Whether the pattern stands for this relation. The first dot of the text divides.
[[nodiscard]] bool matches(const OpenPattern& pattern, std::string_view schema, std::string_view name);

}  // namespace pgveil::rewriter
