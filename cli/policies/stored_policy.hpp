#pragma once
// A policy with its stored version, for the subcommands that only look at files.
#include <memory>
#include <string>

#include "cli/config/config.hpp"
#include "policy/spec.hpp"
#include "policy/version.hpp"

namespace pgveil::cli {

struct StoredPolicy {
  std::shared_ptr<const policy::PolicySpec> spec;
  std::shared_ptr<const policy::PolicyVersion> version;
  std::string
      note;  // "withdrawn: …", "the policy was edited since …"; empty: as served, if the table is unchanged
};

// Errors: the configuration or a policy is wrong; no such policy; it was never built.
[[nodiscard]] Result<StoredPolicy> read_stored_policy(const std::string& config, const std::string& policy);

}  // namespace pgveil::cli
