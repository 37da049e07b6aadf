#pragma once
// The policy files that a configuration names, read and held against each other.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/spec/spec.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

using policy::Specs;

// Absolute paths in their order, each once. Errors: a pattern that matches nothing.
[[nodiscard]] Result<std::vector<std::string>> policy_file_paths(const Config& config);

// The configuration's and the policies' files that others than root and we could have written
// (common/files/trusted_file.hpp): one line for each, with what mends it. They decide who sees what, so an
// operator should know.
[[nodiscard]] std::vector<std::string> distrusted_files(const Config& config);

// Files in name order, each once. Errors: ErrorKind::configuration: a file that is missing or wrong, a
// pattern that matches nothing, names or roles that clash, a database that backend.databases does not list.
[[nodiscard]] Result<Specs> read_policy_files(const Config& config);

// The policies of one file, as they are there. Errors: ErrorKind::configuration.
[[nodiscard]] Result<std::vector<policy::PolicySpec>> read_policy_file(const std::string& file);

// Errors: ErrorKind::usage, with the names there are.
[[nodiscard]] Result<std::shared_ptr<const policy::PolicySpec>> find_policy(const Specs& specs,
                                                                            std::string_view name);

}  // namespace pgveil::app
