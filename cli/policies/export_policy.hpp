#pragma once
// EXPORT POLICY: who may, where to, and what is left behind when it fails (nothing).
#include <optional>
#include <string>

#include "cli/present.hpp"
#include "db/exporter.hpp"
#include "policy/version.hpp"

namespace pgveil::cli {

// certificate: a file below export_dir for it. It is there only if the export is, but for a crash between the two.
//
// Errors, beside those of db/exporter.hpp: no admin_role; the target is listed as open or has a policy; those of ExportFile for the
// certificate.
[[nodiscard]] Result<db::ExportReport> export_policy_to_table(
    const Present& present, const policy::PolicySpec& spec, const policy::PolicyVersion& version,
    const std::string& schema, const std::string& table, const std::optional<std::string>& certificate);

// Errors, beside those of db/exporter.hpp: those of ExportFile.
[[nodiscard]] Result<db::ExportReport> export_policy_to_file(const Present& present,
                                                             const policy::PolicySpec& spec,
                                                             const policy::PolicyVersion& version,
                                                             const std::string& file,
                                                             const std::optional<std::string>& certificate);

}  // namespace pgveil::cli
