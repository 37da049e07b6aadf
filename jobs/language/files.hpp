#pragma once
// Finds the jobs that the configuration names. They are read when they are asked for.
#include <string>
#include <vector>

#include "jobs/language/job.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// Ordered by name. Errors: the first file with an error; two jobs with one name; a path without a pattern
// where there is no file.
[[nodiscard]] Result<std::vector<Job>> read_job_files(const Config& config);

[[nodiscard]] Result<Job> find_job(const Config& config, const std::string& name);

}  // namespace pgveil::app
