#pragma once
// How deep a text's parse tree could get, told from its words before it is parsed: PostgreSQL's grammar,
// libpg_query's output and protobuf recurse, and their time is quadratic in depth. Never too little, for any
// bytes.
#include <string_view>

namespace pgveil::pg {

struct Complexity {
  int nesting = 0;    // brackets and CASE open at once
  int deepening = 0;  // operators, casts and key words that can each make the tree one level deeper
};

// Literals, quoted names and comments do not count, unless the text has quotes whose end takes more to find
// than counting them: E'…' and $tag$…$tag$. Then everything counts.
[[nodiscard]] Complexity complexity_of(std::string_view sql);

}  // namespace pgveil::pg
