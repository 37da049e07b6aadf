#pragma once
// The state that sessions are served from: the present (configuration, users, policies, snapshots), the cache
// of verdicts and the store of versions. It implements session::Gate, the interface that sessions use. The
// console (daemon/console/commands.hpp) and the watch (watch.hpp) change it. Thread-safe.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "common/histogram.hpp"
#include "daemon/audit/log.hpp"
#include "daemon/state/database_reach.hpp"
#include "daemon/state/failed_builds.hpp"
#include "daemon/state/last_checks.hpp"
#include "daemon/state/present.hpp"
#include "daemon/state/refusal_counts.hpp"
#include "daemon/state/running_builds.hpp"
#include "daemon/statements/find_verdict.hpp"
#include "daemon/statements/pass_times.hpp"
#include "daemon/statements/verdict_cache.hpp"
#include "db/server/progress.hpp"
#include "db/versions/version_table.hpp"
#include "proxy/session/gate.hpp"
#include "rewriter/pipeline/examine.hpp"

namespace pgveil::app {

// Lets one thread sleep until a time has passed or another thread wakes it. Thread-safe.
class Wake {
 public:
  void wake();
  // Returns when `ms` milliseconds have passed, when wake() is called, or at once if wake() was called since
  // the last sleep. False: stopped.
  bool sleep_for(const std::stop_token& stop, std::int64_t ms);

 private:
  std::mutex mutex_;
  std::condition_variable_any condition_;
  bool is_woken_ = false;
};

// One step of reading everything again, at the start and for RELOAD's answer.
struct LoadStep {
  enum class Outcome {
    ok,
    later,  // not possible now, and pgveil tries again by itself; everything else is applied
    error   // nothing is applied
  };
  std::string item;  // "configuration", "users", "policies", "database demo"
  Outcome outcome = Outcome::ok;
  std::string message;  // one line
};

[[nodiscard]] bool is_applied(const std::vector<LoadStep>& steps);

class ServingState final : public session::Gate {
 public:
  // Reads users, policies, catalogs and versions. audit: where changes of policies are noted from then on; it
  // must outlive this object. Null: nowhere. Errors: the first one that occurs. The backend must be up.
  [[nodiscard]] static Result<std::unique_ptr<ServingState>> open(Config config, AuditLog* audit);

  [[nodiscard]] std::shared_ptr<const Present> present() const;

  // Null: nothing is audited.
  [[nodiscard]] const AuditLog* audit() const { return audit_; }

  // ---- Gate
  [[nodiscard]] session::Judgement judge(std::string_view sql, const rewriter::Client& client,
                                         std::string_view database) override;
  [[nodiscard]] bool is_current(std::span<const rewriter::VersionId> versions,
                                std::string_view database) const override;
  [[nodiscard]] session::Serving serving(std::string_view database) const override;
  void note_stale_versions(std::string_view database) override;
  [[nodiscard]] session::AuditedText audited_text(std::string_view text, TextOf what) const override;
  [[nodiscard]] std::optional<session::LookUp> account(std::string_view role,
                                                       std::string_view database) const override;
  [[nodiscard]] session::LookUp look_up(std::string_view role) override;
  [[nodiscard]] Result<session::LoginDemand> may_log_in(std::string_view role, std::string_view database,
                                                        const session::ClientOrigin& origin) const override;
  [[nodiscard]] std::optional<session::Credentials> bypass_login(const session::Identity& who) const override;
  [[nodiscard]] Result<void> may_connect(const session::Identity& who,
                                         std::string_view database) const override;
  [[nodiscard]] std::uint64_t access_generation() const override { return reloads_.load(); }
  [[nodiscard]] Result<void> may_stay(const session::Admitted& session) const override;
  [[nodiscard]] rewriter::SchemaNames schemas(std::string_view database) const override;

  // What judge() would answer, for an admin who asks. It is not counted as a statement.
  [[nodiscard]] Result<std::vector<rewriter::Examined>> examine(std::string_view sql,
                                                                const rewriter::Client& client,
                                                                std::string_view database) const;
  // What judge() has refused since the start.
  [[nodiscard]] const RefusalCounts& refusals() const { return refusals_; }
  // Statistics of judge() since the start: texts found in the cache, texts judged by the template of their
  // shape, all others, and the time that the last took, in total and by pass.
  struct Rewrites {
    std::atomic<std::uint64_t> hits{0}, shapes{0}, misses{0};
    Histogram time;
    PassTimes passes;

