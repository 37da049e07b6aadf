#pragma once
// A job for a program that runs it on a cluster: what it says, and its hierarchies made for the values that
// the table has. So jobs and hierarchies have one reader.
#include <string>

#include "jobs/cluster/frames.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// JSON (docs/spark.md). Errors: what only one machine can do (subset, presence, k_map, aggregates, models
// beside distinct and entropy l-diversity).
[[nodiscard]] Result<std::string> describe_job(const Job& job);

// Read: for each quasi-identifier, in the job's order, the different values of its column; of numeric ones
// the least and the greatest are enough, and NULL's text if there is one. Written for each: the values in
// their order, and the hierarchy, without rows for numeric ones. Errors: those of job_hierarchy,
// numeric_dimension and categorical_dimension.
[[nodiscard]] Result<void> resolve_domains(const Job& job, const ReadBytes& read, const WriteBytes& write);

}  // namespace pgveil::app
