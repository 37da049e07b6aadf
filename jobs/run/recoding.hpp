#pragma once
// local_recoding of a job: what its transformation suppresses gets others, and what is published is then a
// table like mondrian's, whose quasi-identifiers have nothing above their values.
#include <span>

#include "engine/publish/local_recoding.hpp"
#include "jobs/input/data.hpp"

namespace pgveil::app {

struct RecodedData {
  engine::Recoding recoding;
  engine::PreparedTable prepared;  // of recoding.table
};

// levels: in the job's order. Errors: those of recode_locally and of prepare.
[[nodiscard]] Result<RecodedData> recode_job(const Job& job, const JobData& data,
                                             std::span<const unsigned> levels,
                                             const engine::SearchOptions& options);

}  // namespace pgveil::app
