#pragma once
// Reads the policy files that a configuration names and checks them against each other.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/spec/spec.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

using policy::Specs;

// The folder of a pattern that takes files of any name, "policies/*.yaml" or "policies/*". nullopt: it is no
// such pattern.
[[nodiscard]] std::optional<std::filesystem::path> folder_for_any_name(const std::string& pattern);

// Absolute paths, sorted, without duplicates. A pattern for files of any name may match nothing, so that a
// configuration has a folder before it has a policy. Errors: another pattern that matches nothing; such a
// pattern if its folder is missing or can't be read, or if open_tables has patterns. Those would open tables
// whose policies were lost.
[[nodiscard]] Result<std::vector<std::string>> policy_file_paths(const Config& config);

// The configuration and policy files that somebody other than root and us could have written
// (common/files/trusted_file.hpp): one line each, with the fix. Operators should know of them, because these
// files decide who sees what.
[[nodiscard]] std::vector<std::string> distrusted_files(const Config& config);

// The policies of all files, ordered by file name, each file once. Errors: ErrorKind::configuration: a file
// that is missing or wrong, a pattern that matches nothing, clashes of names or roles, a database that
// backend.databases does not list.
[[nodiscard]] Result<Specs> read_policy_files(const Config& config);

// The policies of one file, unchanged. Errors: ErrorKind::configuration.
[[nodiscard]] Result<std::vector<policy::PolicySpec>> read_policy_file(const std::string& file);

// Errors: ErrorKind::usage, with the existing names.
[[nodiscard]] Result<std::shared_ptr<const policy::PolicySpec>> find_policy(const Specs& specs,
                                                                            std::string_view name);

}  // namespace pgveil::app
