#pragma once
// A small world for the rewriter's tests: database demo with the worked example (policy people_k2), an open
// table, an unlisted one, and the catalogs that tests name.
#include <memory>
#include <string>

#include "policy/spec/spec.hpp"
#include "policy/tree/tree.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter::test {

[[nodiscard]] Column column(int number, std::string name, std::string type = "text",
                            std::string type_text = "");
[[nodiscard]] policy::Counts worked_example_counts();
[[nodiscard]] policy::PolicySpec worked_example_policy();
[[nodiscard]] std::shared_ptr<Catalog> demo_catalog();
// A function or operator of users. arguments: as in Candidate.
[[nodiscard]] Candidate candidate_of(std::string schema, std::string object, std::string arguments);
[[nodiscard]] policy::PolicyVersion version_of(const policy::PolicySpec& spec, const policy::Counts& counts,
                                               const Relation& relation);
// Readers: analyst; exempt: dpo.
[[nodiscard]] std::shared_ptr<const Snapshot> demo_snapshot(VersionGuard guard = VersionGuard::absent);
// The same, with indexes on city, state, occupation and visits, so that look-ups are possible.
[[nodiscard]] std::shared_ptr<const Snapshot> demo_snapshot_with_indexes(LookUps look_ups = LookUps::yes);
// The same, with masks that are views.
[[nodiscard]] std::shared_ptr<const Snapshot> demo_snapshot_with_views(
    VersionGuard guard = VersionGuard::present);
[[nodiscard]] std::shared_ptr<const Snapshot> snapshot_without_version();

}  // namespace pgveil::rewriter::test
