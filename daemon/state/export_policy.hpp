#pragma once
// EXPORT POLICY writes what the readers of a policy see to a table or a file. A failed export leaves nothing
// behind.
#include <optional>
#include <string>

#include "daemon/state/present.hpp"
#include "db/policy_table/exporter.hpp"
#include "policy/version/version.hpp"

namespace pgveil::app {

// certificate: name of a file below export_dir for the certificate. The file exists only if the export
// exists, except after a crash between the two steps.
//
// Errors in addition to those of db/policy_table/exporter.hpp: there is no admin_role; the target is listed
// as open or has a policy; those of ExportFile for the certificate.
[[nodiscard]] Result<db::ExportReport> export_policy_to_table(
    const Present& present, const policy::PolicySpec& spec, const policy::PolicyVersion& version,
    const std::string& schema, const std::string& table, const std::optional<std::string>& certificate);

// Errors in addition to those of db/policy_table/exporter.hpp: those of ExportFile.
[[nodiscard]] Result<db::ExportReport> export_policy_to_file(const Present& present,
                                                             const policy::PolicySpec& spec,
                                                             const policy::PolicyVersion& version,
                                                             const std::string& file,
                                                             const std::optional<std::string>& certificate);

}  // namespace pgveil::app
