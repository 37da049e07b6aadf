#pragma once
// Handles local_recoding of a job: records that its transformation suppresses get other transformations. The
// published table is then like mondrian's: its quasi-identifiers have no level above their values.
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
