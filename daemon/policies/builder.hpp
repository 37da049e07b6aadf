#pragma once
// Builds a version from a live table, and checks a version against the live table. Blocks while PostgreSQL
// works. Knows nothing of snapshots or files.
#include <cstddef>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "daemon/policies/build_needs.hpp"
#include "daemon/policies/build_progress.hpp"
#include "daemon/policies/earlier_version.hpp"
#include "db/server/endpoint.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"

namespace pgveil::app {

struct BuiltVersion {
  policy::PolicyVersion version;  // its number is 0; the store sets it
  std::string note;               // what was kept of the earlier version's tree; empty: there was none
};

// Reads the shape and the counts in one transaction, ends it, builds the tree, and checks the constraints. So
// nothing in the database is held while a tree is computed. The tree continues the earlier version's tree where
// its columns are unchanged (policy/release/lineage.hpp). It gets no new splits if the table keeps that
// version's decisions. needs: whether the version gets a copy or the digest of a stored column. Both take a
// second transaction. Rows may have changed by then, so a copy is made of the rows that this one sees, and the
// version keeps of the tree what these rows support (docs/policy-language.md, "Copies"). The caller must publish
// the version or drop its copy. Errors: ErrorKind::policy (the first of check_policy's errors, too few units,
// constraints; with 40001, the table was altered in between: is_overtaken of lineage.hpp), ::connection,
// ::server.
[[nodiscard]] Result<BuiltVersion> build_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                                 const EarlierVersion& earlier, const std::string& built_at,
                                                 const BuildNeeds& needs, const BuildProgress& progress = {});

// What a version shows of the table as it is now.
struct Recheck {
  bool is_same_shape = true;       // false: nothing below is filled in
  policy::Disclosure disclosure;   // of the version's tree on the live data
  policy::Utility utility;         // of it too
  std::size_t splits_below_k = 0;  // splits that repair must undo, including those that break a constraint
  std::optional<policy::PolicyVersion> repaired;  // none if the root fails or a cohort breaks a constraint
  std::string broken_because;                     // set when there is no `repaired`
};
// Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<Recheck> recheck_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                              const policy::PolicyVersion& version, const std::string& now);

}  // namespace pgveil::app
