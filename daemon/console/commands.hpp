#pragma once
// Runs the console's commands: parses a command, checks that the role may give it, does the work and returns
// the answer. Each command uses the configuration and snapshots that are current when it begins.
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "console/console.hpp"
#include "daemon/access/sign_in_links.hpp"
#include "daemon/jobs/runner.hpp"
#include "daemon/state/serving_state.hpp"
#include "proxy/net/server.hpp"

namespace pgveil::app {

class Commands final : public console::Console {
 public:
  // serving outlives the commands.
  explicit Commands(ServingState& serving)
      : serving_(serving), jobs_([&serving] { return serving.present(); }) {}
  // The jobs that console commands start. Other code may start jobs there too; at most one job runs at a
  // time.
  [[nodiscard]] JobRunner& jobs() { return jobs_; }
  // The links that SIGN IN LINK makes. Until they are opened, the command fails.
  [[nodiscard]] SignInLinks& sign_in_links() { return sign_in_links_; }
  // Sets the server whose sessions are shown. It must outlive the commands that run. Until then no sessions
  // are shown.
  void attach(net::Server& server) { server_ = &server; }
  // What the last SHUTDOWN asked for. nullopt: there was no SHUTDOWN.
  [[nodiscard]] std::optional<console::Ending> asked_ending() const {
    return is_shutdown_asked_ ? std::optional(ending_.load()) : std::nullopt;
  }

  [[nodiscard]] console::Answer run(const console::Request& request) override;

 private:
  [[nodiscard]] console::Answer answer(const console::ShowPolicies& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowTree& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowTreeAs& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowRules& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowCohorts& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowUtility& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowStored& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowRefusals& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowJobs& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowClients& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowServers& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowPools& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowStats& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowStatsTotals& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowDatabases& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowUsers& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowConfig& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowLists& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowMem& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowVersion& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ShowHelp& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::BuildPolicy& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::CheckPolicy& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::AttackPolicy& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::CheckTable& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::MeasureRisk& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ExplainPolicy& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::Reload& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ExportToTable& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::ExportToFile& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::AnonymizeJob& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::CancelJob& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::Pause& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::Resume& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::Reconnect& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::KillClient& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::Shutdown& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::SignInLink& command, const std::string& role);
  [[nodiscard]] console::Answer answer(const console::Benign& command, const std::string& role);

  [[nodiscard]] std::vector<console::SessionInfo> sessions() const;
  [[nodiscard]] std::vector<console::PoolInfo> pools() const;
  // Errors: no such database, or no server is attached yet.
  [[nodiscard]] Result<net::Pools*> pools_of(const std::string& database) const;

  ServingState& serving_;
  std::atomic<net::Server*> server_{nullptr};
  std::atomic<console::Ending> ending_{console::Ending::at_once};
  std::atomic<bool> is_shutdown_asked_{false};
  std::atomic<bool> is_pausing_{false};  // a PAUSE is waiting on one of the console's few threads
  JobRunner jobs_;
  SignInLinks sign_in_links_;
};

}  // namespace pgveil::app
