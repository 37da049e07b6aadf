#include "jobs/language/levels_text.hpp"

#include <charconv>

#include "common/sqlstate.hpp"

namespace pgveil::app {

Result<std::vector<unsigned>> levels_of(std::string_view text) {
  std::vector<unsigned> levels;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    unsigned level = 0;
    const auto [next, error] = std::from_chars(at, end, level);
    if (error != std::errc{} || (next != end && *next != ',')) {
      return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
                   "--transformation is not a list of levels", "write one for each quasi-identifier: 1,1,2"};
    }
    levels.push_back(level);
    if (next == end) return levels;
    at = next + 1;
  }
}

}  // namespace pgveil::app
