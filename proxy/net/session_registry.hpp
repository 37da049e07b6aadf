#pragma once
// Finds live sessions by the keys that their clients got in BackendKeyData: for CancelRequest, for the limits
// on clients and for the end of the process. Sessions that have not logged in are counted separately from
// those that have, so neither takes the other's places. Thread-safe.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proxy/net/fair_places.hpp"

namespace pgveil::net {

class SessionDriver;

// What a client takes for its server's process: unique among live sessions, positive as a signed number.
using SessionPid = std::uint32_t;

struct ClientLimits {
  std::size_t clients = 500;  // logged in
  std::size_t kept = 5;       // additional, for those for whom places are kept
  std::size_t one_role = 0;   // of one role; 0: no limit
  std::size_t logging_in = 200;
};

// The largest number of sessions that lost their place and that their thread has not closed yet.
inline constexpr std::size_t kMostPutOut = 500;

enum class Admission {
  in,
  too_many,       // clients in all
  too_many_role,  // of this role
  too_late        // its place belongs to another session now
};

class SessionRegistry {
 public:
  explicit SessionRegistry(ClientLimits limits) : limits_(limits), logging_in_(limits.logging_in) {}

  struct Place {
    SessionPid pid = 0;
    std::shared_ptr<SessionDriver> gone_for_it;  // gave up its place: close it at once; null: nobody
  };
  // Takes a place among those that have not logged in, and a pid for it. nullopt: too many sessions that lost
  // their place are still there.
  [[nodiscard]] std::optional<Place> reserve(const std::string& neighbourhood);
  // Call this when the session has logged in. is_kept: it may use one of the places that are kept.
  [[nodiscard]] Admission admit(SessionPid pid, const std::string& role, bool is_kept);
  void attach(SessionPid pid, std::weak_ptr<SessionDriver> driver);
  // Makes the secret part of the session's key: that many random bytes. Before that, no key finds the
  // session.
  [[nodiscard]] std::string make_secret(SessionPid pid, std::size_t bytes);
  void release(SessionPid pid);

  // The session with exactly this key; null if there is none. The time it takes does not depend on how much
  // of the secret is right.
  [[nodiscard]] std::shared_ptr<SessionDriver> find(SessionPid pid, std::string_view secret) const;
  [[nodiscard]] std::vector<std::shared_ptr<SessionDriver>> all() const;
  [[nodiscard]] std::size_t count() const;
  // Those of them that have not logged in.
  [[nodiscard]] std::size_t count_logging_in() const;

  // False: some sessions are still there after `timeout`.
  bool wait_until_empty(std::chrono::milliseconds timeout);

 private:
  struct Entry {
    std::string secret = {};  // empty: none was made
    std::weak_ptr<SessionDriver> driver = {};
    std::string role = {};  // set once it is admitted
    bool is_in = false;
    bool is_put_out = false;  // before it had logged in
  };

  const ClientLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::unordered_map<SessionPid, Entry> by_pid_;
  std::map<std::string, std::size_t> by_role_;
  FairPlaces logging_in_;  // by pid
  std::size_t in_count_ = 0;
  std::size_t put_out_count_ = 0;
};

}  // namespace pgveil::net
