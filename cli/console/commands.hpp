#pragma once
// The console's commands, run: parse, authorize, work, answer. Each command asks the present anew.
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "cli/jobs/runner.hpp"
#include "cli/world.hpp"
#include "proxy/admin/console.hpp"
#include "proxy/net/server.hpp"

namespace pgveil::cli {

class Commands final : public admin::Console {
 public:
  // world outlives the commands.
  explicit Commands(World& world) : world_(world) {}
  // Those that are run by command; others may be run there too, one at a time in all.
  [[nodiscard]] JobRunner& jobs() { return jobs_; }
  // The server whose sessions are shown; it outlives the commands that run. Until then there are none.
  void attach(net::Server& server) { server_ = &server; }
  // What SHUTDOWN asked for last; nothing: it never did.
  [[nodiscard]] std::optional<admin::Ending> asked_ending() const {
    return is_shutdown_asked_ ? std::optional(ending_.load()) : std::nullopt;
  }

  [[nodiscard]] admin::Answer run(const admin::Request& request) override;

 private:
  [[nodiscard]] admin::Answer answer(const admin::ShowPolicies& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowTree& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowTreeAs& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowRules& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowCohorts& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowStored& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowRefusals& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowJobs& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowClients& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowServers& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowPools& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowStats& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowStatsTotals& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowDatabases& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowUsers& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowConfig& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowLists& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowMem& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowVersion& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowHelp& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::BuildPolicy& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::CheckPolicy& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::CheckTable& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::MeasureRisk& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ExplainPolicy& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::Reload& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ExportToTable& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ExportToFile& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::AnonymizeJob& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::CancelJob& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::Pause& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::Resume& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::Reconnect& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::KillClient& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::Shutdown& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::Benign& command, const std::string& role);

  [[nodiscard]] std::vector<admin::SessionInfo> sessions() const;
  [[nodiscard]] std::vector<admin::PoolInfo> pools() const;
  // Errors: no such database; the server is not attached yet.
  [[nodiscard]] Result<net::Pools*> pools_of(const std::string& database) const;

  World& world_;
  std::atomic<net::Server*> server_{nullptr};
  std::atomic<admin::Ending> ending_{admin::Ending::at_once};
  std::atomic<bool> is_shutdown_asked_{false};
  std::atomic<bool> is_pausing_{false};  // a PAUSE waits, on one of the few threads of the console
  JobRunner jobs_;
};

}  // namespace pgveil::cli
