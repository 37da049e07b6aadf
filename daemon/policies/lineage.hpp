#pragma once
// Makes a version current. Policies over one table publish data about the same people (docs/check.md,
// "joint-release"): somebody who has the answers of several policies sees the joint classes of their cohorts.
// So a new version is counted together with the current versions of the other policies over its table, and it
// is stored only if those are still current at that moment. Versions become current only here.
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/finding.hpp"
#include "daemon/policies/take_up.hpp"
#include "db/versions/version_table.hpp"
#include "policy/version/version.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

enum class Counting {
  live,  // on the current rows
  none   // only from the texts of the policies
};

// Findings about the policies over each table of this database, based on their current versions. Errors: the
// table could not be counted.
[[nodiscard]] Result<std::vector<Finding>> lineage_findings(const Config& config, const Specs& specs,
                                                            const std::string& database, Counting counting);

// The policies over one table, and what was stored of them at one moment.
struct Company {
  std::vector<Release> releases;
  std::vector<Finding> overlaps = {};  // policies of other relations that read the same tables (`source`)
  db::VersionMarks marks;
};
[[nodiscard]] Result<Company> company_of(const Config& config, const Specs& specs,
                                         const policy::PolicySpec& spec);

// The result of comparing a version with the other policies over its table.
struct Settled {
  policy::PolicyVersion version;   // lists the versions that it may be open beside
  std::size_t joined = 0;          // how many cohorts had to be merged with others for this
  std::string flaw;                // what was too small before they were merged
  std::string refused_because;     // not empty: why it may not be released
  std::string mend;                // what the owner can do in that case
  std::vector<std::string> notes;  // problems that a policy's owner has accepted by name
};
enum class IfFlawed {
  refuse,   // for a version that is to be opened: refuse it
  give_way  // for an open version: undo splits above joint classes that are too small, until none is left
};
// Compares the version with the company. Errors: the table could not be counted, or its columns are no longer
// those of the version.
[[nodiscard]] Result<Settled> settle(const Config& config, const Company& company,
                                     const policy::PolicySpec& spec, policy::PolicyVersion version,
                                     IfFlawed if_flawed);

// Fails unless this version may be released beside the current versions of the other policies over its table.
// For EXPORT. Errors: ErrorKind::policy with the smallest joint class, unless it is accepted by name (which
// is logged).
[[nodiscard]] Result<void> check_lineage(const Config& config, const Specs& specs,
                                         const policy::PolicySpec& spec,
                                         const policy::PolicyVersion& version);

// Stores the versions together if all of these policies are still stored as the marks say. Otherwise returns
// nullopt.
using Store = std::function<Result<std::optional<std::vector<policy::PolicyVersion>>>(
    std::vector<policy::PolicyVersion>, const db::VersionMarks&)>;
// What a build made of one policy.
struct Candidate {
  std::shared_ptr<const policy::PolicySpec> spec;
  policy::PolicyVersion version;  // its number is 0; the store sets it
  std::string note;               // what was kept of the earlier version's tree; empty: there was none
  db::VersionMark before;         // what was stored of the policy when the build began
};
// Settles the versions and stores them: one, or those of all tables of an entity. If another policy's version
// was stored meanwhile, it does both again. Drops the copies that are then outdated, or, if it fails, those
// of the candidates. Errors: those of check_lineage; an error for which is_overtaken() is true; other
// programs store versions so often that no attempt succeeds.
[[nodiscard]] Result<std::vector<policy::PolicyVersion>> release(const Config& config, const Specs& specs,
                                                                 const std::vector<Candidate>& candidates,
                                                                 const Store& store);

// True if another version of the same policy was stored, or the policy was withdrawn, while this version was
// built. Then this version continues a version that is no longer the last one.
[[nodiscard]] bool is_overtaken(const Error& error);

}  // namespace pgveil::app
