#pragma once
// Checks whether a text is UTF-8. Nothing is converted here.
#include <cstddef>
#include <string_view>

namespace pgveil {

// The length of the longest prefix that is well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates,
// nothing above U+10FFFF); text.size() if the whole text is.
[[nodiscard]] std::size_t utf8_prefix(std::string_view text);

}  // namespace pgveil
