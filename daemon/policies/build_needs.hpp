#pragma once
// What a build needs from the database in addition to the counts. It depends on the policy's enforcement.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

struct BuildNeeds {
  // The SELECT that gives the rows of a policy with `source`; it is evaluated with copy_reader's rights.
  std::optional<std::string> select = std::nullopt;
  std::vector<std::pair<std::string, std::string>> reads = {};  // the tables that the SELECT reads
  std::optional<std::string> copy_reader;  // copy: the role that may read the copy; none: no copy is made
  bool asks_stored = false;                // stored: ask what the server prints for the expression
};

// Asks the database whether it has the schema pgveil, and puts a source through the rewriter. Errors:
// ErrorKind::configuration if the schema or admin_role is needed but missing; ErrorKind::policy for a source
// that can't be evaluated safely (source_query.hpp); ::connection, ::server.
[[nodiscard]] Result<BuildNeeds> build_needs(const Config& config, const policy::PolicySpec& spec);

}  // namespace pgveil::app
