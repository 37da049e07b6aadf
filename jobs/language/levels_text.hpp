#pragma once
// Reads levels from a command line: "1,1,2", one for each quasi-identifier in the job's order.
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace pgveil::app {

// Errors: kind usage. Whether the levels exist is checked with the job.
[[nodiscard]] Result<std::vector<unsigned>> levels_of(std::string_view text);

}  // namespace pgveil::app
