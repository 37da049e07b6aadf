#pragma once
// The one refusal of a whole table, said the same way by build and repair.
#include <cstdint>

#include "common/error.hpp"

namespace pgveil::policy {

[[nodiscard]] Error too_few_units(std::uint64_t k);

}  // namespace pgveil::policy
