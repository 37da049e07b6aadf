#include "web/api/page_job_files.hpp"

#include <fmt/format.h>

#include <variant>

#include "common/sqlstate.hpp"

namespace pgveil::app {
namespace {

Error not_here(std::string message, std::string hint) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue), std::move(message),
          std::move(hint)};
}

}  // namespace

std::vector<JobFile*> files_in(Job& job) {
  std::vector<JobFile*> files;
  if (auto* input = std::get_if<JobFile>(&job.input)) files.push_back(input);
  for (auto& attribute : job.attributes) {
    auto* file = std::get_if<JobFile>(&attribute.hierarchy);
    if (file != nullptr && !file->path.empty()) files.push_back(file);
  }
  if (job.subset && job.subset->file) files.push_back(&*job.subset->file);
  return files;
}

std::optional<std::string> file_name_in_job(std::string_view path, std::string_view job_file) {
  const std::string_view folder = job_file.substr(0, job_file.rfind('/') + 1);
  if (!path.starts_with(folder)) return std::nullopt;
  const std::string_view name = path.substr(folder.size());
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  return std::string(name);
}

namespace {

Result<void> fit_tables(Job& job, PageJobTables tables) {
  if (!job.output.table && !job.output.file)
    return not_here("the job publishes nothing", "write output: {file: result.csv}");
  if (job.output.table && job.output.replace)
    return not_here("jobs of the page replace no table", "publish to a name that is free");
  job.output.replace = false;
  switch (tables) {
    case PageJobTables::allowed: break;
    case PageJobTables::none:
      if (std::holds_alternative<JobTable>(job.input))
        return not_here("jobs of the page read uploads, no tables of a database",
                        "jobs that read tables are files of the configuration (jobs), or need "
                        "admin.http.table_jobs");
      if (job.output.table || !job.output.file)
        return not_here("jobs of the page publish to a file that is downloaded",
                        "write output: {file: result.csv}");
  }
  if (job.output.types.empty()) return {};
  return not_here("jobs of the page do not choose types of columns", "leave output.types out");
}

}  // namespace

Result<void> fit_to_page_jobs(Job& job, PageJobTables tables, std::int64_t default_time_ms,
                              std::int64_t most_time_ms, std::size_t most_threads) {
  if (auto fits = fit_tables(job, tables); !fits) return fits;
  if (job.limits.threads > most_threads)
    return not_here(fmt::format("more than {} threads", most_threads), "lower limits.threads");
  if (job.mondrian && !job.mondrian->rounds) return {};  // Mondrian has no limits of time
  const std::int64_t time_ms = job.limits.time_ms.value_or(default_time_ms);
  if (time_ms > most_time_ms)
    return not_here(fmt::format("more than {} minutes", most_time_ms / 60'000), "lower limits.time");
  job.limits.time_ms = time_ms;
  return {};
}

}  // namespace pgveil::app
