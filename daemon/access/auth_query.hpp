#pragma once
// Finds accounts in PostgreSQL, as PgBouncer's auth_query does. The operator's query runs at each login, and
// its answer is remembered for a short time. This class finds the verifier of a name; login_account decides
// whether that name may log in. Thread-safe and never changed: RELOAD makes a new one, which remembers
// nothing.
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "db/catalog/verifier_query.hpp"
#include "proxy/session/scram.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// Thread-safe. Never changed: RELOAD makes a new one, which remembers nothing.
class AuthQuery {
 public:
  struct Found {
    std::optional<session::ScramVerifier> verifier;  // nullopt: none, or none that is accepted
    bool has_failed = false;                         // PostgreSQL could not be asked
  };

  // Connects and asks for a name that nobody has, so that a query that cannot run is noticed at once.
  // REQUIRES: config.auth_query. Errors: ErrorKind::connection, ::server.
  [[nodiscard]] static Result<std::shared_ptr<AuthQuery>> open(const Config& config);
  // Connects at the first login. REQUIRES: config.auth_query, which was asked before with the same settings.
  [[nodiscard]] static std::shared_ptr<AuthQuery> unasked(const Config& config);

  // nullopt: this name was not asked for lately.
  [[nodiscard]] std::optional<Found> remembered(std::string_view name) const;
  // Blocks. Anything wrong with the query's answer is logged, but no part of the answer is.
  [[nodiscard]] Found ask(const std::string& name);

 private:
  using Clock = std::chrono::steady_clock;
  struct Memory {
    Found found;
    Clock::time_point until;
  };

  explicit AuthQuery(const Config& config);
  void remember(const std::string& name, const Found& found);

  const std::chrono::milliseconds cache_;
  std::mutex asking_;  // guards query_ and retry_at_
  db::VerifierQuery query_;
  Clock::time_point retry_at_{};  // after a failure: waiting logins then fail at once
  mutable std::mutex mutex_;      // guards memories_
  std::map<std::string, Memory, std::less<>> memories_;
};

// Errors: a rule's `as` is exempt from a policy. A role known only to PostgreSQL must be masked.
[[nodiscard]] Result<void> check_auth_query(const Config& config, const Specs& specs);

// Extracts this name's verifier from the rows of an answer. Errors: why it cannot be used; they contain no
// part of a row.
[[nodiscard]] Result<std::optional<session::ScramVerifier>> verifier_in(
    const std::vector<db::FoundVerifier>& rows, std::string_view name);

}  // namespace pgveil::app
