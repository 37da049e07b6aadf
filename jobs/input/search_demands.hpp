#pragma once
// What a job demands of its search, in the engine's words: the models, the quality model and the levels. For
// the search itself, and for attackers who know the job.
#include <cstdint>
#include <vector>

#include "common/error.hpp"
#include "engine/privacy/anonymity.hpp"
#include "engine/quality/quality.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// The range of levels of each quasi-identifier, in the job's order.
struct LevelRange {
  std::vector<unsigned> low, high;
};

// heights: the highest levels of the quasi-identifiers. Errors, kind configuration: a level that the job
// names does not exist.
[[nodiscard]] Result<LevelRange> level_range(const Job& job, const std::vector<unsigned>& heights);

// With the weights of the quasi-identifiers.
[[nodiscard]] engine::QualityModel quality_of(const Job& job);

// suppression_limit: in records. Sensitive columns have the order in which read_job_data prepares them, and
// the unit is last.
[[nodiscard]] engine::Anonymity anonymity_of(const Job& job, std::uint64_t suppression_limit);

}  // namespace pgveil::app
