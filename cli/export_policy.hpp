#pragma once
// EXPORT POLICY: who may, where to, and what is left behind when it fails (nothing).
#include <string>

#include "cli/present.hpp"
#include "db/exporter.hpp"
#include "policy/version.hpp"

namespace pgveil::cli {

// Errors, beside those of db/exporter.hpp: no admin_role; the target is listed as open or has a policy.
[[nodiscard]] Result<db::ExportReport> export_policy_to_table(const Present& present,
                                                              const policy::PolicySpec& spec,
                                                              const policy::PolicyVersion& version,
                                                              const std::string& schema,
                                                              const std::string& table);

// Errors, beside those of db/exporter.hpp: those of ExportFile.
[[nodiscard]] Result<db::ExportReport> export_policy_to_file(const Present& present,
                                                             const policy::PolicySpec& spec,
                                                             const policy::PolicyVersion& version,
                                                             const std::string& file);

}  // namespace pgveil::cli
