#pragma once
// SHOW POLICIES: one line per policy. Quotes no data. What tells cohort sizes is left out for stats_users
// (R8).
#include <memory>
#include <span>
#include <string>

#include "console/console.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"

namespace pgveil::console {

struct PolicyLine {
  std::shared_ptr<const policy::PolicySpec> spec;
  std::shared_ptr<const policy::PolicyVersion> version;  // null: closed
  std::string closed_because;                            // empty when open
  std::string building = {};                             // how far a build is; empty: none is running
  std::string enforcement = "query";  // "query", "stored", "copy", "query, not stored: why"
  std::string last_failure = {};      // when the last build failed; empty: it did not
  std::string failure = {};           // why; empty with last_failure
  std::string last_check = {};        // when the version was last compared with its table; empty: not yet
  std::string finding = {};           // what was found then, "ok" or what is wrong; empty with last_check
};

// Standing::stats: cohorts, smallest, mean_error, failure and finding are NULL, and shares are rounded to
// whole per cents.
[[nodiscard]] Table policies_table(std::span<const PolicyLine> lines, Standing standing);

// The cells rows, units, cohorts, smallest, disclosed, computable, equal of BUILD, CHECK and EXPORT.
[[nodiscard]] std::vector<std::optional<std::string>> release_cells(const policy::Disclosure& disclosure);

}  // namespace pgveil::console
