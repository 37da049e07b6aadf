#include "daemon/state/database_reach.hpp"

#include <utility>

namespace pgveil::app {

void DatabaseReach::asked(const std::string& database, Clock::time_point at) {
  const std::lock_guard lock(mutex_);
  known_[database].asked_at = at;
}

void DatabaseReach::answered(const std::string& database, std::string failure) {
  const std::lock_guard lock(mutex_);
  known_[database] = {std::nullopt, std::move(failure)};
}

std::optional<std::string> DatabaseReach::failure_of(std::string_view database, Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(database);
  if (found == known_.end()) return std::nullopt;
  const auto& [asked_at, failure] = found->second;
  if (!failure.empty()) return failure;
  if (asked_at && now - *asked_at > kPatience) return "the server does not answer";
  return std::nullopt;
}

}  // namespace pgveil::app
