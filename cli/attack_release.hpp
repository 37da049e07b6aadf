#pragma once
// The part of `pgveil attack` that attacks the file of a job. The verb itself is in attack.cpp.
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.hpp"

namespace pgveil::app {

struct ReleaseAttackArguments {
  std::optional<std::string> file;    // none: what the job publishes; "-": standard input
  std::string job;                    // its file
  std::optional<std::string> knows;   // "age,zip"
  std::optional<std::string> scheme;  // a report of the job
  std::vector<std::string> with;      // files of jobs that published other tables about the same persons
  ReportFormat format = ReportFormat::text;
  std::optional<std::string> output;
};

// Returns the exit status.
[[nodiscard]] int run_attack_release(const ReleaseAttackArguments& arguments, const std::string& config_path);

}  // namespace pgveil::app
