#pragma once
// From a live table to a version, and a version held against the live table. Blocks on PostgreSQL; knows
// nothing of snapshots or files.
#include <cstddef>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "db/endpoint.hpp"
#include "db/progress.hpp"
#include "policy/spec.hpp"
#include "policy/version.hpp"

namespace pgveil::cli {

// One transaction: shape, counts, tree, l-diversity. The result's number is 0: the store gives it. Errors:
// ErrorKind::policy (the first of check_policy's, too few units, l-diversity), ::connection, ::server.
[[nodiscard]] Result<policy::PolicyVersion> build_version(const db::Endpoint& endpoint,
                                                          const policy::PolicySpec& spec,
                                                          const std::string& built_at,
                                                          const db::Progress& progress = {});

// How a version stands on the table as it is now.
struct Recheck {
  bool is_same_shape = true;       // false: nothing below is filled in
  policy::Disclosure disclosure;   // of the version's tree on the live data
  std::size_t splits_below_k = 0;  // that repair has to collapse
  std::optional<policy::PolicyVersion>
      repaired;                // what is left; none when the root fails or l-diversity breaks
  std::string broken_because;  // set when there is no `repaired`
};
// Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<Recheck> recheck_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                              const policy::PolicyVersion& version, const std::string& now);

}  // namespace pgveil::cli
