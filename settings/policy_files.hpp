#pragma once
// Reads the policy files that a configuration names and checks them against each other.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/spec/spec.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

using policy::Specs;

// Absolute paths, sorted, without duplicates. Errors: a pattern that matches nothing.
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
