#pragma once
// Finds accounts that PostgreSQL has, as PgBouncer's auth_query does: the operator's query is asked at each
// login, and its answer is remembered for a short time. This says what a name's verifier is; login_account
// decides whether that name may log in. Thread-safe. It is never changed: RELOAD makes a new one, which
// remembers nothing.
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
    std::optional<session::ScramVerifier> verifier;  // nullopt: none that is accepted
    bool has_failed = false;                         // PostgreSQL could not be asked
  };

  // Connects and asks for a name that nobody has, so that a query that can't be run is known at once.
  // REQUIRES: config.auth_query. Errors: ErrorKind::connection, ::server.
  [[nodiscard]] static Result<std::shared_ptr<AuthQuery>> open(const Config& config);

  // nullopt: nobody has asked lately.
  [[nodiscard]] std::optional<Found> remembered(std::string_view name) const;
  // Blocks. What is wrong with what the query found is in the log, without any of it.
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
  std::mutex asking_;  // around query_ and retry_at_
  db::VerifierQuery query_;
  Clock::time_point retry_at_{};  // after a failure: those who wait in line hear of it at once
  mutable std::mutex mutex_;      // around memories_
  std::map<std::string, Memory, std::less<>> memories_;
};

// Errors: a rule's `as` is exempt from a policy. Whoever PostgreSQL knows is at most masked.
[[nodiscard]] Result<void> check_auth_query(const Config& config, const Specs& specs);

// What the rows of an answer say of this name's verifier. Errors: why it can't be used; no part of a row is
// in them.
[[nodiscard]] Result<std::optional<session::ScramVerifier>> verifier_in(
    const std::vector<db::FoundVerifier>& rows, std::string_view name);

}  // namespace pgveil::app
