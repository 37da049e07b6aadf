#include "daemon/state/running_builds.hpp"

#include <fmt/format.h>

#include "common/time_left.hpp"

namespace pgveil::app {

namespace {

std::string progress_text(const RunningBuilds::Progress& progress) {
  std::string line = progress.stage;
  if (progress.share) line += ", " + share_text(progress.passed, *progress.share);
  if (progress.done > 0) line += fmt::format(" {}", progress.done);
  return line;
}

}  // namespace

RunningBuilds::Build::Build(RunningBuilds& builds, const std::vector<std::string>& policies)
    : builds_(builds) {
  const std::lock_guard lock(builds_.mutex_);
  for (const auto& policy : policies) entries_.push_back(builds_.running_.emplace(policy, Progress()));
}

RunningBuilds::Build::~Build() {
  const std::lock_guard lock(builds_.mutex_);
  for (const auto entry : entries_) builds_.running_.erase(entry);
}

void RunningBuilds::Build::reached(const BuildStep& step) {
  const auto now = Clock::now();
  if (stage_ != step.stage) {
    stage_ = step.stage;
    stage_began_ = now;
  }
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - stage_began_);
  const std::lock_guard lock(builds_.mutex_);
  for (const auto entry : entries_) entry->second = {stage_, step.done, step.share, passed};
}

std::string RunningBuilds::of(const std::string& policy) const {
  const std::lock_guard lock(mutex_);
  const auto found = running_.lower_bound(policy);
  return found == running_.end() || found->first != policy ? std::string() : progress_text(found->second);
}

std::multimap<std::string, RunningBuilds::Progress> RunningBuilds::all() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

}  // namespace pgveil::app
