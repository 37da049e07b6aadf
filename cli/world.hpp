#pragma once
// What is above the sessions: the present (configuration, users, policies, snapshots), the verdict cache and
// the store of versions. Implements what a session asks (Gate); the console (cli/console/commands.hpp) and the
// watch (watch.hpp) change it. Thread-safe.
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/audit/log.hpp"
#include "cli/console/refusal_counts.hpp"
#include "cli/console/running_builds.hpp"
#include "cli/present.hpp"
#include "cli/statements/verdict_cache.hpp"
#include "cli/wake.hpp"
#include "common/histogram.hpp"
#include "db/progress.hpp"
#include "proxy/session/gate.hpp"
#include "rewriter/examine.hpp"

namespace pgveil::cli {

// A step of reading everything anew, for RELOAD's answer and the start.
struct LoadStep {
  std::string item;  // "configuration", "users", "policies", "database demo"
  bool is_ok = true;
  std::string message;  // one line
};

class World final : public session::Gate {
 public:
  // Reads users, policies, catalogs and versions. Errors: the first that is wrong; the backend must be up.
  [[nodiscard]] static Result<std::unique_ptr<World>> open(Config config);

  [[nodiscard]] std::shared_ptr<const Present> present() const;

  // What policies go through is noted there from now on; it outlives this. Null: nowhere.
  void attach_audit(AuditLog* audit) { audit_ = audit; }
  // Null: nothing is audited.
  [[nodiscard]] const AuditLog* audit() const { return audit_; }

  // ---- Gate
  [[nodiscard]] rewriter::Verdict judge(std::string_view sql, const rewriter::Client& client,
                                        std::string_view database) override;
  [[nodiscard]] bool is_current(std::span<const rewriter::VersionId> versions,
                                std::string_view database) const override;
  [[nodiscard]] std::uint64_t generation_of(std::string_view database) const override;
  [[nodiscard]] std::optional<std::uint64_t> unguarded_generation(std::string_view database) const override;
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
  [[nodiscard]] rewriter::SchemaNames schemas(std::string_view database) const override;

  // What judge() would find, for an admin who asks: it is not counted.
  [[nodiscard]] Result<std::vector<rewriter::Examined>> examine(std::string_view sql,
                                                                const rewriter::Client& client,
                                                                std::string_view database) const;
  // What judge() refused since the start.
  [[nodiscard]] const RefusalCounts& refusals() const { return refusals_; }
  // Of judge() since the start: texts that were in the cache, those that were not, and how long those took.
  struct Rewrites {
    std::atomic<std::uint64_t> hits{0}, misses{0};
    Histogram time;
  };
  [[nodiscard]] const Rewrites& rewrites() const { return rewrites_; }
  [[nodiscard]] const VerdictCache& cache() const { return cache_; }
  // Woken when a session met a version that is not current any more: the watch sleeps on it.
  [[nodiscard]] Wake& stale_versions() { return stale_versions_; }

  // The builds that run in this process.
  [[nodiscard]] RunningBuilds& running_builds() { return builds_; }

  // ---- changes; they block on PostgreSQL and on one another
  // Reads configuration, users, policies and catalogs again. All or nothing: one step that is not ok keeps
  // the old.
  [[nodiscard]] std::vector<LoadStep> reload();
  // Stores the version under the next number (cli/policies/versions.hpp) and makes it current. The number is set in what is
  // returned.
  [[nodiscard]] Result<policy::PolicyVersion> publish(const policy::PolicySpec& spec,
                                                      policy::PolicyVersion version);
  // Closes the policy until its next build.
  [[nodiscard]] Result<void> withdraw(const policy::PolicySpec& spec, const std::string& reason);
  // Reads the database again if its catalog or its stored versions changed. True: it had changed.
  [[nodiscard]] Result<bool> refresh_if_changed(const std::string& database);

 private:
  explicit World(Config config);
  [[nodiscard]] Result<Present> load(Config config, std::vector<LoadStep>& steps);
  [[nodiscard]] Result<void> refresh(const std::string& database);
  // The database was served with the schema pgveil and has it no longer: never fall back to files by itself.
  [[nodiscard]] bool has_lost_guard(const std::string& database, const DatabaseView& next) const;
  [[nodiscard]] std::uint64_t served_number(const policy::PolicySpec& spec) const;
  void replace(std::shared_ptr<const Present> present);
  void note(const ProcessEvent& event);

  Generations generations_;
  std::mutex change_mutex_;           // one change at a time; never held while a client waits
  mutable std::mutex present_mutex_;  // only for the pointer
  std::shared_ptr<const Present> present_;
  AuditLog* audit_ = nullptr;
  VerdictCache cache_;
  Wake stale_versions_;
  RefusalCounts refusals_;
  Rewrites rewrites_;
  RunningBuilds builds_;
  std::map<std::string, std::uint64_t>
      highest_numbers_;  // per policy, under change_mutex_: numbers never fall
};

}  // namespace pgveil::cli
