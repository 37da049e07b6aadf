#pragma once
// The audit records of the command line: who ran which verb on what, and how it ended (docs/operations.md).
// They go into the proxy's audit file.
#include <optional>
#include <string>

#include "common/error.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

class VerbRecord {
 public:
  // Records the beginning. verb: "policy build"; on: the policy, job, table or file that the verb works on;
  // neither contains values. Nothing is recorded if config_path cannot be read as a configuration (the verb
  // itself reports this if it needs one) or has no audit.file. Errors (ErrorKind::io): the record cannot be
  // written; then the verb must not run.
  [[nodiscard]] static Result<VerbRecord> begin(const std::string& config_path, std::string verb,
                                                std::string on);

  // Records how the verb ended, and reports on standard error if that is not possible.
  void end(int status) const;

 private:
  VerbRecord(std::optional<AuditConfig> audit, std::string verb)
      : audit_(std::move(audit)), verb_(std::move(verb)) {}

  std::optional<AuditConfig> audit_;  // nullopt: nothing is recorded
  std::string verb_;
};

}  // namespace pgveil::app
