#pragma once
// Writes names into YAML so that they are read back as they were, and into comments so that they end no line.
#include <string>
#include <string_view>

namespace pgveil::draft {

// people → people; "true", "a b" and "Ä" get quotes.
[[nodiscard]] std::string yaml_name(std::string_view name);
// Without control characters.
[[nodiscard]] std::string in_comment(std::string_view text);
// Lines of a comment, broken at spaces after at most 110 columns, each beginning with `indent` and "# ".
[[nodiscard]] std::string comment(std::string_view text, std::string_view indent = "");

}  // namespace pgveil::draft
