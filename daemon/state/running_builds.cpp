#include "daemon/state/running_builds.hpp"

#include <fmt/format.h>

#include "common/time_left.hpp"

namespace pgveil::app {

RunningBuilds::Build::Build(RunningBuilds& builds, const std::vector<std::string>& policies)
    : builds_(builds) {
  const std::lock_guard lock(builds_.mutex_);
  for (const auto& policy : policies) lines_.push_back(builds_.lines_.emplace(policy, "starting"));
}

RunningBuilds::Build::~Build() {
  const std::lock_guard lock(builds_.mutex_);
  for (const auto line : lines_) builds_.lines_.erase(line);
}

void RunningBuilds::Build::reached(const BuildStep& step) {
  const auto now = Clock::now();
  if (stage_ != step.stage) {
    stage_ = step.stage;
    stage_began_ = now;
  }
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - stage_began_);
  std::string line = stage_;
  if (step.share) line += ", " + share_text(passed, *step.share);
  if (step.done > 0) line += fmt::format(" {}", step.done);
  const std::lock_guard lock(builds_.mutex_);
  for (const auto each : lines_) each->second = line;
}

std::string RunningBuilds::of(const std::string& policy) const {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.lower_bound(policy);
  return found == lines_.end() || found->first != policy ? std::string() : found->second;
}

}  // namespace pgveil::app
