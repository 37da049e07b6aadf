#pragma once
// The jobs that the configuration names, read when they are asked for.
#include <string>
#include <vector>

#include "jobs/language/job.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// In the order of their names. Errors: the first file that is wrong; two jobs of one name; no file at a path
// without a pattern.
[[nodiscard]] Result<std::vector<Job>> read_job_files(const Config& config);

[[nodiscard]] Result<Job> find_job(const Config& config, const std::string& name);

}  // namespace pgveil::app
