#pragma once
// Files that a policy names. Readers of policies do no I/O themselves: the caller that read the policy's own
// file knows which folder a path is relative to.
#include <functional>
#include <string>

#include "common/error.hpp"
#include "common/yaml.hpp"

namespace pgveil::policy {

// The text of the file; `at` is where the policy names it, for the error.
using ReadNamedFile = std::function<Result<std::string>(const yaml::Position& at, const std::string& path)>;

// Refuses every file.
[[nodiscard]] Result<std::string> no_named_files(const yaml::Position& at, const std::string& path);

}  // namespace pgveil::policy
