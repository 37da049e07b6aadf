#include "proxy/net/session_registry.hpp"

#include <openssl/crypto.h>

#include <utility>

#include "common/assert.hpp"
#include "proxy/net/random.hpp"

namespace pgveil::net {

std::optional<SessionRegistry::Place> SessionRegistry::reserve(const std::string& neighbourhood) {
  const std::scoped_lock lock(mutex_);
  if (put_out_count_ >= kMostPutOut) return std::nullopt;
  Place place;
  do {
    place.pid = random_number() & 0x7fffffff;  // drivers print it as a signed number
  } while (place.pid == 0 || by_pid_.contains(place.pid));
  by_pid_.emplace(place.pid, Entry{});
  if (const auto goes = logging_in_.enter(place.pid, neighbourhood)) {
    Entry& entry = by_pid_.at(static_cast<SessionPid>(*goes));
    entry.is_put_out = true;
    ++put_out_count_;
    place.gone_for_it = entry.driver.lock();
  }
  return place;
}

Admission SessionRegistry::admit(SessionPid pid, const std::string& role, bool is_kept) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(pid);
  PGVEIL_ASSERT(found != by_pid_.end() && !found->second.is_in);
  if (found->second.is_put_out) return Admission::too_late;
  if (in_count_ >= limits_.clients + (is_kept ? limits_.kept : 0)) return Admission::too_many;
  std::size_t& of_role = by_role_[role];
  if (limits_.one_role > 0 && of_role >= limits_.one_role) return Admission::too_many_role;
  ++of_role;
  ++in_count_;
  found->second.role = role;
  found->second.is_in = true;
  logging_in_.leave(pid);
  return Admission::in;
}

void SessionRegistry::attach(SessionPid pid, std::weak_ptr<SessionDriver> driver) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(pid);
  PGVEIL_ASSERT(found != by_pid_.end());
  found->second.driver = std::move(driver);
}

std::string SessionRegistry::make_secret(SessionPid pid, std::size_t bytes) {
  std::string secret = random_bytes(bytes);
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(pid);
  PGVEIL_ASSERT(found != by_pid_.end() && found->second.secret.empty());
  found->second.secret = secret;
  return secret;
}

void SessionRegistry::release(SessionPid pid) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(pid);
  if (found == by_pid_.end()) return;
  const Entry& entry = found->second;
  if (entry.is_in) {
    --in_count_;
    const auto role = by_role_.find(entry.role);
    if (--role->second == 0) by_role_.erase(role);
  } else if (entry.is_put_out) {
    --put_out_count_;
  } else {
    logging_in_.leave(pid);
  }
  by_pid_.erase(found);
  if (by_pid_.empty()) emptied_.notify_all();
}

std::shared_ptr<SessionDriver> SessionRegistry::find(SessionPid pid, std::string_view secret) const {
  const std::scoped_lock lock(mutex_);
  const auto found = by_pid_.find(pid);
  if (found == by_pid_.end()) return nullptr;
  const std::string& own = found->second.secret;
  const bool is_same = !own.empty() && own.size() == secret.size() &&
                       CRYPTO_memcmp(own.data(), secret.data(), own.size()) == 0;
  if (!is_same) return nullptr;
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
