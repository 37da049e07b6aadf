#pragma once
// What this program is made of, for reports of mistakes: version, commit, and the libraries it was built
// with.
#include <string>

namespace pgveil::app {

// Lines, the first one "pgveil 1.2.3", without a line feed at the end.
[[nodiscard]] std::string build_info();

}  // namespace pgveil::app