    void count(FoundVerdict::From from, std::chrono::steady_clock::duration took);
  };
  [[nodiscard]] const Rewrites& rewrites() const { return rewrites_; }
  [[nodiscard]] const VerdictCache& cache() const { return cache_; }
  // Woken when a session meets a version that is no longer current. The watch sleeps on it.
  [[nodiscard]] Wake& stale_versions() { return stale_versions_; }

  // The builds that run in this process.
  [[nodiscard]] RunningBuilds& running_builds() { return builds_; }
  // The builds that failed in this process, by BUILD POLICY or `rebuild_every`.
  [[nodiscard]] FailedBuilds& failed_builds() { return failed_builds_; }
  [[nodiscard]] const FailedBuilds& failed_builds() const { return failed_builds_; }
  [[nodiscard]] LastChecks& last_checks() { return last_checks_; }

  // ---- Changes. They block while PostgreSQL works, and while another change runs.
  //
  // Reads configuration, users, policies and catalogs again. If one step has an error, everything stays as it
  // was.
  [[nodiscard]] std::vector<LoadStep> reload();
  // Stores the versions under their next numbers (daemon/policies/versions.hpp) and makes them current
  // together, if everything in `seen` is still stored as `seen` says. Returns the versions with their
  // numbers. Otherwise returns nullopt, after it has read what is stored now. REQUIRES: at least one version,
  // all of policies of this database.
  enum class Catalog {
    read_again,
    as_known  // the catalog that was read last is good enough for this version
  };
  using Published = std::optional<std::vector<policy::PolicyVersion>>;
  [[nodiscard]] Result<Published> publish(const std::string& database,
                                          std::vector<policy::PolicyVersion> versions,
                                          const db::VersionMarks& seen, Catalog catalog);
  // Closes the policy until its next build. False: its stored state no longer matches `seen`.
  [[nodiscard]] Result<bool> withdraw(const policy::PolicySpec& spec, const std::string& reason,
                                      const db::VersionMark& seen);
  // Reads the database again if its catalog or its stored versions have changed. True: they had.
  [[nodiscard]] Result<bool> refresh_if_changed(const std::string& database);
  // Why the database can't be used now: nothing of it is answered, or the last look at it failed. nullopt: it
  // can.
  [[nodiscard]] std::optional<std::string> why_unusable(std::string_view database) const;

 private:
  ServingState(Config config, AuditLog* audit);
  [[nodiscard]] Result<Present> load(Config config, std::vector<LoadStep>& steps);
  [[nodiscard]] Result<DatabaseView> load_database(const Present& next, const Config& config,
                                                   const std::string& database, std::string& step);
  [[nodiscard]] Result<void> refresh(const std::string& database);
  [[nodiscard]] Result<bool> look_at(const std::string& database);
  // Puts into force what this process has just stored, without asking the database again where that is
  // possible. The watch reads the changed versions at its next look.
  [[nodiscard]] Result<void> take_up(const std::string& database, rewriter::PolicyState state);
  void put(const Present& now, const std::string& database, DatabaseView view);
  // Errors: the database was served with the schema pgveil, and the schema is gone. pgveil then never falls
  // back to version files by itself.
  [[nodiscard]] Result<void> check_guard(const std::string& database, const DatabaseView& next) const;
  void replace(std::shared_ptr<const Present> present);
  void note(const ProcessEvent& event);

  Generations generations_;
  std::mutex change_mutex_;           // one change at a time; never held while a client waits
  mutable std::mutex present_mutex_;  // guards only the pointer
  std::shared_ptr<const Present> present_;
  std::atomic<std::uint64_t> reloads_{0};  // how many RELOADs have changed something
  AuditLog* const audit_;
  VerdictCache cache_;
  Wake stale_versions_;
  RefusalCounts refusals_;
  Rewrites rewrites_;
  RunningBuilds builds_;
  FailedBuilds failed_builds_;
  LastChecks last_checks_;
  DatabaseReach reach_;
  std::map<std::string, std::uint64_t>
      highest_numbers_;  // per policy; guarded by change_mutex_: numbers never fall
};

}  // namespace pgveil::app
