#pragma once
// A client's SQL without what the client wrote into it as a value: what may stand in the audit log. Not for
// sending.
#include <optional>
#include <string>
#include <string_view>

namespace pgveil::rewriter {

// Names in double quotes. `hidden`: for text that was not let through, where "Smith" may be a value that
// somebody quoted as other databases do; no name of such a text is known to be one.
enum class QuotedNames { shown, hidden };

// Each literal is one ?, comments are gone, white space between words is one space. Words, bare names,
// operators and $1 stay. Cut in front of the word that would cross limit_bytes, with … at its end. nullopt:
// PostgreSQL's scanner can't read the text (a quote that is not closed), so nothing of it is known to be no
// value. Assumes standard_conforming_strings = on and a client encoding whose bytes below 0x80 are ASCII.
[[nodiscard]] std::optional<std::string> normalized_text(std::string_view sql, QuotedNames quoted_names,
                                                         std::size_t limit_bytes);

}  // namespace pgveil::rewriter
