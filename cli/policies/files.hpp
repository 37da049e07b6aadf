#pragma once
// The policy files that a configuration names, read and held against each other.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config/config.hpp"
#include "policy/spec.hpp"

namespace pgveil::cli {

using Specs = std::vector<std::shared_ptr<const policy::PolicySpec>>;

// Absolute paths in their order, each once. Errors: a pattern that matches nothing.
[[nodiscard]] Result<std::vector<std::string>> policy_file_paths(const Config& config);

// Files in name order, each once. Errors: ErrorKind::configuration: a file that is missing or wrong, a
// pattern that matches nothing, names or roles that clash, a database that backend.databases does not list.
[[nodiscard]] Result<Specs> read_policy_files(const Config& config);

// The policies of one file, as they are there. Errors: ErrorKind::configuration.
[[nodiscard]] Result<std::vector<policy::PolicySpec>> read_policy_file(const std::string& file);

// Errors: ErrorKind::usage, with the names there are.
[[nodiscard]] Result<std::shared_ptr<const policy::PolicySpec>> find_policy(const Specs& specs,
                                                                            std::string_view name);

}  // namespace pgveil::cli
