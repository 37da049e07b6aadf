#pragma once
// Levels as a command line names them: "1,1,2", one for each quasi-identifier in the job's order.
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace pgveil::app {

// Errors: kind usage. Whether they exist is the job's business.
[[nodiscard]] Result<std::vector<unsigned>> levels_of(std::string_view text);

}  // namespace pgveil::app
