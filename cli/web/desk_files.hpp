#pragma once
// The files of a job that was written on the page: which it names, and which of them may be. Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cluster/spark_order.hpp"
#include "cli/config/config.hpp"
#include "cli/jobs/job.hpp"

namespace pgveil::cli {

// Those that are read: the input, hierarchies, the subset.
[[nodiscard]] std::vector<JobFile*> files_in(Job& job);

// "people.csv" of "/uploads/people.csv"; nullopt: it is not directly in the folder of `job_file`.
[[nodiscard]] std::optional<std::string> name_on_desk(std::string_view path, std::string_view job_file);

// What a job of this author may read and publish to.
enum class DeskTables { none, allowed };

// From a file to a file or, where tables are allowed, from and to tables, within these limits, which are set where the job sets none.
// No table is replaced, and no type of a column is a text of the author's. Errors, kind configuration: what is not for the page.
[[nodiscard]] Result<void> fit_to_desk(Job& job, DeskTables tables, std::int64_t default_time_ms,
                                       std::int64_t most_time_ms, std::size_t most_threads);

// A job that is to run on the cluster (admin.http.spark).
struct DeskSpark {
  std::uint64_t workers = 1;
  double sample = 1;  // per cent
  PartitionBy by = PartitionBy::multidimensional;
};

// Errors, kind configuration: there is no cluster; a job that is not for one; more workers than there are to be, a sample that is none.
[[nodiscard]] Result<void> fit_to_cluster(const Job& job, const DeskSpark& spark,
                                          const std::optional<SparkConfig>& cluster);

}  // namespace pgveil::cli
