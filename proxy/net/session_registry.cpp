#include "proxy/net/session_registry.hpp"

#include <utility>

#include "common/assert.hpp"
#include "proxy/net/random.hpp"

namespace pgveil::net {

std::optional<SessionRegistry::Place> SessionRegistry::reserve(const std::string& neighbourhood) {
  const std::scoped_lock lock(mutex_);
  if (put_out_count_ >= kMostPutOut) return std::nullopt;
  Place place{.keys = {.pid = 0, .secret = random_number()}, .gone_for_it = nullptr};
  do {
    place.keys.pid = random_number() & 0x7fffffff;  // drivers print it as a signed number
  } while (place.keys.pid == 0 || by_pid_.contains(place.keys.pid));
  by_pid_.emplace(place.keys.pid, Entry{.secret = place.keys.secret, .driver = {}});
  if (const auto goes = logging_in_.enter(place.keys.pid, neighbourhood)) {
    Entry& entry = by_pid_.at(static_cast<std::uint32_t>(*goes));
    entry.is_put_out = true;
    ++put_out_count_;
    place.gone_for_it = entry.driver.lock();
  }
  return place;
}

Admission SessionRegistry::admit(const SessionKeys& keys, const std::string& role, bool is_kept) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(keys.pid);
  PGVEIL_ASSERT(found != by_pid_.end() && !found->second.is_in);
  if (found->second.is_put_out) return Admission::too_late;
  if (in_count_ >= limits_.clients + (is_kept ? limits_.kept : 0)) return Admission::too_many;
  std::size_t& of_role = by_role_[role];
  if (limits_.one_role > 0 && of_role >= limits_.one_role) return Admission::too_many_role;
  ++of_role;
  ++in_count_;
  found->second.role = role;
  found->second.is_in = true;
  logging_in_.leave(keys.pid);
  return Admission::in;
}

void SessionRegistry::attach(const SessionKeys& keys, std::weak_ptr<SessionDriver> driver) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(keys.pid);
  PGVEIL_ASSERT(found != by_pid_.end());
  found->second.driver = std::move(driver);
}

void SessionRegistry::release(const SessionKeys& keys) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(keys.pid);
  if (found == by_pid_.end()) return;
  const Entry& entry = found->second;
  if (entry.is_in) {
    --in_count_;
    const auto role = by_role_.find(entry.role);
    if (--role->second == 0) by_role_.erase(role);
  } else if (entry.is_put_out) {
    --put_out_count_;
  } else {
    logging_in_.leave(keys.pid);
  }
  by_pid_.erase(found);
  if (by_pid_.empty()) emptied_.notify_all();
}

std::shared_ptr<SessionDriver> SessionRegistry::find(const SessionKeys& keys) const {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(keys.pid);
  if (found == by_pid_.end() || found->second.secret != keys.secret) return nullptr;
  return found->second.driver.lock();
}

std::vector<std::shared_ptr<SessionDriver>> SessionRegistry::all() const {
  std::vector<std::shared_ptr<SessionDriver>> drivers;
  const std::scoped_lock lock(mutex_);
  for (const auto& [pid, entry] : by_pid_) {
    if (auto driver = entry.driver.lock()) drivers.push_back(std::move(driver));
  }
  return drivers;
}

std::size_t SessionRegistry::count() const {
  const std::scoped_lock lock(mutex_);
  return by_pid_.size();
}

std::size_t SessionRegistry::count_logging_in() const {
  const std::scoped_lock lock(mutex_);
  return by_pid_.size() - in_count_;
}

bool SessionRegistry::wait_until_empty(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return emptied_.wait_for(lock, timeout, [this] { return by_pid_.empty(); });
}

}  // namespace pgveil::net
