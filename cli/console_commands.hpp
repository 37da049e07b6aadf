#pragma once
// The console's commands, run: parse, authorize, work, answer. Each command asks the present anew.
#include <string>

#include "cli/job_runner.hpp"
#include "cli/running_builds.hpp"
#include "cli/world.hpp"
#include "proxy/admin/console.hpp"

namespace pgveil::cli {

class Commands final : public admin::Console {
 public:
  // world outlives the commands.
  explicit Commands(World& world) : world_(world) {}

  [[nodiscard]] admin::Answer run(const admin::Request& request) override;

 private:
  [[nodiscard]] admin::Answer answer(const admin::ShowPolicies& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowTree& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowTreeAs& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowRules& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowCohorts& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowRefusals& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowJobs& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowVersion& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ShowHelp& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::BuildPolicy& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::CheckPolicy& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ExplainPolicy& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::Reload& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ExportToTable& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::ExportToFile& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::AnonymizeJob& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::CancelJob& command, const std::string& role);
  [[nodiscard]] admin::Answer answer(const admin::Benign& command, const std::string& role);

  World& world_;
  JobRunner jobs_;
  RunningBuilds builds_;
};

}  // namespace pgveil::cli
