#include "daemon/state/failed_builds.hpp"

#include <utility>

namespace pgveil::app {

void FailedBuilds::failed(const std::string& policy, std::uint64_t number, Failure failure) {
  const std::lock_guard lock(mutex_);
  known_.insert_or_assign(policy, Known{number, std::move(failure)});
}

void FailedBuilds::succeeded(const std::string& policy) {
  const std::lock_guard lock(mutex_);
  known_.erase(policy);
}

void FailedBuilds::repaired(const std::string& policy, std::uint64_t before, std::uint64_t after) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(policy);
  if (found != known_.end() && found->second.number >= before) found->second.number = after;
}

std::optional<FailedBuilds::Failure> FailedBuilds::of(const std::string& policy, std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(policy);
  if (found == known_.end() || number > found->second.number) return std::nullopt;
  return found->second.failure;
}

}  // namespace pgveil::app
