#pragma once
// One release lineage per table (docs/check.md, "joint-release"): policies over one table are releases of the same
// people, and whoever has the answers of both sees the intersections of their cohorts.
#include <string>
#include <vector>

#include "cli/config/config.hpp"
#include "cli/policies/files.hpp"
#include "common/finding.hpp"
#include "policy/version.hpp"

namespace pgveil::cli {

enum class Counting {
  live,  // on the rows as they are now
  none   // only what the policies themselves tell
};

// Every pair of policies over one table of this database, by their current versions. Errors: the table could not be
// counted.
[[nodiscard]] Result<std::vector<Finding>> lineage_findings(const Config& config, const Specs& specs,
                                                            const std::string& database, Counting counting);

// May this version be released beside the current versions of the other policies over its table? For BUILD and EXPORT.
// Errors: ErrorKind::policy with the smallest intersection, unless one of the policies accepts it (which is logged).
[[nodiscard]] Result<void> check_lineage(const Config& config, const Specs& specs,
                                         const policy::PolicySpec& spec,
                                         const policy::PolicyVersion& version);

}  // namespace pgveil::cli
