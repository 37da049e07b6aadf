#pragma once
// Builds a version from a live table, and checks a version against the live table. Blocks while PostgreSQL
// works. Knows nothing of snapshots or files.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "daemon/policies/build_needs.hpp"
#include "daemon/policies/build_progress.hpp"
#include "daemon/policies/earlier_version.hpp"
#include "db/catalog/table_reading.hpp"
#include "db/server/endpoint.hpp"
#include "policy/cohorts/constraint_check.hpp"
#include "policy/counts/counts.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::app {

struct BuiltVersion {
  policy::PolicyVersion version;  // its number is 0; the store sets it
  std::string note;               // what was kept of the earlier version's tree; empty: there was none
};

// All that a tree is built from: one state of the table. Nothing in the database is held for it.
struct Counted {
  rewriter::Relation relation;
  policy::Counts counts;
  std::vector<policy::ConstrainedColumn> constrained;
};
// Checks the policy against its table alone. Errors: the first of check_policy's.
[[nodiscard]] Result<void> check_against(const policy::PolicySpec& spec, const rewriter::Relation& relation);
// Checks the policy against what the reading sees, and counts it. The rows of a staged reading are paused
// afterwards. Errors: the first of check_policy's errors; ::connection, ::server, ::limit.
[[nodiscard]] Result<Counted> count_rows(db::TableReading& reading, const BuildProgress& progress);
// The version that continues `earlier` on these counts, without a copy. Errors: as build_version.
[[nodiscard]] Result<BuiltVersion> grow_version(const policy::PolicySpec& spec, const EarlierVersion& earlier,
                                                const std::string& built_at, const Counted& counted,
                                                const BuildProgress& progress);

// Gives the version a copy, made of the rows as the reading sees them, under the tree as these carry it.
// REQUIRES: the reading may write and is not paused. Errors: as make_masked_copy.
[[nodiscard]] Result<void> add_copy(db::TableReading& reading, const std::string& reader,
                                    const BuildProgress& progress, BuiltVersion& built);

// Reads the shape and the counts in one transaction, ends it, builds the tree, and checks the constraints.
// So nothing in the database is held while a tree is computed. The tree continues the earlier version's tree
// where its columns are unchanged (policy/release/lineage.hpp). It gets no new splits if the table keeps
// that version's decisions. needs: whether the version gets a copy or the digest of a stored column. Both
// take a second transaction. Rows may have changed by then, so a copy is made of the rows that this one
// sees, and the version keeps of the tree what these rows support (docs/policy-language.md, "Copies"). The
// rows of a source are evaluated only once, into a temporary table, so there both are the same. A policy of
// an entity is built by entity_build.hpp. The
// caller must publish the version or drop its copy. Errors: ErrorKind::policy (the first of check_policy's
// errors, too few units, constraints; with 40001, the table was altered in between: is_overtaken of
// lineage.hpp), ::connection, ::server.
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
