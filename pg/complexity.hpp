#pragma once
// How deep a text's parse tree could get, estimated from its words before it is parsed. This matters because
// PostgreSQL's grammar, libpg_query's output and protobuf recurse, and their time is quadratic in depth. The
// estimate is never too low, for any bytes.
#include <string_view>

namespace pgveil::pg {

struct Complexity {
  int nesting = 0;    // brackets and CASE open at the same time
  int deepening = 0;  // operators, casts and key words that can each make the tree one level deeper
};

// Literals, quoted names and comments do not count. Exception: if the text has quotes whose end is hard to
// find (E'…' and $tag$…$tag$), everything counts.
[[nodiscard]] Complexity complexity_of(std::string_view sql);

}  // namespace pgveil::pg
