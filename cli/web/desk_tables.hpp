#pragma once
// Tables that a job of the page may read or make: stricter than for the configuration's own jobs, whose author owns the configuration.
#include "cli/jobs/job.hpp"
#include "cli/present.hpp"
#include "common/error.hpp"

namespace pgveil::cli {

// Puts the databases into the job that it leaves out. Errors: a database that is not served, a schema that is not users', an input that is
// no plain table or has relatives by inheritance (a policy of one would not hold for the rows of the other); no admin_role. What every job
// is refused (policies' tables, open tables) its run refuses.
[[nodiscard]] Result<void> check_desk_tables(const Present& present, Job& job);

}  // namespace pgveil::cli
