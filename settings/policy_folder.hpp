#pragma once
// Where the page may write files of policies: into the folder of the first pattern of `policies` that takes
// files with names of any length ("policies/*.yaml"). Names come from outside, so they have a small alphabet,
// and no path is ever made from anything else.
#include <optional>
#include <string>
#include <string_view>

#include "settings/config.hpp"

namespace pgveil::app {

struct PolicyFolder {
  std::string path;  // absolute
  std::string name;  // relative to the configuration's folder: "policies", or "" for that folder itself
};
// nullopt: no pattern of the configuration takes new files.
[[nodiscard]] std::optional<PolicyFolder> policy_folder(const Config& config);

// The name of a file as people see it: relative to the configuration's folder.
[[nodiscard]] std::string shown_policy_file(const Config& config, const std::string& path);

// The absolute path of the file that `name` names: a file of the configuration, or a new one in its policy
// folder, "policies/NAME.yaml". Errors: the configuration has no such file, and the name is none for a new
// one; there is no folder for new files.
[[nodiscard]] Result<std::string> policy_file_named(const Config& config, std::string_view name);

// A name for a new file of this policy, which no file has yet; empty: there is no folder for new files.
[[nodiscard]] std::string free_policy_file(const Config& config, const std::string& policy);

}  // namespace pgveil::app
