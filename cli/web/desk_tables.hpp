#pragma once
// Tables that a job of the page may read or make: stricter than for the configuration's own jobs, whose author owns the configuration.
#include <span>
#include <string_view>

#include "cli/jobs/job.hpp"
#include "cli/present.hpp"
#include "common/error.hpp"
#include "db/partitions.hpp"

namespace pgveil::cli {

// As the input of a job: its database filled in. A plain table or a partitioned one with all its partitions, of users' schemas. A partition alone, or a
// relative by inheritance, has rows that are another table's too, whose policy would not be asked. Policies over the table itself are what the run of
// every job asks for (check_joint_release). Errors, kind configuration: there is no admin_role; another schema; no table that pgveil
// knows; a partition, or a relative by inheritance; those of check_partitions. Those of load_partitions.
[[nodiscard]] Result<JobTable> check_desk_input(const Present& present, const JobTable& table);

// Whose rows are read with those of a partitioned table of this database. Errors, kind configuration: one is foreign, in a schema that is not users',
// or has a policy. Pure.
[[nodiscard]] Result<void> check_partitions(const Specs& specs, std::string_view database,
                                            std::span<const db::Partition> partitions);

// Also fills in the databases of the job's tables. Errors: those of check_desk_input; for the output, no admin_role or another schema.
[[nodiscard]] Result<void> check_desk_tables(const Present& present, Job& job);

}  // namespace pgveil::cli
