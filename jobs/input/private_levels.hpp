#pragma once
// The levels of a job with search_epsilon, chosen with differential privacy.
#include <functional>

#include "engine/data/table.hpp"
#include "engine/search/private_choice.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// table: all records that may be sampled, before any of them is. Errors: those of hierarchy_of, prepare and
// choose_privately; levels that do not exist; interrupted. REQUIRES: search_epsilon above 0; each hierarchy
// knows all values of its column.
[[nodiscard]] Result<engine::PrivateChoice> choose_levels(const Job& job, const engine::Table& table,
                                                          const std::function<bool()>& is_aborted);

}  // namespace pgveil::app
