#pragma once
// What a build makes or asks in the database beside counting, by the policy's enforcement.
#include <optional>
#include <string>

#include "cli/config/config.hpp"
#include "common/error.hpp"
#include "policy/spec.hpp"

namespace pgveil::cli {

struct BuildNeeds {
  std::optional<std::string> copy_reader;  // copy: who may read the copy; none: no copy is made
  bool asks_stored = false;                // stored: what the server prints of the decisions' expression
};

// Asks the database whether it has the schema pgveil. Errors: ErrorKind::configuration without it or an admin_role, where they are needed; ::connection,
// ::server.
[[nodiscard]] Result<BuildNeeds> build_needs(const Config& config, const policy::PolicySpec& spec);

}  // namespace pgveil::cli
