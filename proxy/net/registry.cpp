#include "proxy/net/registry.hpp"

#include <utility>

#include "common/assert.hpp"
#include "proxy/net/random.hpp"

namespace pgveil::net {

std::optional<SessionKeys> Registry::reserve() {
  const std::scoped_lock lock(mutex_);
  if (by_pid_.size() >= max_sessions_) return std::nullopt;
  SessionKeys keys{.pid = 0, .secret = random_number()};
  do {
    keys.pid = random_number() & 0x7fffffff;  // drivers print it as a signed number
  } while (keys.pid == 0 || by_pid_.contains(keys.pid));
  by_pid_.emplace(keys.pid, Entry{keys.secret, {}});
  return keys;
}

bool Registry::admit(const SessionKeys& keys, const std::string& role, std::size_t limit) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(keys.pid);
  PGVEIL_ASSERT(found != by_pid_.end() && found->second.role.empty());
  std::size_t& count = by_role_[role];
  if (limit > 0 && count >= limit) return false;
  ++count;
  found->second.role = role;
  return true;
}

void Registry::attach(const SessionKeys& keys, std::weak_ptr<SessionDriver> driver) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(keys.pid);
  PGVEIL_ASSERT(found != by_pid_.end());
  found->second.driver = std::move(driver);
}

void Registry::release(const SessionKeys& keys) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(keys.pid);
  if (found == by_pid_.end()) return;
  if (const auto role = by_role_.find(found->second.role); role != by_role_.end() && --role->second == 0) {
    by_role_.erase(role);
  }
  by_pid_.erase(found);
  if (by_pid_.empty()) emptied_.notify_all();
}

std::shared_ptr<SessionDriver> Registry::find(const SessionKeys& keys) const {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(keys.pid);
  if (found == by_pid_.end() || found->second.secret != keys.secret) return nullptr;
  return found->second.driver.lock();
}

std::vector<std::shared_ptr<SessionDriver>> Registry::all() const {
  std::vector<std::shared_ptr<SessionDriver>> drivers;
  const std::scoped_lock lock(mutex_);
  for (const auto& [pid, entry] : by_pid_) {
    if (auto driver = entry.driver.lock()) drivers.push_back(std::move(driver));
  }
  return drivers;
}

std::size_t Registry::count() const {
  const std::scoped_lock lock(mutex_);
  return by_pid_.size();
}

bool Registry::wait_until_empty(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return emptied_.wait_for(lock, timeout, [this] { return by_pid_.empty(); });
}

}  // namespace pgveil::net
