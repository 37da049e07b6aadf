#include "web/api/sessions.hpp"

#include <algorithm>
#include <utility>

#include "common/sha256.hpp"

namespace pgveil::app {

std::uint64_t WebSessions::next_number() {
  const std::lock_guard lock(mutex_);
  return ++last_number_;
}

void WebSessions::forget_ended(WebTime now) {
  std::erase_if(entries_, [&](const auto& it) {
    return now - it.second.touched >= kIdle || now - it.second.begun >= kLongest;
  });
}

void WebSessions::begin(const std::string& token, WebSession session, WebTime now) {
  const std::lock_guard lock(mutex_);
  forget_ended(now);
  if (entries_.size() >= kMost)
    entries_.erase(std::ranges::min_element(entries_, {}, [](const auto& it) { return it.second.touched; }));
  entries_.insert_or_assign(sha256(token), Entry{std::move(session), now, now});
}

std::optional<WebSession> WebSessions::find(std::string_view token, WebTime now, Touch touch) {
  if (token.empty()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  forget_ended(now);
  const auto found = entries_.find(sha256(token));
  if (found == entries_.end()) return std::nullopt;
  if (touch == Touch::goes_on) found->second.touched = now;
  return found->second.session;
}

void WebSessions::end(std::string_view token) {
  const std::lock_guard lock(mutex_);
  entries_.erase(sha256(token));
}

void WebSessions::prove(std::string_view token, WebTime now) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(sha256(token));
  if (found != entries_.end()) found->second.proved = now;
}

bool WebSessions::take_proof(std::string_view token, WebTime now) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(sha256(token));
  if (found == entries_.end()) return false;
  const auto proved = std::exchange(found->second.proved, std::nullopt);
  return proved && now - *proved < kProved;
}

bool SignInLimit::may_try(std::string_view role, WebTime now) {
  const std::lock_guard lock(mutex_);
  tries_.erase(tries_.begin(), tries_.upper_bound(now - kWindow));
  const auto of_role = std::ranges::count_if(tries_, [&](const auto& it) { return it.second == role; });
  if (tries_.size() >= kInAll || static_cast<std::size_t>(of_role) >= kPerRole) return false;
  tries_.emplace(now, role.substr(0, 63));
  return true;
}

void SignInLimit::take_back(std::string_view role, WebTime then) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = tries_.equal_range(then);
  const auto found = std::find_if(begin, end, [&](const auto& it) { return it.second == role; });
  if (found != end) tries_.erase(found);
}

}  // namespace pgveil::app
