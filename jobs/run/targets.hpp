#pragma once
// Where a job publishes to: a file, a table or both, all or nothing.
#include <optional>
#include <string>
#include <vector>

#include "common/files/output_file.hpp"
#include "db/job_table/pending_table.hpp"
#include "jobs/input/data.hpp"
#include "jobs/run/anonymize.hpp"

namespace pgveil::app {

// Refuses what can be refused before the work. Errors: a table as target without admin_role, or one that has
// a policy or is listed in open_tables; a file that must not be written; an input that shares rows with the
// table of a policy (check_joint_release); those of db::load_relatives.
[[nodiscard]] Result<void> check_targets(const AnonymizeRequest& request);

// What a job publishes from a policy's table is a second release of the same people. Whether the two together
// leave too few is not counted; the owner decides. The same holds for a table that a policy's source reads.
// Returns what was accepted, in words. REQUIRES: the table's
// database is filled in. Errors, kind policy: a policy over the table does not accept it.
[[nodiscard]] Result<std::vector<std::string>> check_joint_release(const TablePolicies& policies,
                                                                   const JobTable& table);
// Repeats the checks of the tables with the policies of now. Call it last before publish_targets.
[[nodiscard]] Result<void> check_policies_of_now(const AnonymizeRequest& request);

// Completely written and recounted. publish_targets() publishes it; otherwise it is removed with this value.
struct WrittenTargets {
  std::optional<OutputFile> file;
  std::optional<db::PendingTable> table;
  std::vector<std::string> names;  // "file …", "table …"
};

// Errors: those of OutputFile and PendingTable.
[[nodiscard]] Result<WrittenTargets> write_targets(const AnonymizeRequest& request, const JobData& data,
                                                   const engine::Publication& publication,
                                                   const AnonymizeHooks& hooks);

// Errors: those of OutputFile and PendingTable. Then nothing is published. Exception: if it is not known
// whether the table was committed, the file is removed, and the error says so.
[[nodiscard]] Result<void> publish_targets(WrittenTargets& targets);

}  // namespace pgveil::app
