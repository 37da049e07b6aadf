#pragma once
// From a live table to a version, and a version held against the live table. Blocks on PostgreSQL; knows
// nothing of snapshots or files.
#include <cstddef>
#include <optional>
#include <string>

#include "cli/policies/build_needs.hpp"
#include "cli/policies/earlier_version.hpp"
#include "common/error.hpp"
#include "db/endpoint.hpp"
#include "db/progress.hpp"
#include "policy/spec.hpp"
#include "policy/version.hpp"

namespace pgveil::cli {

struct BuiltVersion {
  policy::PolicyVersion version;  // its number is 0: the store gives it
  std::string note;               // what became of the earlier version's tree; empty: there was none
};

// One transaction: shape, counts, tree, constraints. Goes on from the earlier version where its columns are still what they
// were (policy/lineage.hpp), without new splits where the table keeps that version's decisions. needs: a copy, a stored column's digest; without them the version has none. The caller publishes the version, or drops its copy. Errors: ErrorKind::policy (the first of check_policy's, too few units, constraints), ::connection,
// ::server.
[[nodiscard]] Result<BuiltVersion> build_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                                 const EarlierVersion& earlier, const std::string& built_at,
                                                 const BuildNeeds& needs, const db::Progress& progress = {});

// How a version stands on the table as it is now.
struct Recheck {
  bool is_same_shape = true;       // false: nothing below is filled in
  policy::Disclosure disclosure;   // of the version's tree on the live data
  std::size_t splits_below_k = 0;  // that repair has to collapse, those that break a constraint included
  std::optional<policy::PolicyVersion>
      repaired;                // what is left; none when the root fails or a cohort breaks a constraint
  std::string broken_because;  // set when there is no `repaired`
};
// Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<Recheck> recheck_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                              const policy::PolicyVersion& version, const std::string& now);

}  // namespace pgveil::cli
