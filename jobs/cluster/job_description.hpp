#pragma once
// Describes a job to a program that runs it on a cluster: its content, and its hierarchies made for the
// values of the table. So jobs and hierarchies have only one reader.
#include <string>

#include "jobs/cluster/frames.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// The job as JSON (docs/spark.md). Errors: features that only one machine can run (subset, presence, k_map,
// aggregates, models other than distinct and entropy l-diversity).
[[nodiscard]] Result<std::string> describe_job(const Job& job);

// Reads, for each quasi-identifier in the job's order, the distinct values of its column; for a numeric one
// the smallest and the largest are enough, plus NULL's text if it has NULLs. Writes for each: the values in
// their order, and the hierarchy, which has no rows for numeric ones. Errors: those of job_hierarchy,
// numeric_dimension and categorical_dimension.
[[nodiscard]] Result<void> resolve_domains(const Job& job, const ReadBytes& read, const WriteBytes& write);

}  // namespace pgveil::app
