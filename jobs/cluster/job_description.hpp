#pragma once
// Describes a job to a program that runs it on a cluster: its content, and its hierarchies made for the
// values of the table. So jobs and hierarchies have only one reader.
#include <string>

#include "jobs/cluster/frames.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// The job as JSON (docs/spark.md). Errors: features that only one machine can run (unit, subset, presence,
// k_map, aggregates and others), with the reason.
[[nodiscard]] Result<std::string> describe_job(const Job& job);

// Reads the distinct values of some columns, in the job's order: of each quasi-identifier, and of each
// sensitive attribute that a model compares with the whole table. For a numeric quasi-identifier the smallest
// and the largest are enough, plus NULL's text if it has NULLs. Writes for each column: the values in their
// order, and the hierarchy, which has no rows for numeric quasi-identifiers and for sensitive attributes
// without one. Errors: those of job_hierarchy, numeric_dimension, categorical_dimension and
// make_sensitive_values.
[[nodiscard]] Result<void> resolve_domains(const Job& job, const ReadBytes& read, const WriteBytes& write);

}  // namespace pgveil::app
