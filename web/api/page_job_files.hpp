#pragma once
// The files that a job written on the page names, and whether it may name them. Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/language/job.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// The files that the job reads: its input, hierarchies and subset.
[[nodiscard]] std::vector<JobFile*> files_in(Job& job);

// "people.csv" of "/uploads/people.csv"; nullopt: it is not directly in the folder of `job_file`.
[[nodiscard]] std::optional<std::string> file_name_in_job(std::string_view path, std::string_view job_file);

// What a job of this author may read and publish to.
enum class PageJobTables { none, allowed };

// Changes the job into one that the page may run. Such a job reads a file and publishes a file or, where
// tables are allowed, also tables. Limits that the job does not set get the default; none may exceed the
// maximum. The job may not replace a table, and the author may not choose the type of a column. Errors, of
// kind configuration: what the page does not allow.
[[nodiscard]] Result<void> fit_to_page_jobs(Job& job, PageJobTables tables, std::int64_t default_time_ms,
                                            std::int64_t most_time_ms, std::size_t most_threads);

}  // namespace pgveil::app
