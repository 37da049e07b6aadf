#pragma once
// Decides which tables a job of the page may read or make. The rules are stricter than for the jobs in the
// configuration, because the author of those owns the configuration.
#include <span>
#include <string_view>

#include "common/error.hpp"
#include "daemon/state/present.hpp"
#include "db/catalog/partitions.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// Checks a table as the input of a job, and returns it with its database filled in. Allowed are a plain
// table, and a partitioned one together with all its partitions, in schemas of users. A single partition is
// refused, and so is a table that inherits from another one or is inherited from: their rows also belong to
// another table, whose policy would not be consulted. The policies of the table itself are consulted when any
// job runs (check_joint_release). Errors, of kind configuration: there is no admin_role; the schema is not
// one of users; pgveil knows no such table; it is a partition or has relatives by inheritance; those of
// check_partitions. Also those of load_partitions.
[[nodiscard]] Result<JobTable> check_page_job_input(const Present& present, const JobTable& table);

// Checks the partitions whose rows are read with a partitioned table of this database. Errors, of kind
// configuration: a partition is a foreign table, is in a schema that is not one of users, or has a policy.
// Pure.
[[nodiscard]] Result<void> check_partitions(const Specs& specs, std::string_view database,
                                            std::span<const db::Partition> partitions);

// Also fills in the databases of the job's tables. Errors: those of check_page_job_input; for the output, no
// admin_role or another schema.
[[nodiscard]] Result<void> check_page_job_tables(const Present& present, Job& job);

}  // namespace pgveil::app
