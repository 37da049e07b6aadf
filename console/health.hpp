#pragma once
// How a running pgveil does, judged by the answers of its console: the databases that can't be used, the
// policies that are closed, and the builds that failed. Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/text_table.hpp"

namespace pgveil::console {

struct DatabaseHealth {
  std::string name;
  bool is_usable = false;  // its catalog could be read
  bool is_paused = false;
};

struct PolicyHealth {
  std::string name, database;
  bool is_open = false;
  std::string closed_because;               // empty: it is open
  std::optional<std::uint64_t> version;     // none: it is closed
  std::optional<std::int64_t> age_seconds;  // of the version
  std::string last_failure;                 // when the last build failed; empty: it did not
};

struct Health {
  std::string version;  // "pgveil 0.1.0"
  std::vector<DatabaseHealth> databases;
  std::vector<PolicyHealth> policies;
};

// The answers of SHOW VERSION, SHOW DATABASES and SHOW POLICIES. now: seconds since 1970. Errors:
// ErrorKind::protocol, a column is missing: another program answers, or a pgveil of another release.
[[nodiscard]] Result<Health> health_of(const TextTable& version, const TextTable& databases,
                                       const TextTable& policies, std::int64_t now);

// One sentence for each thing that is not as it should be. Empty: pgveil is healthy.
[[nodiscard]] std::vector<std::string> problems_of(const Health& health);

// "3 d 4 h", "12 min", "45 s": the two largest units.
[[nodiscard]] std::string age_text(std::int64_t seconds);

}  // namespace pgveil::console
