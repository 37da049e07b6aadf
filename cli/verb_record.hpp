#pragma once
// The audit log of the command line: who ran which verb on what, and how it ended (docs/operations.md), in
// the file of the proxy.
#include <optional>
#include <string>

#include "common/error.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

class VerbRecord {
 public:
  // verb: "policy build"; on: the policy, job, table or file that it is about; neither has values. Writes
  // that it begins. Nothing is kept when config_path can't be read as a configuration, which the verb itself
  // says if it needs one, or has no audit.file. Errors (ErrorKind::io): it can't be written, and then the
  // verb must not run.
  [[nodiscard]] static Result<VerbRecord> begin(const std::string& config_path, std::string verb,
                                                std::string on);

  // Writes how it ended, and says on standard error when that is not possible.
  void end(int status) const;

 private:
  VerbRecord(std::optional<AuditConfig> audit, std::string verb)
      : audit_(std::move(audit)), verb_(std::move(verb)) {}

  std::optional<AuditConfig> audit_;  // nullopt: nothing is kept
  std::string verb_;
};

}  // namespace pgveil::app
