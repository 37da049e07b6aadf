#include "jobs/language/files.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <set>
#include <utility>

#include "common/sqlstate.hpp"

namespace pgveil::app {
namespace {

Result<std::vector<std::string>> files_of(const PathPattern& path) {
  glob_t found{};
  const int status = ::glob(path.pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (status == 0 || path.pattern.find_first_of("*?") != std::string::npos) return files;
  return yaml::error_at(path.at, fmt::format("no job file {}", yaml::in_quotes(path.pattern)),
                        "create it, or correct the path, which is relative to this file");
}

}  // namespace

Result<std::vector<Job>> read_job_files(const Config& config) {
  std::set<std::string> files;
  for (const auto& path : config.jobs) {
    auto matched = files_of(path);
    if (!matched) return matched.error();
    files.insert(matched->begin(), matched->end());
  }
  std::vector<Job> jobs;
  for (const auto& file : files) {
    auto job = read_job_file(file);
    if (!job) return job.error();
    jobs.push_back(std::move(*job));
  }
  std::ranges::sort(jobs, {}, &Job::name);
  const auto twice = std::ranges::adjacent_find(jobs, {}, &Job::name);
  if (twice == jobs.end()) return jobs;
  return Error{
      ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
      fmt::format("{} and {} both name their job {}", twice->source, std::next(twice)->source, twice->name),
      "rename one"};
}

Result<Job> find_job(const Config& config, const std::string& name) {
  auto jobs = read_job_files(config);
  if (!jobs) return jobs.error();
  const auto found = std::ranges::find(*jobs, name, &Job::name);
  if (found != jobs->end()) return std::move(*found);
  return Error{ErrorKind::usage, std::string(sqlstate::kUndefinedObject),
               fmt::format("there is no job {}", yaml::in_quotes(name)), "SHOW JOBS lists them"};
}

}  // namespace pgveil::app
