#pragma once
// Where a job publishes to: a file, a table or both, all or nothing.
#include <string>
#include <vector>

#include "cli/anonymize.hpp"
#include "cli/job_data.hpp"

namespace pgveil::cli {

// What can be refused before the work. Errors: a table without admin_role, or one that has a policy or is listed in
// open_tables; a file that may not be written.
[[nodiscard]] Result<void> check_targets(const AnonymizeRequest& request);

// → "file …", "table …". Errors: those of OutputFile and PendingTable; then nothing is published, except when it is not
// known whether the table was committed: then the file is taken back, and the error says so.
[[nodiscard]] Result<std::vector<std::string>> write_targets(const AnonymizeRequest& request,
                                                             const JobData& data,
                                                             const engine::Publication& publication,
                                                             const AnonymizeHooks& hooks);

}  // namespace pgveil::cli
