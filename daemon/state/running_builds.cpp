#include "daemon/state/running_builds.hpp"

#include <fmt/format.h>

namespace pgveil::app {

RunningBuilds::Build::Build(RunningBuilds& builds, const std::string& policy) : builds_(builds) {
  const std::lock_guard lock(builds_.mutex_);
  line_ = builds_.lines_.emplace(policy, "starting");
}

RunningBuilds::Build::~Build() {
  const std::lock_guard lock(builds_.mutex_);
  builds_.lines_.erase(line_);
}

void RunningBuilds::Build::reached(std::string_view stage, std::uint64_t done) {
  auto line = fmt::format("{} {}", stage, done);
  const std::lock_guard lock(builds_.mutex_);
  line_->second = std::move(line);
}

std::string RunningBuilds::of(const std::string& policy) const {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.lower_bound(policy);
  return found == lines_.end() || found->first != policy ? std::string() : found->second;
}

}  // namespace pgveil::app
