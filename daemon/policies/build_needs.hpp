#pragma once
// What a build needs from the database beside the counts. It depends on the policy's enforcement.
#include <optional>
#include <string>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

struct BuildNeeds {
  std::optional<std::string> copy_reader;  // copy: who may read the copy; none: no copy is made
  bool asks_stored = false;                // stored: what the server prints of the decisions' expression
};

// Asks the database whether it has the schema pgveil. Errors: ErrorKind::configuration without it or an
// admin_role, where they are needed; ::connection, ::server.
[[nodiscard]] Result<BuildNeeds> build_needs(const Config& config, const policy::PolicySpec& spec);

}  // namespace pgveil::app
