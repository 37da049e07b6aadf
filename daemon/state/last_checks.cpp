#include "daemon/state/last_checks.hpp"

#include <utility>

namespace pgveil::app {

void LastChecks::checked(const std::string& policy, std::uint64_t number, Check check) {
  const std::lock_guard lock(mutex_);
  known_.insert_or_assign(policy, Known{number, std::move(check)});
}

std::optional<LastChecks::Check> LastChecks::of(const std::string& policy, std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(policy);
  if (found == known_.end() || found->second.number != number) return std::nullopt;
  return found->second.check;
}

}  // namespace pgveil::app
