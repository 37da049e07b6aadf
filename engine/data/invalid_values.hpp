#pragma once
// The error for a column whose values cannot be used as a job asks.
#include <string>
#include <vector>

#include "common/error.hpp"

namespace pgveil::engine {

// ErrorKind::configuration, 22023. The values are in private_detail, because they are personal data.
[[nodiscard]] Error invalid_values(std::string message, std::string hint,
                                   const std::vector<std::string>& values = {});

}  // namespace pgveil::engine
