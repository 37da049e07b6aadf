#pragma once
// A client's SQL without the values that the client wrote into it, for the audit log. Never send this text.
#include <optional>
#include <string>
#include <string_view>

namespace pgveil::rewriter {

// What to do with names in double quotes. `hidden` is for text that was refused: there "Smith" may be a
// value, quoted as in other databases, because no name of such a text is known to be the name of anything.
enum class QuotedNames { shown, hidden };

// Each literal becomes one ?, comments are removed, and white space between words becomes one space. Words,
// bare names, operators and $1 stay. The text is cut before the word that would cross limit_bytes, and then
// ends with …. nullopt: PostgreSQL's scanner cannot read the text (for example, a quote is not closed), so
// any part of it may be a value. Assumes standard_conforming_strings = on and a client encoding whose bytes
// below 0x80 are ASCII.
[[nodiscard]] std::optional<std::string> normalized_text(std::string_view sql, QuotedNames quoted_names,
                                                         std::size_t limit_bytes);

}  // namespace pgveil::rewriter
