#pragma once
// A policy with its stored version, for subcommands that only look at files.
#include <memory>
#include <string>

#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

struct StoredPolicy {
  std::shared_ptr<const policy::PolicySpec> spec;
  std::shared_ptr<const policy::PolicyVersion> version;
  std::string
      note;  // "withdrawn: …", "the policy was edited since …"; empty: it is served if the table is unchanged
};

// Errors: the configuration or a policy is wrong; no such policy; it was never built.
[[nodiscard]] Result<StoredPolicy> read_stored_policy(const std::string& config, const std::string& policy);

// A version of this policy, from a file that pgveil policy show --format json wrote. Errors: ErrorKind::io;
// ErrorKind::configuration if it is no version, or one of another policy.
[[nodiscard]] Result<policy::PolicyVersion> read_version_file(const std::string& path,
                                                              const std::string& policy);

}  // namespace pgveil::app
