#pragma once
// The live sessions by the keys that their clients were told in BackendKeyData: for CancelRequest, for the
// limit on clients and for the end of the process. Thread-safe.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pgveil::net {

class SessionDriver;

struct SessionKeys {
  std::uint32_t pid = 0;  // unique among live sessions, positive as a signed number
  std::uint32_t secret = 0;
};

class Registry {
 public:
  explicit Registry(std::size_t max_sessions) : max_sessions_(max_sessions) {}

  // Takes a place and makes keys for it; nullopt when all places are taken.
  [[nodiscard]] std::optional<SessionKeys> reserve();
  // Counts the session among this role's. False: there are `limit` of them already; 0: no limit.
  [[nodiscard]] bool admit(const SessionKeys& keys, const std::string& role, std::size_t limit);
  void attach(const SessionKeys& keys, std::weak_ptr<SessionDriver> driver);
  void release(const SessionKeys& keys);

  // The session with exactly these keys; null when there is none.
  [[nodiscard]] std::shared_ptr<SessionDriver> find(const SessionKeys& keys) const;
  [[nodiscard]] std::vector<std::shared_ptr<SessionDriver>> all() const;
  [[nodiscard]] std::size_t count() const;

  // False when sessions are still there after `timeout`.
  bool wait_until_empty(std::chrono::milliseconds timeout);

 private:
  struct Entry {
    std::uint32_t secret = 0;
    std::weak_ptr<SessionDriver> driver;
    std::string role = {};  // once it is admitted
  };

  const std::size_t max_sessions_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::unordered_map<std::uint32_t, Entry> by_pid_;
  std::map<std::string, std::size_t> by_role_;
};

}  // namespace pgveil::net
